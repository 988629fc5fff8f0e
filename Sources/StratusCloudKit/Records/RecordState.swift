import Foundation

/// What changes in a record.
struct RecordState: Sendable {
    /// What the server says about a record beside its values.
    struct Server: Sendable {
        var changeTag: String?
        var creationDate: Date?
        var creator: CKRecord.ID?
        var modificationDate: Date?
        var modifier: CKRecord.ID?
        /// Name of the device that saved it last.
        var device: String?
    }

    var server = Server()
    var plain = RecordFields()
    var encrypted = RecordFields()
    var parent: CKRecord.Reference?
    var isParentChanged = false
    var share: CKRecord.Reference?
    /// What a share says beside its fields; nil for all other records.
    var sharing: ShareState?
    /// The plain and the encrypted values as they were fetched or saved last: the ancestor in a conflict.
    var base: (plain: [String: RecordValue], encrypted: [String: RecordValue]) = ([:], [:])

    /// Whether the server has the record, as far as is known here.
    var isKnown: Bool { server.changeTag != nil }
}

extension RecordState {
    /// The fields of one of the two name spaces.
    subscript(isEncrypted isEncrypted: Bool) -> RecordFields {
        get { isEncrypted ? encrypted : plain }
        set { if isEncrypted { encrypted = newValue } else { plain = newValue } }
    }

    /// Whether there is something to save.
    var isChanged: Bool {
        !plain.changes.isEmpty || !encrypted.changes.isEmpty || isParentChanged || sharing?.isChanged ?? false
    }
}
