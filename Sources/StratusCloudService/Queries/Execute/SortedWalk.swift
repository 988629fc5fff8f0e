import StratusCloudModel
import StratusCloudStore

/// Finds the next records of one zone in the order of the sort keys, reading as little as it can.
///
/// The index of the first sort key gives the records in groups of equal values. A small group is sorted in memory by
/// the other keys; a large one is walked by the index of the next key in the same way. Records without the value come
/// last, and are walked by the next key too. Every place in this walk is a ``SortedPosition``, so it can stop after any
/// step, and what it found does not depend on where it stopped before.
struct SortedWalk {
    let query: ResolvedQuery
    let zone: QueryZone
    let reader: QueryReader
    let order: SortOrder
    let factory: DriverFactory
    /// How many records are wanted.
    let wanted: Int

    /// What it found, in order.
    private(set) var records: [SortedRecord] = []
    /// All records up to here are in ``records``, or satisfy the query not, or come before the start.
    var frontier: SortedPosition
    /// Whether there is nothing behind the frontier.
    private(set) var isComplete = false

    private let evaluator: FilterEvaluator
    private var size = 0
    private var keyLimit = 0
    private var recordLimit = 0

    init(_ query: ResolvedQuery, in zone: QueryZone, from start: SortedPosition?, wanted: Int, reader: QueryReader) {
        self.query = query
        self.zone = zone
        self.reader = reader
        self.wanted = wanted
        order = SortOrder(sorts: query.sorts)
        factory = DriverFactory(recordType: query.recordType, zone: zone.number)
        evaluator = FilterEvaluator(filters: query.filters, zone: zone.id)
        frontier = start ?? SortedPosition(components: [], tail: .start)
    }

    /// Which way to find the records; a page tells the next one.
    enum Strategy: Hashable, Sendable {
        /// Not known yet.
        case choose
        /// By the indexes of the sort keys.
        case scan
        /// By the candidates of one filter, sorted in memory.
        case candidates(driver: Int)
    }

    /// Walks until it has what is wanted, or has read that many keys or records, or there is no more.
    /// - Returns: how the next page should go on.
    mutating func run(_ strategy: Strategy, keys: Int, records: Int) throws -> Strategy {
        keyLimit = reader.keysRead + keys
        recordLimit = reader.recordsRead + records
        let planner = QueryPlanner(query: query, zone: zone.number, reader: reader)
        if let driver = try candidates(strategy, planner) {
            try sortCandidates(of: driver.driver)
            return .candidates(driver: driver.number)
        }
        reader.explain("read the index of \(query.sorts.map(\.description).joined(separator: ", then of "))")
        let isOpen = strategy == .choose && !query.filters.isEmpty && !sortBoundsFilters
        guard isOpen, keys > reader.work.recordsSortedInMemory else {
            isComplete = try walk([], from: frontier)
            return .scan
        }
        // The filters' ranges are not small; if the scan finds little, they may be small enough all the same.
        keyLimit = reader.keysRead + reader.work.recordsSortedInMemory
        isComplete = try walk([], from: frontier)
        guard !isComplete, !isFull else { return .scan }
        keyLimit = reader.keysRead + keys
        if let choice = try planner.choose(upTo: reader.work.recordsSortedInMemory) {
            try sortCandidates(of: choice.driver)
            return .candidates(driver: choice.number)
        }
        isComplete = try walk([], from: frontier)
        return .scan
    }

    func candidates(_ strategy: Strategy, _ planner: QueryPlanner) throws -> QueryPlanner.Choice? {
        guard !query.filters.isEmpty else { return nil }
        switch strategy {
        case .scan: return nil
        case .choose:
            guard !sortBoundsFilters else { return nil }
            let choice = try planner.choose()
            return choice.size == nil ? nil : choice
        case .candidates(let number):
            let drivers = planner.drivers
            guard drivers.indices.contains(number),
                let size = try planner.count(drivers[number], upTo: reader.work.recordsSortedInMemory)
            else { return nil }
            return QueryPlanner.Choice(number: number, driver: drivers[number], size: size)
        }
    }

    /// Whether all filters are about the first sort key, each one range of it: then hardly any other key is read.
    var sortBoundsFilters: Bool {
        guard let field = order.sorts.first?.field else { return false }
        return query.filters.allSatisfy { filter in
            guard filter.fields == [field], let driver = factory.drivers(for: filter).first else { return false }
            return driver.ranges.count <= 1 || driver.shape == .exclusion || driver.shape == .place
        }
    }

    private var isFull: Bool { records.count >= wanted || size >= reader.work.bytesPerPage }
    var mayGoOn: Bool { reader.keysRead < keyLimit && reader.recordsRead < recordLimit }

    // MARK: - Steps

    /// Walks all records whose first components are `prefix`. Returns false if it stopped before their end.
    mutating func walk(_ prefix: [SortComponent], from start: SortedPosition?) throws -> Bool {
        var start = start
        if let position = start, position.components.count == prefix.count {
            switch position.tail {
            case .start: start = nil
            case .end: return true
            case .after: break
            }
        }
        let level = prefix.count
        guard level < order.sorts.count else { return try walkNames(prefix, from: start) }
        let first = start?.components[level]
        if first != .missing {
            let isDone =
                if let center = order.sorts[level].center {
                    try walkPlaces(prefix, around: center, from: start)
                } else {
                    try walkValues(prefix, from: start)
                }
            guard isDone else { return false }
        }
        guard canBeMissing(order.sorts[level].field) else { return true }
        let missing = prefix + [.missing]
        if first != .missing { frontier = SortedPosition(components: missing, tail: .start) }
        return try walk(missing, from: first == .missing ? start : nil)
    }

