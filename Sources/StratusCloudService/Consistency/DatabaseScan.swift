import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// Reads all rows of a database that say something of its records once, each range in its order, on several threads and
/// in one snapshot, and finds out whether they fit together without looking anything up.
///
/// Each record adds the keys that must exist because of it to ``KeySums``, and each key that exists is subtracted. What
/// is not zero in the end is looked at by the checks that look things up.
final class DatabaseScan: Sendable {
    /// What was read.
    struct Outcome: Sendable {
        var records = 0
        var indexEntries = 0
        /// What the database is counted to hold; nil if it was never counted.
        var storedUsage: Usage?
        /// What it holds; nil if some record cannot be read.
        var countedUsage: Usage? = Usage()
        var sums: KeySums
        /// How many records of each author refer to each target, by the target; empty where that is not counted.
        var authorSums = KeySums(buckets: 1)
        /// Whether there are rows that nobody can read, or keys that belong to no record.
        var hasUnreadableRows = false

        /// Whether every key is there because of a record, and every record has its keys.
        var fits: Bool { !hasUnreadableRows && sums.isZero }

        mutating func merge(_ other: Outcome) {
            records += other.records
            indexEntries += other.indexEntries
            hasUnreadableRows = hasUnreadableRows || other.hasUnreadableRows
            sums.merge(other.sums)
            authorSums.merge(other.authorSums)
            guard let usage = countedUsage, let more = other.countedUsage else { return countedUsage = nil }
            countedUsage = usage + more
        }
    }

    private struct State {
        var ranges: [KeyRange]?
        var zones = ScannedZones()
        var outcome: Outcome
    }

    private let schema: Schema
    private let layouts: IndexLayouts
    private let progress: CheckProgress
    private let countsAuthors: Bool
    private let buckets: Int
    private let state: Lock<State>

    /// - Parameters:
    ///   - countsAuthors: Whether the references of each author are counted, as in public databases.
    ///   - isLarge: whether there are many records, for which several threads and many buckets are worth it.
    init(_ schema: Schema, countsAuthors: Bool, isLarge: Bool, _ progress: CheckProgress) {
        self.schema = schema
        layouts = IndexLayouts(schema)
        self.progress = progress
        self.countsAuthors = countsAuthors
        buckets = isLarge ? ServiceLimits.checkBuckets : ServiceLimits.checkBucketsOfSmallDatabases
        state = Lock(State(outcome: Self.outcome(buckets, countsAuthors)))
        workers = isLarge ? ServiceLimits.checkWorkers : 1
    }

    private let workers: Int

    private static func outcome(_ buckets: Int, _ countsAuthors: Bool) -> Outcome {
        var outcome = Outcome(sums: KeySums(buckets: buckets))
        if countsAuthors { outcome.authorSums = KeySums(buckets: buckets) }
        return outcome
    }

    /// Reads everything.
    func run(_ database: Partition, in store: any CloudStore) async throws -> Outcome {
        try await store.readTogether(database, workers: workers) { try self.work(in: $0) }
        return state.withLock { $0.outcome }
    }

    /// Takes range after range until none is left.
    private func work(in transaction: any ReadTransaction) throws {
        let zones = try state.withLock { state in
            if state.ranges == nil {
                let zones = try CloudService.allZones(in: transaction)
                state.ranges = CheckRanges(zones.map(\.header), layouts, countsAuthors: countsAuthors).all.reversed()
                state.zones = ScannedZones(zones)
                state.outcome.storedUsage = try transaction.value(at: Keyspace.usage)
            }
            return state.zones
        }
        var reader = ScanReader(
            schema, layouts, zones: zones, countsAuthors: countsAuthors, progress, Self.outcome(buckets, countsAuthors))
        while let range = state.withLock({ $0.ranges?.popLast() }) { try reader.read(range, in: transaction) }
        reader.finish()
        state.withLock { $0.outcome.merge(reader.outcome) }
    }
}

/// The zones that are not being deleted.
struct ScannedZones: Sendable {
    private(set) var all: Set<ZoneNumber> = []
    /// The kinds of those that are reserved.
    private(set) var reserved: [ZoneNumber: any ReservedZone.Type] = [:]

    init() {}

    init(_ zones: [(name: String, header: ZoneHeader)]) {
        all = Set(zones.map(\.header.number))
        for (name, header) in zones { reserved[header.number] = ReservedZones.kind(of: name) }
    }
}

/// The ranges that a scan reads, small enough for several threads to share them.
private struct CheckRanges {
    var all: [KeyRange] = []

    init(_ zones: [ZoneHeader], _ layouts: IndexLayouts, countsAuthors: Bool) {
        let large = zones.filter { $0.version >= ServiceLimits.largeCheck }.sorted { $0.number < $1.number }
        add(.version, cutAt: large.flatMap(Self.versions))
        for tag in [Keyspace.Tag.token, .index, .cell] {
            add(
                tag,
                cutAt: large.flatMap { zone in
                    layouts.numbers.map {
                        Keyspace.prefix(tag, zone: zone.number, index: IndexNumber(rawValue: $0)).key
                    }
                })
        }
        for tag in [Keyspace.Tag.record, .referrer, .assetUse] {
            add(tag, cutAt: large.map { Keyspace.prefix(tag, zone: $0.number).key })
        }
        for tag in ReservedZones.kinds.flatMap({ $0.entryTags }) { add(tag, cutAt: []) }
        if countsAuthors { add(.authorReferrers, cutAt: []) }
    }

    /// Versions at which the records of a zone fall into parts.
    private static func versions(of zone: ZoneHeader) -> [Key] {
        let parts = UInt64(ServiceLimits.checkParts)
        return (0..<parts).map { Keyspace.version(zone: zone.number, zone.version / parts * $0) }
    }

    private mutating func add(_ tag: Keyspace.Tag, cutAt cuts: [Key]) {
        var rest = KeyRange(prefix: Key([tag.rawValue]))
        for cut in cuts.sorted() where rest.lower < cut && cut < rest.upper {
            all.append(KeyRange(lower: rest.lower, upper: cut))
            rest.lower = cut
        }
        all.append(rest)
    }
}
