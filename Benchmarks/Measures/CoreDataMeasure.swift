import Foundation
import StratusCAllocations
import StratusCompatibility
import StratusCoreData

/// Objects of Core Data beside a loop of SQLite's C functions over the same table and index, in CPU time.
struct CoreDataMeasure {
    let bench: Bench

    private static let title = "core-data"
    private static let searches = 2_000
    private static let greatestSearch = 5.0
    private static let greatestFault = 250.0

    private var count: Int { bench.settings.isQuick ? 20_000 : 100_000 }

    func findings() throws -> [Finding] {
        let items = Item.some(count)
        var findings = [
            try inserted("save() of new objects", items, atLeast: 0.25) { try $0.save(items, in: $1) },
            try inserted("batch insertion of dictionaries", items, atLeast: 0.5) {
                try $0.insertDictionaries(items, in: $1)
            },
            try inserted("batch insertion by a handler", items, atLeast: 0.5) { try $0.insertByHandler(items, in: $1) },
        ]
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        let path = "\(directory.path)/items.sqlite"
        let (store, bare) = (try ItemStore(path), try BareItems(path))
        try store.run { try store.insertDictionaries(items, in: $0) }
        findings.append(
            try read("fetch as faults", atLeast: 0.25, store, bare) { try store.faults(withRows: true, in: $0) })
        findings.append(
            try read("fetch with four values", atLeast: 0.15, store, bare) { context in
                let objects = try store.faults(withRows: true, in: context)
                guard store.read(objects) > 0 else { throw BenchmarkError("the values of objects are missing") }
                return objects
            })
        findings.append(try searched(store, bare))
        findings.append(try memory(store))
        return findings
    }

    /// Rows that are written into new files.
    private func inserted(
        _ name: String, _ items: [Item], atLeast goal: Double,
        _ insert: (ItemStore, NSManagedObjectContext) throws -> Void
    ) throws -> Finding {
        try compared(name, atLeast: goal) {
            try inNewFile { path in
                let store = try ItemStore(path)
                return try store.run { context in try Self.seconds { try insert(store, context) } }
            }
        } bare: {
            try inNewFile { path in
                _ = try ItemStore(path)
                let bare = try BareItems(path)
                return try Self.seconds { try bare.insert(items) }
            }
        }
    }

    /// All rows of a file.
    private func read(
        _ name: String, atLeast goal: Double, _ store: ItemStore, _ bare: BareItems,
        _ fetch: (NSManagedObjectContext) throws -> [NSManagedObject]
    ) throws -> Finding {
        try compared(name, atLeast: goal) {
            try store.run { context in
                var found: [NSManagedObject] = []
                let seconds = try Self.seconds { found = try fetch(context) }
                guard found.count == count else { throw BenchmarkError("\(found.count) objects, not \(count)") }
                return seconds
            }
        } bare: {
            try Self.seconds {
                guard bare.readAll().rows == count else { throw BenchmarkError("rows are missing") }
            }
        }
    }

    /// Single rows that are found by the index.
    private func searched(_ store: ItemStore, _ bare: BareItems) throws -> Finding {
        let numbers = (0..<Self.searches).map { ($0 * 31) % count }
        func middle(_ search: (Int) throws -> Int) throws -> Double {
            median(
                try numbers.map { number in
                    let start = Clock.now()
                    guard try search(number) == 1 else { throw BenchmarkError("the row of \(number) is not found") }
                    return Clock.seconds(since: start) * 1e6
                })
        }
        var (own, other): ([Double], [Double]) = ([], [])
        for _ in 0..<bench.settings.rounds {
            own.append(
                try store.run { context in
                    let predicates = numbers.map { NSPredicate(format: "number == %d", $0) }
                    var waiting = predicates.makeIterator()
                    return try middle { _ in try waiting.next().map { try store.find($0, in: context).count } ?? 0 }
                })
            other.append(try middle { bare.read(number: $0).rows })
        }
        var finding = Finding(Self.title, "fetch by an indexed number, p50", median(own), "µs")
            .noted("bare SQLite \(Table.number(median(other))) µs; predicates are made before")
        finding.ratio = median(own) / median(other)
        finding.ratioTo = "bare SQLite"
        return finding.judged("≤ 5 × bare SQLite", median(own) <= Self.greatestSearch * median(other))
    }

    /// Objects whose values have not been read.
    private func memory(_ store: ItemStore) throws -> Finding {
        let bytes = try store.run { context in
            let before = stratus_allocated_bytes()
            let faults = try store.faults(withRows: false, in: context)
            return withExtendedLifetime(faults) { Double(stratus_allocated_bytes() - before) / Double(faults.count) }
        }
        return Finding(Self.title, "memory of a fault", bytes, "bytes")
            .judged("≤ 250 bytes", bytes <= Self.greatestFault)
    }

    /// Both in turns.
    private func compared(
        _ name: String, atLeast goal: Double, own: () throws -> Double, bare: () throws -> Double
    ) throws -> Finding {
        var (times, others): ([Double], [Double]) = ([], [])
        for round in 1...bench.settings.rounds {
            Progress.say("\(Self.title), round \(round) of \(bench.settings.rounds): \(name)")
            times.append(try own())
            others.append(try bare())
        }
        let (time, other) = (median(times) * 1e6 / Double(count), median(others) * 1e6 / Double(count))
        var finding = Finding(Self.title, name, time, "µs/row").noted("bare SQLite \(Table.number(other)) µs/row")
        finding.ratio = other / time
        finding.ratioTo = "bare SQLite"
        return finding.judged("≥ \(Table.number(goal)) × bare SQLite", other >= goal * time)
    }

    private func inNewFile<Value>(_ body: (String) throws -> Value) throws -> Value {
        let directory = try TemporaryDirectory(in: bench.directory)
        defer { directory.remove() }
        return try body("\(directory.path)/items.sqlite")
    }

    /// CPU seconds that a block takes.
    private static func seconds(_ body: () throws -> Void) throws -> Double {
        let start = Clock.processSeconds()
        try body()
        return Clock.processSeconds() - start
    }
}
