import CoreData

// The list of a terminal:
//
//     Posts FILE import POSTS.json
//     Posts FILE list [TAG]
//     Posts FILE window [TAG]         reads commands from standard input
//     Posts FILE first-version        makes a store of the first version of the model

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    printLine("usage: Posts FILE import POSTS.json | list [TAG] | window [TAG] | first-version")
    exit(2)
}
let tag = arguments.count > 3 ? arguments[3] : nil

do {
    if arguments[2] == "first-version" {
        try FirstVersion.makeStore(arguments[1])
        exit(0)
    }
    let store = try PostStore(arguments[1])
    switch arguments[2] {
    case "import": printLine("imported \(try ImportedPost.importFile(tag ?? "", into: store)) posts")
    case "list": try PostList(store.container.viewContext, tag: tag).show()
    default:
        let window = try Window(store, tag: tag)
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
