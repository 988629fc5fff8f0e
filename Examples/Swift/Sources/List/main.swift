// A shopping list on two devices: each window is one, and each has a file of its own.

import CloudKit

let usage = "put <item> <how much> | done <item> | list | unplug | plug | quit"
let path = CommandLine.arguments.dropFirst().first ?? "list.json"
/// While this file is there, plug.py lets nothing through.
let unplugged = path + ".unplugged"
let list = try SharedList(URL(fileURLWithPath: path))
await list.start(CKContainer.default().privateCloudDatabase)
say(usage)

while let line = readLine() {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "put" where words.count == 3: await list.put(words[1], words[2])
    case "done" where words.count == 2: await list.remove(words[1])
    case "list": for line in await list.lines { say(line) }
    case "unplug": _ = FileManager.default.createFile(atPath: unplugged, contents: nil)
    case "plug": try? FileManager.default.removeItem(atPath: unplugged)
    case "quit": exit(0)
    default: say(usage)
    }
}
