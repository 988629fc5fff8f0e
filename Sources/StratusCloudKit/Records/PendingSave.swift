import Foundation
import StratusCloudModel

/// A record on its way to the server: what it was when the save began.
struct PendingSave: Sendable {
    let record: CKRecord
    /// What is sent: the changed keys, or all of them. A key without a value is cleared.
    let fields: [(key: String, isEncrypted: Bool, value: RecordValue?)]
    private let state: RecordState
    private let marks: (plain: UInt64, encrypted: UInt64)
    private let policy: CKModifyRecordsOperation.RecordSavePolicy
    /// Of a share: who takes part, as it is sent.
    private let sharing: ShareState.Content?

    init(_ record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy) {
        self.record = record
        self.policy = policy
        state = record.state.withLock { $0 }
        marks = (state.plain.mark, state.encrypted.mark)
        sharing = state.sharing?.content
        fields = Self.fields(state, policy)
    }

    var recordID: CKRecord.ID { record.recordID }

    /// Whether there is something to encrypt.
    var hasEncryptedValues: Bool { fields.contains { $0.isEncrypted && $0.value != nil } }

    /// Whether it is a share that the server does not know.
    var isNewShare: Bool { state.sharing != nil && !state.isKnown }

    /// Whether a record that was saved before comes under another one, with all that is below it.
    var isMove: Bool { state.isKnown && state.isParentChanged }

    /// As what it is encrypted.
    var sealingSubject: SealingSubject {
        SealingSubject(
            recordName: recordID.recordName, parent: state.parent?.recordID.recordName,
            share: state.share?.recordID.recordName)
    }

