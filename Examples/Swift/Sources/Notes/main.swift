// A notebook that is the same on all devices, and for all who share it. Each file is a device of one person.

import CloudKit

func run(_ arguments: [String]) async throws {
    let usage = """
        usage: Notes <file> write <name> <text> | sync | list
               Notes <file> invite <email> read|write | open read|write|none | join <link>
        """
    let permissions: [String: CKShare.ParticipantPermission] = ["read": .readOnly, "write": .readWrite, "none": .none]
    guard let path = arguments.first else {
        print(usage)
        return
    }
    var notebook = try Notebook(
        file: URL(fileURLWithPath: path), container: CKContainer.default())
    let words = Array(arguments.dropFirst())
    switch words.first {
    case "sync": try await notebook.synchronize()
    case "list": for line in notebook.lines { print(line) }
    case "write" where words.count == 3: try notebook.write(words[1], words[2])
    case "invite" where words.count == 3:
        guard let permission = permissions[words[2]] else { return print(usage) }
        print(try await notebook.invite(words[1], permission)?.absoluteString ?? "no link")
    case "open" where words.count == 2:
        guard let permission = permissions[words[1]] else { return print(usage) }
        print(try await notebook.open(permission)?.absoluteString ?? "no link")
    case "join" where words.count == 2:
        guard let link = URL(string: words[1]) else { return print(usage) }
        try await notebook.join(link)
    default: print(usage)
    }
}

try await run(Array(CommandLine.arguments.dropFirst()))
