import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// The zone of an account's published files. See ``PublicationFormat``.
///
/// A publication is a record with the content as an asset. So the content stays when the file is changed or deleted, it
/// counts to the quota, and whatever deletes the account's data ends the publication.
enum PublicationsZone: ReservedZone {
    static let zonesPerDatabase = 1

    static let recordTypes = [
        RecordTypeSchema(
            name: PublicationFormat.recordType,
            fields: Dictionary(
                uniqueKeysWithValues: [
                    (PublicationFormat.name, ScalarType.string), (PublicationFormat.file, .string),
                    (PublicationFormat.content, .asset), (PublicationFormat.expires, .timestamp),
                    (PublicationFormat.secretHash, .bytes),
                ].map { ($0.0, FieldSchema(name: $0.0, type: FieldType($0.1))) }),
            systemFields: [.recordName: FieldIndex(kinds: .queryable, number: ReservedZones.indexNumber(110))])
    ]

    static let recordSize = 8_192

    static func owns(_ zoneName: String) -> Bool { zoneName == PublicationFormat.zoneName }

    static func settled(
        _ fields: FieldMap, of input: RecordInput, over stored: StoredRecord?, now: Int64
    ) throws(CloudError) -> FieldMap {
        guard let name = fields.string(PublicationFormat.name) else { throw missing(PublicationFormat.name) }
        try FileName.check(name)
        guard let file = fields.string(PublicationFormat.file) else { throw missing(PublicationFormat.file) }
        try Names.checkRecordName(file)
        guard case .scalar(.bytes(let hash))? = fields[PublicationFormat.secretHash]?.value,
            hash.count == SHA256.digestLength
        else { throw missing(PublicationFormat.secretHash) }
        guard let expires = fields.time(PublicationFormat.expires) else { throw missing(PublicationFormat.expires) }
        // An import brings what was published elsewhere, which may have ended.
        guard input.history == nil || expires > now + FileLimits.longestPublication else { return fields }
        guard (now + FileLimits.shortestPublication...now + FileLimits.longestPublication).contains(expires) else {
            throw CloudError(
                .badRequest,
                "a file is published for \(FileLimits.shortestPublication / 1_000) to "
                    + "\(FileLimits.longestPublication / 1_000) seconds")
        }
        return fields
    }

    private static func missing(_ field: String) -> CloudError {
        CloudError(
            .badRequest, "field '\(field)' in record '\(PublicationFormat.recordType)' is missing, or has another form")
    }

    static func refusals(of batch: ReservedZoneBatch) throws -> [Int: CloudError] {
        var refusals: [Int: CloudError] = [:]
        var count: Int?
        // What is deleted makes room first.
        for change in batch.changes.sorted(by: { $0.after == nil && $1.after != nil }) {
            if change.before != nil, change.after != nil {
                guard change.isImported else {
                    refusals[change.index] = CloudError(
                        .badRequest, "record '\(change.recordName)': a publication ends, but never changes")
                    continue
                }
            } else {
                let stored = try count ?? batch.records(limit: FileLimits.publicationsPerAccount).count
                count = stored + (change.after == nil ? -1 : 1)
                guard change.after == nil || stored < FileLimits.publicationsPerAccount else {
                    refusals[change.index] = CloudError(
                        .badRequest,
                        "the account has \(FileLimits.publicationsPerAccount) publications, which is the maximum")
                    count = stored
                    continue
                }
            }
        }
        return refusals
    }

    static let entryTags: [Keyspace.Tag] = [.fileDue]

    static func entries(of record: StoredRecord, in zone: ZoneNumber) throws -> [StoreEntry] {
        FileIndex.dueEntries(of: record, in: zone)
    }

    static func recordName(of tag: Keyspace.Tag, _ key: Key, _ value: [UInt8]) -> String? {
        Keyspace.fileDueRecordName(key)
    }

    static func wrote(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        FileIndex.updateDue(from: old, to: new, in: zone, transaction)
    }
}