    /// A filter on the field is not satisfied without it.
    func canBeMissing(_ field: QueryableField) -> Bool {
        field.isOptional && !query.filters.contains { $0.fields == [field] }
    }

    /// Walks in the order of record names.
    mutating func walkNames(_ prefix: [SortComponent], from start: SortedPosition?) throws -> Bool {
        var (range, layout) = nameRange(prefix)
        if case .after(let name)? = start?.tail { range.lower = Key(range.lower.bytes + name.utf8).next }
        let absent = Set(
            zip(prefix, order.sorts).filter { $0.0 == .missing }.map { $0.1.field.index.number.rawValue })
        var chunk = firstChunk
        while !range.isEmpty {
            let entries = try reader.entries(in: range, limit: chunk)
            guard let last = entries.last, let end = IndexEntry(last, layout) else { return true }
            var records: [IndexedRecord] = []
            for entry in entries {
                if layout == .type, try TypeIndex.has(absent, in: entry.value) { continue }
                if let record = try IndexEntry(entry, layout)?.record() { records.append(record) }
            }
            var first = 0
            while first < records.count {
                let some = Array(records[first..<min(first + reader.work.recordsPerFetch, records.count)])
                guard try add(some, under: prefix, from: start) else { return false }
                first += some.count
            }
            frontier = SortedPosition(components: prefix, tail: .after(end.recordName))
            if entries.count < chunk { return true }
            guard mayGoOn else { return false }
            range.lower = last.key.next
            chunk = min(2 * chunk, reader.work.keysPerRead)
        }
        return true
    }

    /// The smallest range known that has all records with these components in the order of their names.
    func nameRange(_ prefix: [SortComponent]) -> (KeyRange, IndexEntry.Layout) {
        for (component, sort) in zip(prefix, order.sorts).reversed() {
            switch component {
            case .missing: continue
            case .value(let bytes):
                let layout: IndexEntry.Layout =
                    sort.field.isRecordName ? .type : .value(sort.field.type.scalar)
                return (factory.entries(of: bytes, in: sort.field), layout)
            case .place(_, let cell):
                return (factory.range(of: cell.rawValue...cell.rawValue, in: sort.field), .cell)
            }
        }
        let drivers = query.filters.flatMap(factory.drivers)
        if let driver = drivers.first(where: { $0.shape == .equality && $0.isInNameOrder }) {
            return (driver.ranges.first ?? KeyRange(lower: Key(), upper: Key()), driver.layout)
        }
        let all = Driver.all(of: query.recordType, zone: zone.number)
        return (all.ranges[0], all.layout)
    }

    var firstChunk: Int { min(max(wanted - records.count + 2, 16), reader.work.keysPerRead) }
}

extension SortedWalk {
    // MARK: - Records

    /// Sorts all candidates of a filter in memory.
    mutating func sortCandidates(of driver: Driver) throws {
        reader.explain("read the index of \(driver.description) and sort its records in memory")
        // By the names' bytes; of several hints the latest is the likeliest.
        var candidates: [[UInt8]: IndexedRecord] = [:]
        for range in driver.ranges {
            for entry in try allEntries(in: range, upTo: .max) ?? [] {
                guard let record = try IndexEntry(entry, driver.layout)?.record() else { continue }
                let name = Array(record.name.utf8)
                if let known = candidates[name], known.hint ?? 0 >= record.hint ?? 0 { continue }
                candidates[name] = record
            }
        }
        isComplete = try add(Array(candidates.values), under: [], from: frontier)
        if isComplete { frontier = SortedPosition(components: [], tail: .end) }
    }

    /// Adds those of the records that satisfy the query, have the components and come behind `start`, in order.
    /// Returns false if not all found room; the frontier then is behind the last that did.
    mutating func add(
        _ entries: [IndexedRecord], under prefix: [SortComponent], from start: SortedPosition?
    ) throws -> Bool {
        var first = FirstRecords(wanted - records.count, bytes: reader.work.bytesPerPage, in: order)
        var index = 0
        while index < entries.count {
            let some = Array(entries[index..<min(index + reader.work.recordsPerFetch, entries.count)])
            index += some.count
            for found in try reader.records(some, zone: zone.number) {
                guard let found else { continue }
                let record = found.stored
                guard record.recordType == query.recordType else { continue }
                let components = order.components(of: record)
                guard components.starts(with: prefix),
                    start?.precedes(components, record.recordName, in: order) ?? true,
                    try evaluator.matches(record)
                else { continue }
                first.insert(SortedRecord(components: components, record: found))
            }
        }
        let sorted = first.sorted()
        for record in sorted {
            records.append(record)
            size += record.record.size
            if isFull {
                frontier = record.position
                return false
            }
        }
        return true
    }
}
