import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

extension RecordOperation {
    /// Saves a record, whatever is there, whose field `to` refers to records with an action.
    static func link(
        _ name: String, _ action: Reference.Action = .deleteSelf, to targets: [String] = [], parent: String? = nil
    ) -> RecordOperation {
        let references = targets.map { ScalarValue.reference(Reference(recordName: $0, action: action)) }
        return RecordOperation(
            .forceReplace,
            RecordInput(
                recordName: name, recordType: "Link",
                fields: [("to", FieldInput(Field(.list(of: .reference, elements: references))))],
                parent: parent.map { Reference(recordName: $0) }, clearsParent: parent == nil))
    }

    static func remove(_ name: String) -> RecordOperation { .make(.forceDelete, name, type: nil) }
}

extension TestCloud {
    /// The partition of the private database that tests use.
    func home() throws -> Partition {
        Partition.privateDatabase(of: try #require(user().userRecordName), in: context)
    }

    /// Codes of what was refused, nil for what was done.
    func codes(
        _ operations: [RecordOperation], zone: String? = "Z", atomic: Bool? = nil
    ) async throws -> [CloudError.Code?] {
        try await modify(operations, zone: zone, atomic: atomic).map { $0.error?.code }
    }

    /// Those of the names of which there is a record.
    func present(_ names: [String], zone: String? = "Z") async throws -> Set<String> {
        var found: Set<String> = []
        for start in stride(from: 0, to: names.count, by: 200) {
            let results = try await lookup(Array(names[start..<min(start + 200, names.count)]), zone: zone)
            found.formUnion(results.compactMap(\.saved?.recordName))
        }
        return found
    }

    /// Checks that a zone's entries and counts of references are those that its records have.
    func expectSoundReferences(zone: String?, _ comment: Comment) async throws {
        let name = zone ?? ZoneID.defaultZoneName
        let (found, wanted) = try await store.read(try home()) { transaction in
            let number = try #require(try ZoneHeader.find(name, in: transaction)?.number)
            func entries(_ tag: Keyspace.Tag) throws -> [StoreEntry] {
                let range = KeyRange(prefix: Keyspace.prefix(tag, zone: number).key)
                return try transaction.entries(in: range, limit: 1_000_000)
            }
            var found = Set(try entries(.referrer).map(\.key))
            for entry in try entries(.referrerCount) { found.insert(Key(entry.key.bytes + [0] + entry.value)) }
            found.formUnion(try entries(.cascade).map(\.key))
            var wanted: Set<Key> = []
            var counts: [String: ReferrerCount] = [:]
            for entry in try entries(.version) {
                let record = try StoredRecord(stored: entry.value, version: 0)
                let source = record.recordName
                for reference in record.actingReferences {
                    wanted.insert(
                        Keyspace.referrer(zone: number, target: reference.target, reference.kind, source: source))
                    if reference.kind.holdsTarget {
                        counts[reference.target, default: ReferrerCount()].holding += 1
                    } else {
                        counts[reference.target, default: ReferrerCount()].deleteSelf += 1
                    }
                }
            }
            for (target, count) in counts {
                wanted.insert(Key(Keyspace.referrerCount(zone: number, target: target).bytes + [0] + count.stored))
            }
            return (found, wanted)
        }
        #expect(found == wanted, comment)
    }
}