    private static func fields(
        _ state: RecordState, _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> [(key: String, isEncrypted: Bool, value: RecordValue?)] {
        [false, true].flatMap { isEncrypted -> [(key: String, isEncrypted: Bool, value: RecordValue?)] in
            let fields = state[isEncrypted: isEncrypted]
            // A record that moves may come into a share, or leave one, and have another key.
            let isWhole = policy == .allKeys || !state.isKnown || isEncrypted && state.isParentChanged
            let keys = Set(fields.changes.keys).union(isWhole ? Set(fields.values.keys) : [])
            return keys.sorted().map { (key: $0, isEncrypted: isEncrypted, value: fields.values[$0]) }
        }
    }

    /// Assets whose bytes must be sent first.
    var newAssets: [(key: String, asset: CKAsset)] {
        fields.flatMap { field -> [(key: String, asset: CKAsset)] in
            let objects = (field.value?.object as? NSArray)?.map { $0 } ?? [field.value?.object as Any]
            return objects.compactMap { object -> (key: String, asset: CKAsset)? in
                guard let asset = object as? CKAsset, storedAsset(asset, field.key) == nil else { return nil }
                return (key: field.key, asset: asset)
            }
        }
    }

    /// An asset whose bytes stand in this field of this record already.
    private func storedAsset(_ asset: CKAsset, _ key: String) -> Asset? {
        guard let stored = asset.stored, stored.recordID == recordID, stored.fieldKey == key else { return nil }
        return stored.asset
    }

    /// Bytes of the values, about as they are sent.
    var size: Int {
        fields.reduce(0) { sum, field in
            let overhead = field.isEncrypted ? SealedValue.overhead + PlainValue.block : 0
            return sum + field.key.utf8.count + overhead + (field.value?.size ?? 0)
        }
    }

    /// The operation to send.
    /// - Parameters:
    ///   - uploads: what the new assets became.
    ///   - sealer: encrypts; nil where there is nothing to encrypt.
    func operation(
        _ uploads: [ObjectIdentifier: Asset], _ sealer: RecordSealer?, _ names: IdentityNames
    ) throws -> RecordOperation {
        var input = RecordInput(recordName: recordID.recordName, recordType: record.recordType)
        if let key = keyInBothSpaces {
            throw NSError.cloudKit(
                .invalidArguments, "The field '\(key)' is set both in plain form and among the encrypted values.")
        }
        for field in fields {
            var encoding = FieldEncoding(field: field.key, zoneID: recordID.zoneID, names: names)
            encoding.asset = { uploads[ObjectIdentifier($0)] ?? storedAsset($0, field.key) }
            let value = field.isEncrypted ? try sealed(field, encoding, sealer) : try encoding.input(field.value)
            input.fields.append((field.key, value))
        }
        if state.isParentChanged || (policy == .allKeys && state.parent != nil) {
            input.parent = state.parent.map {
                Reference(
                    recordName: $0.recordID.recordName,
                    zoneID: $0.recordID.zoneID == recordID.zoneID ? nil : names.zoneID($0.recordID.zoneID))
            }
            input.clearsParent = state.parent == nil
        }
        if let share = state.sharing, let sharing {
            input.share = try ShareEncoding(recordID: recordID, names: names).input(share, sharing).map { Boxed($0) }
        }
        let kind: RecordOperation.Kind
        // Shares are never overwritten.
        if policy == .ifServerRecordUnchanged || state.sharing != nil {
            kind = state.isKnown ? .update : .create
            input.recordChangeTag = state.server.changeTag
        } else {
            kind = .forceUpdate
        }
        // Nothing but the system fields is wanted back: the values are here.
        return RecordOperation(kind, input, desiredKeys: [])
    }

    /// To the server both would be one field.
    private var keyInBothSpaces: String? {
        var seen: Set<String> = []
        return fields.first { !seen.insert($0.key).inserted }?.key
    }

    /// A value that nobody but the person's devices can read; never the plain one.
    private func sealed(
        _ field: (key: String, isEncrypted: Bool, value: RecordValue?), _ encoding: FieldEncoding,
        _ sealer: RecordSealer?
    ) throws -> FieldInput {
        guard let value = field.value else { return FieldInput(.null, isEncrypted: true) }
        guard let sealed = sealer?.input(try encoding.plain(value), field: field.key, of: record) else {
            throw NSError.keysAreElsewhere
        }
        return sealed
    }

    /// Takes over what the server says about the saved record. What was changed meanwhile stays to be saved.
    func acknowledge(_ saved: Record, _ uploads: [ObjectIdentifier: Asset], _ names: IdentityNames) {
        for (key, asset) in newAssets {
            guard let sent = uploads[ObjectIdentifier(asset)] else { continue }
            asset.stored = CKAsset.Stored(asset: sent.withoutAddress, recordID: recordID, fieldKey: key)
        }
        let fresh = RecordDecoding(names: names).systemState(saved, recordID)
        record.state.withLock { current in
            current.server = fresh.server
            current.share = fresh.share
            if let sharing, let fresh = fresh.sharing { current.sharing?.acknowledge(fresh, sent: sharing) }
            current.plain.acknowledge(upTo: marks.plain)
            current.encrypted.acknowledge(upTo: marks.encrypted)
            if current.parent == state.parent {
                current.parent = fresh.parent
                current.isParentChanged = false
            }
            current.base = (state.plain.values, state.encrypted.values)
        }
    }

    /// What the three records of a conflict are.
    /// - Throws: if the server's cannot be opened.
    func conflict(_ serverRecord: Record?, _ decoding: RecordDecoding) throws -> [String: Any] {
        var userInfo: [String: Any] = [CKRecordChangedErrorClientRecordKey: record.copy()]
        if let serverRecord {
            userInfo[CKRecordChangedErrorServerRecordKey] = try decoding.record(serverRecord, as: recordID)
        }
        var ancestor = RecordState()
        ancestor.server = state.server
        ancestor.plain = RecordFields(fetched: state.base.plain)
        ancestor.encrypted = RecordFields(fetched: state.base.encrypted)
        ancestor.share = state.share
        ancestor.sharing = state.sharing?.ancestor
        userInfo[CKRecordChangedErrorAncestorRecordKey] = CKRecord.make(record.recordType, recordID, ancestor)
        return userInfo
    }
}

extension RecordValue {
    /// Bytes, about as they are sent; assets count for nothing.
    fileprivate var size: Int {
        switch object {
        case let text as NSString: text.lengthOfBytes(using: String.Encoding.utf8.rawValue)
        case let data as NSData: data.length
        case let list as NSArray: list.reduce(0) { $0 + (RecordValue($1)?.size ?? 0) }
        case is CKAsset: 0
        case let reference as CKRecordReference: reference.recordID.recordName.utf8.count
        default: 8
        }
    }
}
