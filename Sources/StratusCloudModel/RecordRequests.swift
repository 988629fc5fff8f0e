/// One operation of a modify request.
public struct RecordOperation: Hashable, Sendable {
    /// What to do when the record is there, is not there, or is another version than the caller knows.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
    }

    /// What to do.
    public var kind: Kind
    /// The record, as far as the operation needs it.
    public var record: RecordInput
    /// Fields wanted back; nil means what the request says.
    public var desiredKeys: [String]?

    /// Makes an operation.
    public init(_ kind: Kind, _ record: RecordInput, desiredKeys: [String]? = nil) {
        self.kind = kind
        self.record = record
        self.desiredKeys = desiredKeys
    }
}

/// A record as a client sends it.
public struct RecordInput: Hashable, Sendable {
    @usableFromInline
    struct Parts: Sendable {
        @usableFromInline var recordName: String?
        @usableFromInline var recordType: String?
        @usableFromInline var recordChangeTag: String?
        @usableFromInline var fields: [(name: String, field: FieldInput)]
        @usableFromInline var parent: Reference?
        @usableFromInline var clearsParent: Bool
        @usableFromInline var createShortGUID: Bool
        @usableFromInline var share: Boxed<ShareInput>?
        @usableFromInline var history: Boxed<RecordHistory>?
    }

    @usableFromInline
    var parts: CopyOnWrite<Parts>

    /// Makes a record to be sent.
    public init(
        recordName: String? = nil, recordType: String? = nil, recordChangeTag: String? = nil,
        fields: [(name: String, field: FieldInput)] = [], parent: Reference? = nil, clearsParent: Bool = false,
        createShortGUID: Bool = false, share: Boxed<ShareInput>? = nil
    ) {
        parts = CopyOnWrite(
            Parts(
                recordName: recordName, recordType: recordType, recordChangeTag: recordChangeTag, fields: fields,
                parent: parent, clearsParent: clearsParent, createShortGUID: createShortGUID, share: share))
    }

    /// nil asks the service for a name, where the record is made.
    @inlinable
    public var recordName: String? {
        _read { yield parts.value.recordName }
        _modify { yield &parts.value.recordName }
    }

    /// Needed where the record may be made.
    @inlinable
    public var recordType: String? {
        _read { yield parts.value.recordType }
        _modify { yield &parts.value.recordType }
    }

    /// The version that the caller knows.
    @inlinable
    public var recordChangeTag: String? {
        _read { yield parts.value.recordChangeTag }
        _modify { yield &parts.value.recordChangeTag }
    }

    /// In the order the client sent them; a name appears once. ``InputValue/null`` clears a field.
    @inlinable
    public var fields: [(name: String, field: FieldInput)] {
        _read { yield parts.value.fields }
        _modify { yield &parts.value.fields }
    }

    /// The record above this one; nil leaves it as it is.
    @inlinable
    public var parent: Reference? {
        _read { yield parts.value.parent }
        _modify { yield &parts.value.parent }
    }

    /// The client sent `"parent": null`.
    @inlinable
    public var clearsParent: Bool {
        _read { yield parts.value.clearsParent }
        _modify { yield &parts.value.clearsParent }
    }

    /// Asks for a short GUID, which share links are made of.
    @inlinable
    public var createShortGUID: Bool {
        _read { yield parts.value.createShortGUID }
        _modify { yield &parts.value.createShortGUID }
    }

    /// Who made and changed the record and when, where that is restored. Only the operator may give it; nil for
    /// everybody else's saves.
    @inlinable
    public var history: Boxed<RecordHistory>? {
        _read { yield parts.value.history }
        _modify { yield &parts.value.history }
    }

    /// What the client says of a share record beside its fields.
    @inlinable
    public var share: Boxed<ShareInput>? {
        _read { yield parts.value.share }
        _modify { yield &parts.value.share }
    }

    /// Field by field, in order.
    public static func == (left: Self, right: Self) -> Bool {
        left.recordName == right.recordName && left.recordType == right.recordType
            && left.recordChangeTag == right.recordChangeTag && left.parent == right.parent
            && left.clearsParent == right.clearsParent && left.createShortGUID == right.createShortGUID
            && left.share == right.share && left.history == right.history
            && left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.field == $1.field }
    }

    /// Hashes what names the record.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(recordName)
        hasher.combine(recordType)
        hasher.combine(recordChangeTag)
    }
}

/// Who made and changed a record and when.
public struct RecordHistory: Hashable, Sendable {
    /// The first save.
    public var created: RecordStamp
    /// The latest one.
    public var modified: RecordStamp

    /// A history of its two ends.
    public init(created: RecordStamp, modified: RecordStamp) {
        self.created = created
        self.modified = modified
    }
}

/// `records/modify`.
public struct ModifyRecordsRequest: Hashable, Sendable {
    /// Done in this order; at most ``ModelLimits/operationsPerRequest``, one a record.
    public var operations: [RecordOperation]
    /// nil means the default zone.
    public var zoneID: ZoneID?
    /// nil where the client did not say: true in custom zones, which can, and false in the default zone, which cannot.
    public var atomic: Bool?
    /// Fields wanted back; nil means all.
    public var desiredKeys: [String]?
    /// Names the request among all of the caller's, so that it can be sent again without doing anything twice; nil for
    /// one that is not.
    public var requestID: String?
    /// With which keys the values were encrypted, of records whose device says so. Claims about other records mean nothing.
    public var encryptedFor: [EncryptionClaim]
    /// The client's own name for what it sends, which the zone's changes give back to it once it is done; at most
    /// ``ModelLimits/clientChangeTokenSize`` bytes. nil leaves the one that it gave before.
    public var clientChangeToken: [UInt8]?

    /// Makes a request.
    public init(
        operations: [RecordOperation], zoneID: ZoneID? = nil, atomic: Bool? = nil, desiredKeys: [String]? = nil,
        requestID: String? = nil, encryptedFor: [EncryptionClaim] = [], clientChangeToken: [UInt8]? = nil
    ) {
        self.clientChangeToken = clientChangeToken
        self.encryptedFor = encryptedFor
        self.requestID = requestID
        self.operations = operations
        self.zoneID = zoneID
        self.atomic = atomic
        self.desiredKeys = desiredKeys
    }
}

/// What became of one record operation.
public enum RecordResult: Hashable, Sendable {
    case saved(Record)
    case deleted(recordName: String, zoneID: ZoneID)
    /// For lookups too. The name is nil only where the operation named none and none was made.
    case failed(recordName: String?, CloudError)
}

/// `records/lookup`.
public struct LookupRecordsRequest: Hashable, Sendable {
    /// One wanted record.
    public struct Item: Hashable, Sendable {
        /// Name of the record.
        public var recordName: String
        /// nil means what the request says.
        public var desiredKeys: [String]?

        /// Makes an item.
        public init(recordName: String, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.desiredKeys = desiredKeys
        }
    }

    /// At most ``ModelLimits/operationsPerRequest``.
    public var items: [Item]
    /// nil means the default zone.
    public var zoneID: ZoneID?
    /// Fields wanted back; nil means all.
    public var desiredKeys: [String]?

    /// Makes a request.
    public init(items: [Item], zoneID: ZoneID? = nil, desiredKeys: [String]? = nil) {
        self.items = items
        self.zoneID = zoneID
        self.desiredKeys = desiredKeys
    }
}
