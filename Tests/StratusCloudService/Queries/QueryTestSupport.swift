import Foundation
import StratusCloudModel
import StratusCloudStore
import StratusWorkers

@testable import StratusCloudService

/// The engines that queries run on.
enum TestEngine: String, CaseIterable, Sendable {
    case memory, sqlite, leveldb

    /// Runs `body` with an empty store and removes it.
    func withStore<Result>(_ body: (any CloudStore) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "queries-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store: any CloudStore =
            switch self {
            case .memory: MemoryStore()
            case .sqlite: try SQLiteStore(directory: directory.path)
            case .leveldb: try LevelDBStore(directory: directory.path)
            }
        let result = try await body(store)
        await store.close()
        return result
    }
}

/// A type with a field of every type, all indexed as development does.
enum TestSchema {
    static let indexed = IndexedFields(type.indexedFields)
    static let type: RecordTypeSchema = {
        var type = RecordTypeSchema(name: "Thing")
        var number: UInt64 = 1
        func add(_ name: String, _ scalar: ScalarType, isList: Bool = false) {
            let fieldType = FieldType(scalar, isList: isList)
            let index = FieldIndex(kinds: FieldIndex.allKinds(for: fieldType), number: IndexNumber(rawValue: number))
            type.fields[name] = FieldSchema(name: name, type: fieldType, index: index.kinds.isEmpty ? nil : index)
            number += 1
        }
        add("text", .string)
        add("integer", .int64)
        add("fraction", .double)
        add("moment", .timestamp)
        add("place", .location)
        add("link", .reference)
        add("data", .bytes)
        add("file", .asset)
        add("texts", .string, isList: true)
        add("integers", .int64, isList: true)
        add("links", .reference, isList: true)
        add("datas", .bytes, isList: true)
        type.fields["secret"] = FieldSchema(
            name: "secret", type: FieldType(.string, isEncrypted: true), index: nil)
        type.fields["plain"] = FieldSchema(name: "plain", type: FieldType(.string), index: nil)
        for field in SystemField.allCases {
            let index = IndexNumber(rawValue: number)
            type.systemFields[field] = FieldIndex(kinds: [.queryable, .sortable], number: index)
            number += 1
        }
        return type
    }()

    static let zones = [
        QueryZone(number: .default, id: .default),
        QueryZone(number: ZoneNumber(rawValue: 16), id: ZoneID(zoneName: "Notes")),
        QueryZone(number: ZoneNumber(rawValue: 300), id: ZoneID(zoneName: "Tasks")),
    ]

    static let partition = Partition("test")

    private static let versions = Lock<UInt64>(0)

    /// A version that no record had before.
    static func nextVersion() -> UInt64 {
        versions.withLock { version in
            version += 1
            return version
        }
    }

    static func record(_ name: String, _ fields: FieldMap = [:], created: Int64 = 0) -> StoredRecord {
        StoredRecord(
            recordName: name, recordType: type.name, version: nextVersion(), fields: fields,
            created: RecordStamp(timestamp: created, userRecordName: "_a"),
            modified: RecordStamp(timestamp: created, userRecordName: "_b"))
    }
}

extension CloudStore {
    func save(_ records: [StoredRecord], zone: ZoneNumber = .default) async throws {
        try await write(TestSchema.partition) { transaction in
            for record in records {
                let old = try transaction.record(named: record.recordName, in: zone)
                if let old { transaction.clear(Keyspace.version(zone: zone, old.version)) }
                try IndexMaintenance.update(
                    from: old, to: record, fields: TestSchema.indexed, zone: zone, in: transaction)
                transaction.setRecord(record, stored: record.stored, in: zone)
            }
        }
    }

    func remove(_ record: StoredRecord, zone: ZoneNumber = .default) async throws {
        try await write(TestSchema.partition) { transaction in
            try IndexMaintenance.update(from: record, to: nil, fields: TestSchema.indexed, zone: zone, in: transaction)
            transaction.clear(Keyspace.version(zone: zone, record.version))
            transaction.clear(Keyspace.record(zone: zone, name: record.recordName))
        }
    }

    func page(
        _ query: Query, zones: [QueryZone] = [TestSchema.zones[0]], limit: Int = 200, resume: QueryPosition? = nil,
        work: QueryWork = QueryWork()
    ) async throws -> QueryOutcome {
        let resolved = try QueryResolution.resolve(query, in: TestSchema.type)
        let input = QueryInput(query: resolved, zones: zones, limit: limit, resume: resume, work: work)
        return try await read(TestSchema.partition) { try QueryExecutor.run(input, in: $0) }
    }

    /// The names of all records that satisfy a query, page by page.
    func names(
        _ query: Query, zones: [QueryZone] = [TestSchema.zones[0]], limit: Int = 200
    ) async throws -> [String] {
        var names: [String] = []
        var resume: QueryPosition?
        repeat {
            let outcome = try await page(query, zones: zones, limit: limit, resume: resume)
            names += outcome.records.map(\.record.stored.recordName)
            resume = outcome.position
        } while resume != nil
        return names
    }
}

extension Filter {
    /// A condition on a named field.
    init(_ comparator: StratusCloudModel.Comparator, _ name: String, _ value: InputValue, distance: Double? = nil) {
        self.init(comparator, .named(name), FieldInput(value), distance: distance)
    }
}
