import CloudStore
import Glibc

// Writes batches from many tasks into the store of the directory given, until it is killed, and prints the name of
// each batch when its commit was acknowledged. A name is written with one call, so no line is ever mixed or cut.
let writers = 16
let directory = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
let run = CommandLine.arguments.count > 2 ? CommandLine.arguments[2] : "0"
var options = SQLiteStore.Options()
// Small, so that kills fall into checkpoints, too.
options.checkpointPages = 64
let store = try SQLiteStore(directory: directory, options: options)

await withTaskGroup(of: Void.self) { group in
    for writer in 0..<writers {
        group.addTask {
            for number in 0... {
                let name = "\(run)-\(writer)-\(number)"
                do {
                    try await store.write(Partition("crash")) { transaction in
                        for part in 0..<4 {
                            let value = Array("\(name)/\(part)".utf8)
                            transaction.set(Key(Array("small/\(name)/\(part)".utf8)), value)
                            let fat = value + [UInt8](repeating: 0x2E, count: 600)
                            transaction.set(Key(Array("fat/\(name)/\(part)".utf8)), fat)
                        }
                        // Overwritten by everybody: the last one counts.
                        transaction.set(Key(Array("last/\(writer)".utf8)), Array(name.utf8))
                    }
                } catch {
                    print("failed: \(error)")
                    exit(1)
                }
                let line = Array((name + "\n").utf8)
                if Glibc.write(STDOUT_FILENO, line, line.count) != line.count { exit(2) }
            }
        }
    }
}
