import CoreData

// The list of a terminal:
//
//     Posts FILE import [FOLDER]      imports the changes of clocks of all time zones
//     Posts FILE list [TAG]
//     Posts FILE window [TAG]         reads commands from standard input
//     Posts FILE first-version        makes a store of the first version of the model

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    printLine("usage: Posts FILE import [FOLDER] | list [TAG] | window [TAG] | first-version")
    exit(2)
}
let argument = arguments.count > 3 ? arguments[3] : nil

do {
    if arguments[2] == "first-version" {
        try FirstVersion.makeStore(arguments[1])
        exit(0)
    }
    let store = try PostStore(arguments[1])
    switch arguments[2] {
    case "import":
        let folder = URL(fileURLWithPath: argument ?? "/usr/share/zoneinfo")
        let posts = try await PostImport(container: store.container, folder: folder).run { done, all in
            if done % 50 == 0 || done == all { printLine("\(done) of \(all) time zones") }
        }
        printLine("imported \(posts) posts")
    case "list": try PostList(store.container.viewContext, tag: argument).show()
    default:
        let window = try Window(store, tag: argument)
        let lines = AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
        for await line in lines { guard try window.run(line) else { break } }
    }
} catch {
    printLine("failed: \(error.localizedDescription)")
    exit(1)
}
