import StratusCloudModel
import StratusCloudStore

/// Who has what of a schema.
extension CloudService {
    /// All databases of a context.
    func databases(of context: CloudContext) async throws(CloudError) -> [Partition] {
        do {
            // What was begun before is done then.
            try await store.write(.context(context)) { _ in }
            return try await store.partitions().filter { $0.databaseContext == context }.sorted { $0.name < $1.name }
        } catch {
            throw cloudError(from: error)
        }
    }

    /// Does something while it is certain that no record is of these types or has these fields.
    /// - Throws: `conflict` naming what some record has; what `body` throws.
    func withNobodyHaving<Result: Sendable>(
        _ parts: SchemaParts, in context: CloudContext, _ body: () async throws(CloudError) -> Result
    ) async throws(CloudError) -> Result {
        guard !parts.isEmpty else { return try await body() }
        let ticket: UInt64
        do {
            ticket = try await schemas.freeze(parts, in: context)
        } catch {
            throw cloudError(from: error)
        }
        defer { schemas.thaw(ticket, in: context) }
        for database in try await databases(of: context) {
            // What was begun with the schema of before is done then.
            try await writing(database) { _ in }
            try await check(parts, in: database)
        }
        return try await body()
    }

    private func check(_ parts: SchemaParts, in database: Partition) async throws(CloudError) {
        let zones = try await reading(database) { try Self.allZones(in: $0).map(\.header.number) }
        for type in parts.recordTypes.sorted() {
            for zone in zones {
                let scan = TypeScan(recordType: type, zone: zone)
                let isUsed = try await reading(database) { try !scan.page(from: nil, limit: 1, in: $0).records.isEmpty }
                if isUsed {
                    throw CloudError(
                        .conflict,
                        "there are records of type '\(type)': delete them first, or reset the development environment")
                }
            }
        }
        for (type, names) in parts.fields.sorted(by: { $0.key < $1.key }) {
            for zone in zones { try await check(names, of: TypeScan(recordType: type, zone: zone), in: database) }
        }
    }

    private func check(
        _ names: Set<String>, of scan: TypeScan, in database: Partition
    ) async throws(CloudError) {
        var next: Key?
        repeat {
            let from = next
            let page = try await reading(database) {
                try scan.page(from: from, limit: ServiceLimits.indexedRecordsPerStep, in: $0)
            }
            for record in page.records {
                guard let name = names.sorted().first(where: { record.fields[$0] != nil }) else { continue }
                throw CloudError(
                    .conflict,
                    "there are records with a value in field '\(name)' of record type '\(scan.recordType)': the field "
                        + "cannot be removed, and its type cannot change")
            }
            next = page.next
        } while next != nil
    }

    /// Counts the records of a type in all databases, in bounded steps. It ends early, with a number that is none, when
    /// the task is cancelled.
    func countRecords(
        of type: String, in context: CloudContext, _ pace: IndexBuildPace = .full
    ) async throws(CloudError) -> Int {
        var count = 0
        for database in try await databases(of: context) {
            for zone in try await reading(database, { try Self.allZones(in: $0).map(\.header.number) }) {
                let scan = TypeScan(recordType: type, zone: zone)
                var next: Key?
                repeat {
                    let from = next
                    let begun = ContinuousClock.now
                    let step = try await reading(database) {
                        try scan.count(from: from, limit: ServiceLimits.countedRecordsPerStep, in: $0)
                    }
                    count += step.count
                    next = step.next
                    if next != nil { await pace.rest(after: begun.duration(to: .now)) }
                } while next != nil && !Task.isCancelled
            }
        }
        return count
    }
}

/// Goes over the records of a type in a zone, whatever indexes its fields have.
struct TypeScan: Sendable {
    let recordType: String
    let zone: ZoneNumber

    /// Records of users are made without entries in the index of types; their names are the system's.
    private var isOfUsers: Bool { recordType == SystemRecordType.users }

    private func rest(from: Key?) -> KeyRange {
        let range = KeyRange(prefix: isOfUsers ? Keyspace.record(zone: zone, name: "_") : prefix)
        return KeyRange(lower: from ?? range.lower, upper: range.upper)
    }

    /// What stands before the names of records.
    private var prefix: Key {
        isOfUsers ? Keyspace.prefix(.record, zone: zone).key : TypeIndex.prefix(zone: zone, type: recordType).key
    }

    /// Where to go on with a record.
    func start(at recordName: String) -> Key { Key(prefix.bytes + Array(recordName.utf8)) }

    /// How many of the next there are, without reading them, and where to go on; nil at the end.
    func count(
        from: Key?, limit: Int, in transaction: any ReadTransaction
    ) throws -> (count: Int, next: Key?) {
        let entries = try transaction.entries(in: rest(from: from), limit: limit)
        return (entries.count, entries.count == limit ? entries.last?.key.next : nil)
    }

    /// - Parameter from: Where to go on; nil at the beginning.
    /// - Returns: some records, and where to go on; nil at the end.
    func page(
        from: Key?, limit: Int, in transaction: any ReadTransaction
    ) throws -> (records: [StoredRecord], next: Key?) {
        let entries = try transaction.entries(in: rest(from: from), limit: limit)
        let names = entries.map { String(decoding: $0.key.bytes.dropFirst(prefix.bytes.count), as: UTF8.self) }
        let records = try transaction.recordRows(names, in: zone).compactMap { try $0?.record() }
        return (
            records.filter { $0.recordType == recordType }, entries.count == limit ? entries.last?.key.next : nil
        )
    }
}
