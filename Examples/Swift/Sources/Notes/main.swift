// A notebook that is the same on all devices. Each file is a device.

import CloudKit

func run(_ arguments: [String]) async throws {
    let usage = "usage: Notes <file> write <name> <text> | sync | list"
    guard let path = arguments.first else {
        print(usage)
        return
    }
    var notebook = try Notebook(
        file: URL(fileURLWithPath: path), database: CKContainer.default().privateCloudDatabase)
    let words = Array(arguments.dropFirst())
    switch words.first {
    case "sync": try await notebook.synchronize()
    case "list": for line in notebook.lines { print(line) }
    case "write" where words.count == 3: try notebook.write(words[1], words[2])
    default: print(usage)
    }
}

try await run(Array(CommandLine.arguments.dropFirst()))
