/// `assets/upload`: asks for places to send bytes to.
public struct UploadAssetsRequest: Hashable, Sendable {
    /// A field that bytes are for.
    public struct Item: Hashable, Sendable {
        /// nil for a record that the client has not named yet.
        public var recordName: String?
        /// May be left out where the record exists.
        public var recordType: String?
        /// A field of type ASSET, or a list of them.
        public var fieldName: String

        /// Names a field.
        public init(recordName: String? = nil, recordType: String? = nil, fieldName: String) {
            self.recordName = recordName
            self.recordType = recordType
            self.fieldName = fieldName
        }
    }

    /// The fields, at most ``ModelLimits/assetsPerRequest``.
    public var items: [Item]
    /// nil means the default zone.
    public var zoneID: ZoneID?

    /// Makes a request.
    public init(items: [Item], zoneID: ZoneID? = nil) {
        self.items = items
        self.zoneID = zoneID
    }
}

/// Where to send the bytes for a field.
public enum UploadAssetsResult: Hashable, Sendable {
    /// The record's name as given, or one made for it; and the address to post to.
    case place(recordName: String, fieldName: String, url: String)
    case failed(recordName: String?, fieldName: String, CloudError)
}

/// `assets/rereference`: asks for receipts for bytes that records have already, to save them in other records.
public struct RereferenceAssetsRequest: Hashable, Sendable {
    /// A field that has an asset.
    public struct Item: Hashable, Sendable {
        /// Name of the record.
        public var recordName: String
        /// A field of type ASSET, not a list.
        public var fieldName: String

        /// Names a field.
        public init(recordName: String, fieldName: String) {
            self.recordName = recordName
            self.fieldName = fieldName
        }
    }

    /// The fields, at most ``ModelLimits/assetsPerRequest``.
    public var items: [Item]
    /// Where the records are; nil means the default zone.
    public var zoneID: ZoneID?
    /// Where the receipts are good for; nil means where the records are.
    public var targetZoneID: ZoneID?

    /// Makes a request.
    public init(items: [Item], zoneID: ZoneID? = nil, targetZoneID: ZoneID? = nil) {
        self.items = items
        self.zoneID = zoneID
        self.targetZoneID = targetZoneID
    }
}

/// A receipt for bytes that a record has.
public enum RereferenceAssetsResult: Hashable, Sendable {
    /// The asset with what it takes to save it.
    case asset(Asset)
    case failed(RereferenceAssetsRequest.Item, CloudError)
}
