import Foundation
import Glibc
import StratusCoreData
import StratusSeeds
import StratusStoreWriting

// Writes to a store that other processes have open:
//
//     StratusStoreWriter batches FILE NAME        saves batches until it is killed, and prints the name of each one
//     StratusStoreWriter once FILE NAME           saves one batch
//     StratusStoreWriter random FILE NAME SEED    saves random operations, and prints those of each save
let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(3) }
let (file, name) = (arguments[2], arguments[3])

/// Prints a line with one call, so that no line is cut when the process is killed.
func report(_ text: String) {
    let line = Array((text + "\n").utf8)
    if write(STDOUT_FILENO, line, line.count) != line.count { exit(2) }
}

func saveRandomly(_ store: SharedStore, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var own: [Int] = []
    var last = name == "first" ? 1_000 : 2_000
    // Some saves are based on what the context read long ago.
    store.context.retainsRegisteredObjects = true
    for number in 0..<40 {
        var operations: [SharedOperation] = []
        try store.context.performAndWait {
            // Each item is changed once in a save: two changes that undo each other are none.
            var free = Set(own).union(SharedOperation.commonItems)
            for _ in 0..<1 + random.below(3) {
                last += 1
                let items = free.sorted()
                let item = items[random.below(items.count)]
                let list = SharedOperation.lists[random.below(SharedOperation.lists.count)]
                let operation: SharedOperation
                switch random.below(6) {
                case 0: operation = .insert(item: last, list: list)
                case 1 where own.contains(item): operation = .delete(item: item)
                case 2, 3: operation = .move(item: item, list: list)
                default: operation = .set(item: item, value: last)
                }
                guard try operation.apply(to: store) else { continue }
                operations.append(operation)
                free.remove(item)
                if case .insert = operation { own.append(last) }
                if case .delete = operation { own.removeAll { $0 == item } }
            }
            store.context.transactionAuthor = "\(name)-\(number)"
            try store.context.save()
            if random.below(3) == 0 { store.context.reset() }
        }
        if !operations.isEmpty { report("\(name)-\(number): " + operations.map(\.text).joined(separator: "; ")) }
    }
}

do {
    let store = try SharedStore(file)
    switch arguments[1] {
    case "once": try SharedBatch.save(name, 0, to: store)
    case "random": try saveRandomly(store, seed: arguments.count > 4 ? UInt64(arguments[4]) ?? 0 : 0)
    default:
        for number in 0... {
            try SharedBatch.save("\(name)-\(number)", number, to: store)
            report("\(name)-\(number)")
        }
    }
} catch {
    report("failed: \(error)")
    exit(1)
}
