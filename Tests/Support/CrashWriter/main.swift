import Glibc
import StratusCloudStore

// Writes batches from many tasks into a store of the engine and the directory given, until it is killed, and prints the name of
// each batch when its commit was acknowledged. A name is written with one call, so no line is ever mixed or cut.
let writers = 16
let arguments = CommandLine.arguments
guard arguments.count == 4, let engine = StoreEngine(rawValue: arguments[1]) else { exit(3) }
let run = arguments[3]
let store = try open(engine, arguments[2])

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

/// A store that so often moves its log to its files that kills fall into that, too.
func open(_ engine: StoreEngine, _ directory: String) throws -> any CloudStore {
    switch engine {
    case .sqlite:
        var options = SQLiteStore.Options()
        options.checkpointPages = 64
        return try SQLiteStore(directory: directory, options: options)
    case .leveldb:
        var options = LevelDBStore.Options()
        options.writeBufferSize = 65_536
        options.tableSize = 65_536
        return try LevelDBStore(directory: directory, options: options)
    }
}
