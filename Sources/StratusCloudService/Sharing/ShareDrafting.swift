import StratusCloudModel
import StratusCloudStore

extension RecordDrafting {
    /// A share record after an operation.
    func shareDraft(
        _ operation: PreparedOperation, over stored: StoredRecord?, shortGUID: String?
    ) throws(CloudError) -> RecordDraft {
        let kept = operation.kind.keepsOtherFields ? stored?.fields : nil
        guard operation.input.parent == nil else {
            throw CloudError(.badRequest, "a share has no parent: record '\(operation.recordName)'")
        }
        let fields = try ShareFields.merge(operation.input, into: kept ?? FieldMap())
        let stamp = RecordStamp(
            timestamp: max(now, (stored?.modified.timestamp ?? .min) &+ (stored == nil ? 0 : 1)),
            userRecordName: caller.authorRecordName)
        let record = StoredRecord(
            recordName: operation.recordName, recordType: SystemRecordType.share, version: 0, fields: fields,
            created: stored?.created ?? stamp, modified: stamp, shortGUID: stored?.shortGUID ?? shortGUID)
        return try RecordDraft(whole: record)
    }
}

extension RecordDraft {
    /// A record that is complete.
    convenience init(whole record: StoredRecord) throws(CloudError) {
        let bytes = record.stored
        let size = record.size(storedSize: bytes.count)
        guard size <= ModelLimits.recordSize else {
            throw CloudError(
                .badRequest,
                "record '\(record.recordName)' has \(size) bytes, which is more than the maximum of "
                    + "\(ModelLimits.recordSize)")
        }
        self.init(
            record: record, bytes: bytes, usage: record.usage(size: size), addition: SchemaExtension(),
            hasAssets: record.hasAssets, hasReferences: record.hasReferences, index: nil)
    }

    /// The same record as the root of a share.
    func sharing(_ share: StoredShare) -> RecordDraft {
        var shared = record
        shared.share(share)
        let bytes = shared.stored
        return RecordDraft(
            record: shared, bytes: bytes, usage: shared.usage(size: shared.size(storedSize: bytes.count)),
            addition: addition, hasAssets: hasAssets, hasReferences: hasReferences, index: index)
    }
}

extension StoredRecord {
    /// Makes it the root of a share.
    mutating func share(_ stored: StoredShare) {
        share = Reference(recordName: stored.recordName)
        shortGUID = stored.shortGUID
    }
}

extension RecordWriter {
    /// Saves a record that stays as it is, so that feeds tell it once more.
    func touch(
        _ record: StoredRecord, by caller: Caller, at now: Int64, in header: inout ZoneHeader,
        _ transaction: any WriteTransaction
    ) throws {
        try update(record.recordName, by: caller, at: now, in: &header, transaction) { _ in }
    }

    /// Saves a stored record with something about it changed that clients do not write.
    func update(
        _ name: String, by caller: Caller, at now: Int64, in header: inout ZoneHeader,
        _ transaction: any WriteTransaction, _ change: (inout StoredRecord) -> Void
    ) throws {
        guard let stored = try transaction.record(named: name, in: header.number) else { return }
        var record = stored
        change(&record)
        record.modified = RecordStamp(
            timestamp: max(now, stored.modified.timestamp &+ 1), userRecordName: caller.authorRecordName)
        header.version += 1
        record.version = header.version
        try save(
            RecordDraft(whole: record), as: record, over: .live(stored), stored, in: header.number, transaction)
    }
}
