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
    /// nil asks the service for a name, where the record is made.
    public var recordName: String?
    /// Needed where the record may be made.
    public var recordType: String?
    /// The version that the caller knows.
    public var recordChangeTag: String?
    /// In the order the client sent them; a name appears once. ``InputValue/null`` clears a field.
    public var fields: [(name: String, field: FieldInput)]
    /// The record above this one; nil leaves it as it is.
    public var parent: Reference?
    /// The client sent `"parent": null`.
    public var clearsParent: Bool
    /// Asks for a short GUID, which share links are made of.
    public var createShortGUID: Bool
    /// What the client says of a share record beside its fields.
    public var share: Boxed<ShareInput>?

    /// Makes a record to be sent.
    public init(
        recordName: String? = nil, recordType: String? = nil, recordChangeTag: String? = nil,
        fields: [(name: String, field: FieldInput)] = [], parent: Reference? = nil, clearsParent: Bool = false,
        createShortGUID: Bool = false, share: Boxed<ShareInput>? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.parent = parent
        self.clearsParent = clearsParent
        self.createShortGUID = createShortGUID
        self.share = share
    }

    /// Field by field, in order.
    public static func == (left: Self, right: Self) -> Bool {
        left.recordName == right.recordName && left.recordType == right.recordType
            && left.recordChangeTag == right.recordChangeTag && left.parent == right.parent
            && left.clearsParent == right.clearsParent && left.createShortGUID == right.createShortGUID
            && left.share == right.share
            && left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.field == $1.field }
    }

    /// Hashes what names the record.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(recordName)
        hasher.combine(recordType)
        hasher.combine(recordChangeTag)
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
