import StratusCloudModel
import StratusCloudStore

/// Finds the records of one zone that satisfy a query without sort keys, in the order of one filter's index.
struct DriverScan {
    let query: ResolvedQuery
    let zone: QueryZone
    let driver: Driver
    let reader: QueryReader
    let wanted: Int

    private(set) var records: [(record: FoundRecord, key: Key)] = []
    /// The last key whose record is in ``records`` or need not be.
    private(set) var last: Key?
    private(set) var size = 0

    init(
        _ query: ResolvedQuery, in zone: QueryZone, by driver: Driver, after key: Key?, wanted: Int,
        reader: QueryReader
    ) {
        self.query = query
        self.zone = zone
        self.driver = driver
        self.wanted = wanted
        self.reader = reader
        last = key
    }

    /// Reads until it has what is wanted, or the page's work is done. Returns whether it came to the end.
    mutating func run() throws -> Bool {
        reader.explain("read the index of \(driver.description)")
        for range in driver.ranges {
            if let last, range.upper <= last { continue }
            guard try scan(range) else { return false }
        }
        return true
    }

    private var isFull: Bool { records.count >= wanted || size >= reader.work.bytesPerPage }

    private mutating func scan(_ range: KeyRange) throws -> Bool {
        var range = range
        if let last { range.lower = max(range.lower, last.next) }
        var chunk = min(max(wanted - records.count, 16), reader.work.keysPerRead)
        while !range.isEmpty {
            let entries = try reader.entries(in: range, limit: chunk)
            var index = 0
            while index < entries.count {
                let some = entries[index..<min(index + reader.work.recordsPerFetch, entries.count)]
                guard try add(some) else { return false }
                index = some.endIndex
            }
            guard entries.count == chunk, let key = entries.last?.key else { return true }
            guard reader.keysRead < reader.work.keysPerPage, reader.recordsRead < reader.work.recordsPerPage else {
                return false
            }
            range.lower = key.next
            chunk = min(2 * chunk, reader.work.keysPerRead)
        }
        return true
    }

    /// Whether an entry's cell is near enough for a filter on distance: what a key tells needs no record.
    private func mayMatch(_ entry: IndexEntry) -> Bool {
        guard driver.layout == .cell else { return true }
        return query.filters.allSatisfy { filter in
            guard filter.fields == driver.fields, case .circle(let center, let radius) = filter.operand,
                radius < Geodesic.exactDistances
            else { return true }
            let middle = entry.cell.center
            let distance = Geodesic.distance(
                center.latitude, center.longitude, middle.latitude, middle.longitude)
            return distance <= radius + Cell.size
        }
    }

    private mutating func add(_ some: ArraySlice<StoreEntry>) throws -> Bool {
        let evaluator = FilterEvaluator(filters: query.filters, zone: zone.id)
        let entries = some.compactMap { IndexEntry($0, driver.layout) }.filter(mayMatch)
        defer { if !isFull { last = some.last?.key } }
        for (entry, found) in zip(entries, try reader.records(entries.map { try $0.record() }, zone: zone.number)) {
            last = entry.key
            guard let found else { continue }
            let record = found.stored
            guard record.recordType == query.recordType, try evaluator.matches(record),
                try driver.isFirstEntry(entry.key, of: record, zone: zone.number)
            else { continue }
            records.append((found, entry.key))
            size += found.size
            if isFull { return false }
        }
        return true
    }
}
