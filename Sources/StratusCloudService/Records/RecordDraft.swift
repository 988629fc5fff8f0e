import StratusCloudModel

/// What a save makes of a record, complete but for its version.
///
/// A class, because a structure of this size costs a dozen counted references wherever it is passed on.
final class RecordDraft: Sendable {
    let record: StoredRecord
    /// Its stored form, the same at every version.
    let bytes: [UInt8]
    /// What it takes of its database's room.
    let usage: Usage
    /// What the schema must have for it.
    let addition: SchemaExtension
    let hasAssets: Bool
    let hasReferences: Bool
    /// What the indexes say of it; nil where that is not settled yet.
    let index: IndexMaintenance.Contents?

    init(
        record: StoredRecord, bytes: [UInt8], usage: Usage, addition: SchemaExtension, hasAssets: Bool,
        hasReferences: Bool, index: IndexMaintenance.Contents?
    ) {
        self.record = record
        self.bytes = bytes
        self.usage = usage
        self.addition = addition
        self.hasAssets = hasAssets
        self.hasReferences = hasReferences
        self.index = index
    }

    /// The record as it is saved.
    func record(version: UInt64) -> StoredRecord {
        var record = record
        record.version = version
        return record
    }
}

/// Makes records of what clients send.
///
/// A class for the same reason as ``RecordDraft``.
final class RecordDrafting: Sendable {
    /// Operations of a request from which on new records are made before the transaction.
    static let leastOperations = 16

    /// As answers name the zone.
    let zoneID: ZoneID
    let scope: DatabaseScope
    let caller: Caller
    let schema: Schema
    let now: Int64
    private let history: RestoredHistory

    init(
        zoneID: ZoneID, scope: DatabaseScope, caller: Caller, schema: Schema, now: Int64,
        history: RestoredHistory? = nil
    ) {
        self.zoneID = zoneID
        self.scope = scope
        self.caller = caller
        self.schema = schema
        self.now = now
        self.history = history ?? RestoredHistory(now: now)
    }

    /// The drafts of operations that make records, unless stored assets must be looked at; nil for all others. None at
    /// all for a few operations.
    ///
    /// A database's transactions run one after another. So what needs nothing of what is stored is done before, on the
    /// threads of the requests: in the default zone, whose number is known, even the keys of the indexes. Not for a few
    /// operations: a second thread that touches a record costs more processor time than the first one is spared.
    func draftsOfNewRecords(_ operations: [PreparedOperation]) -> [Result<RecordDraft, CloudError>?] {
        guard operations.count >= Self.leastOperations else { return [] }
        return operations.map { operation in
            guard operation.kind == .create, operation.refusal == nil, operation.claims.isEmpty else { return nil }
            return Result { () throws(CloudError) in
                try draft(operation, over: nil, nil, isIndexed: zoneID.isDefault)
            }
        }
    }

    /// The record after an operation.
    /// - Parameters:
    ///   - stored: The record that is saved over.
    ///   - intake: Looks after the assets that the operation brings; nil if it brings none.
    ///   - isIndexed: Whether the draft says what the indexes say; only for new records of the default zone.
    func draft(
        _ operation: PreparedOperation, over stored: StoredRecord?, _ intake: AssetIntake?,
        isIndexed: Bool = false
    ) throws(CloudError) -> RecordDraft {
        let input = operation.input
        let recordType = stored?.recordType ?? input.recordType ?? ""
        try ReservedZones.checkType(recordType, in: zoneID)
        let reserved = ReservedZones.kind(of: zoneID.zoneName)
        let merge = FieldMerge(
            scope: scope, extendsSchema: reserved == nil && extendsSchema(with: recordType), schema: schema,
            schemaName: reserved == nil ? "production schema" : "zone '\(zoneID.zoneName)'",
            mayGrantRoles: caller.isAdministrator)
        let kept = operation.kind.keepsOtherFields ? stored?.fields : nil
        let old = kept ?? FieldMap(capacity: input.fields.count)
        var (fields, addition) = try merge.merge(input, of: recordType, into: old)
        if let intake {
            for (name, value) in input.fields where value.value.bringsAssets {
                let known = stored.map { record in
                    // What participants do not see is nothing that they have.
                    let others = scope == .shared ? nil : reserved?.knownAssets(for: name, in: record)
                    return (record.fields[name]?.value.assets ?? []) + (others ?? [])
                }
                fields[name] = try intake.admit(
                    fields[name], named: name, of: operation.recordName, recordType, known: known ?? [])
            }
        }
        if let reserved { fields = try reserved.settled(fields, of: input, over: stored, now: now) }
        // A record's times grow with every save, whatever the clock does.
        let time = max(now, (stored?.modified.timestamp ?? .min) &+ (stored == nil ? 0 : 1))
        let stamp = RecordStamp(timestamp: stored == nil ? now : time, userRecordName: caller.authorRecordName)
        let restored = (input.history?.value).map(history.restored)
        var record = StoredRecord(
            recordName: operation.recordName, recordType: recordType, version: 0, fields: fields,
            created: restored?.created ?? stored?.created ?? stamp, modified: restored?.modified ?? stamp,
            parent: stored?.parent, share: stored?.share,
            shortGUID: stored?.shortGUID)
        if input.clearsParent { record.parent = nil }
        if let parent = input.parent { record.parent = parent }
        let hasReferences = record.hasReferences
        if hasReferences { try ReferenceShape(zoneID: zoneID, caller: caller).check(record) }
        record.parent?.zoneID = nil
        if input.createShortGUID, record.shortGUID == nil { record.shortGUID = operation.shortGUID }
        let bytes = record.stored
        let maximum = reserved?.recordSize ?? ModelLimits.recordSize
        let usage = record.usage(size: try checkedSize(of: record, bytes, maximum: maximum))
        var index: IndexMaintenance.Contents?
        if isIndexed, let indexed = schema.indexedFields(ofType: recordType) {
            index = try IndexMaintenance.contents(of: record, fields: indexed, zone: .default)
        }
        return RecordDraft(
            record: record, bytes: bytes, usage: usage, addition: addition, hasAssets: record.hasAssets,
            hasReferences: hasReferences, index: index)
    }

    /// Apps in production keep to the schema that was deployed; the keys of the people who use them are not the apps'.
    private func extendsSchema(with recordType: String) -> Bool {
        caller.context.environment == .development
            || scope == .private && recordType == SystemRecordType.encryptionKeys
    }

    private func checkedSize(
        of record: StoredRecord, _ bytes: [UInt8], maximum: Int
    ) throws(CloudError) -> Int {
        let size = record.size(storedSize: bytes.count)
        guard size <= maximum else {
            throw CloudError(
                .badRequest,
                "record '\(record.recordName)' has \(size) bytes, which is more than the maximum of "
                    + "\(maximum)")
        }
        return size
    }
}
