import CoreData

// A public catalogue:
//
//     Catalogue FILE schema      makes the server of a development environment learn the record types
//     Catalogue FILE window      reads commands from standard input

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    printLine("usage: Catalogue FILE schema | window")
    exit(2)
}

do {
    let store = try CatalogueStore(arguments[1])
    if arguments[2] == "schema" {
        try store.initializeSchema()
        exit(0)
    }
    try await store.subscribe()
    let failures = store.printFailures()
    defer { NotificationCenter.default.removeObserver(failures) }
    let window = try Window(store)
    let lines = AsyncStream { continuation in
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
    for await line in lines { guard try window.run(line) else { break } }
} catch {
    printLine("failed: \(error.localizedDescription)")
    exit(1)
}
