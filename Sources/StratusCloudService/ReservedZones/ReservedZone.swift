import StratusCloudModel
import StratusCloudStore

/// A kind of zones of private databases that the service knows itself.
///
/// Such a zone appears with the first record that is saved to it. Its record types are fixed in code, exist in both
/// environments, and are not part of the developer's schema. Clients use its records with ordinary requests, but can
/// neither create, delete nor share the zone as a whole, and every modification has to follow the rules of ``refusals(of:)``.
protocol ReservedZone: Sendable {
    /// The most zones of the kind in one database.
    static var zonesPerDatabase: Int { get }
    /// The types of all its records. No other zone has records of these types.
    static var recordTypes: [RecordTypeSchema] { get }
    /// Bytes of one of its records without assets.
    static var recordSize: Int { get }
    /// Records that may refer to one of its records with `DELETE_SELF`.
    static var deleteSelfSources: Int { get }
    /// The hierarchy in which its records can be shared; nil if they cannot be.
    static var hierarchy: (any RecordHierarchy.Type)? { get }

    /// Whether a zone of this name is of the kind.
    static func owns(_ zoneName: String) -> Bool

    /// The modifications of a batch that break a rule, by the index of their operation.
    ///
    /// Runs in the transaction of the batch, after types, permissions, change tags, and quotas were checked and before
    /// anything is written. It may read, and must depend on nothing but the batch.
    static func refusals(of batch: ReservedZoneBatch) throws -> [Int: CloudError]

    /// The fields of a record that is saved, with those set that are the server's.
    /// - Parameters:
    ///   - fields: As the operation and the stored record have them together.
    ///   - input: What the client sent.
    /// - Throws: why the record cannot be saved, whatever else is stored.
    static func settled(
        _ fields: FieldMap, of input: RecordInput, over stored: StoredRecord?, now: Int64
    ) throws(CloudError) -> FieldMap

    /// Assets that a save may put into a field without a receipt, beside those that are in it.
    static func knownAssets(for field: String, in stored: StoredRecord) -> [Asset]

    /// The kinds of keys that the zone keeps of its records beside those that every zone has.
    static var entryTags: [Keyspace.Tag] { get }

    /// The entries of those kinds that must exist because of a record.
    static func entries(of record: StoredRecord, in zone: ZoneNumber) throws -> [StoreEntry]

    /// The name of the record that such an entry belongs to; nil for an entry that cannot be read.
    static func recordName(of tag: Keyspace.Tag, _ key: Key, _ value: [UInt8]) -> String?

    /// Follows each record that is written, however it came to be, in the transaction that writes it. Nil is no record.
    static func wrote(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws
}

extension ReservedZone {
    static var recordSize: Int { ModelLimits.recordSize }
    static var deleteSelfSources: Int { ReferenceLimits.deleteSelfSources }
    static var hierarchy: (any RecordHierarchy.Type)? { nil }

    /// Whether its records may have assets.
    static var hasAssets: Bool {
        recordTypes.contains { $0.fields.values.contains { $0.type.scalar == .asset } }
    }

    static func settled(
        _ fields: FieldMap, of input: RecordInput, over stored: StoredRecord?, now: Int64
    ) throws(CloudError) -> FieldMap { fields }

    static func knownAssets(for field: String, in stored: StoredRecord) -> [Asset] { [] }

    static var entryTags: [Keyspace.Tag] { [] }

    static func entries(of record: StoredRecord, in zone: ZoneNumber) throws -> [StoreEntry] { [] }

    static func recordName(of tag: Keyspace.Tag, _ key: Key, _ value: [UInt8]) -> String? { nil }

    static func wrote(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {}
}

/// All kinds of reserved zones.
enum ReservedZones {
    /// A new kind is added here.
    static let kinds: [any ReservedZone.Type] = [
        KeyValueStoreZone.self, FilesZone.self, PublicationsZone.self,
    ]

    /// Zones of all kinds in one database, at most.
    static let zonesPerDatabase = kinds.reduce(0) { $0 + $1.zonesPerDatabase }

    /// By name.
    static let recordTypes = Dictionary(uniqueKeysWithValues: kinds.flatMap { $0.recordTypes }.map { ($0.name, $0) })

    /// The kind of a zone; nil for zones that apps make.
    static func kind(of zoneName: String) -> (any ReservedZone.Type)? {
        guard Names.isReserved(zoneName) else { return nil }
        return kinds.first { $0.owns(zoneName) }
    }

    /// Numbers for the indexes of reserved record types, apart from those that schemas hand out.
    static func indexNumber(_ number: UInt32) -> IndexNumber { IndexNumber(rawValue: 1 << 40 + UInt64(number)) }

    /// - Throws: `badRequest` for a record whose type does not belong in the zone.
    static func checkType(_ recordType: String, in zoneID: ZoneID) throws(CloudError) {
        guard let kind = kind(of: zoneID.zoneName) else {
            guard recordTypes[recordType] == nil else {
                throw CloudError(
                    .badRequest, "record type '\(recordType)' is reserved, and not for zone '\(zoneID.zoneName)'")
            }
            return
        }
        guard kind.recordTypes.contains(where: { $0.name == recordType }) else {
            let types = kind.recordTypes.map { "'\($0.name)'" }.joined(separator: ", ")
            throw CloudError(
                .badRequest, "zone '\(zoneID.zoneName)' has records of type \(types) only, not '\(recordType)'")
        }
    }
}
