/// A record in a form of the store's own, shown while a call lasts: nothing of it may be kept.
public protocol PackedRecord {
    /// All but the fields.
    var head: RecordHead { get }
    /// Shows the fields in the order of their names.
    /// - Throws: if they cannot be read to their end.
    func visitFields(_ visitor: inout some FieldVisitor) throws
    /// The record itself, which may be kept.
    /// - Throws: if it cannot be read to its end.
    func record() throws -> Record
}

/// A record without its fields. What the texts hold is UTF-8, and gone when the call that was given them returns.
public struct RecordHead {
    /// UTF-8 that lies elsewhere.
    public typealias Text = UnsafeBufferPointer<UInt8>

    /// A ``RecordStamp``.
    public struct Stamp {
        /// Milliseconds since 1970-01-01 UTC.
        public let timestamp: Int64
        /// Who it was.
        public let userRecordName: Text
        /// Name of the device.
        public let deviceID: Text

        /// Makes a stamp.
        public init(timestamp: Int64, userRecordName: Text, deviceID: Text) {
            self.timestamp = timestamp
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }

    /// As in a ``Record``.
    public let recordName: Text
    /// As in a ``Record``.
    public let recordType: Text
    /// As in a ``Record``.
    public let zoneID: ZoneID
    /// As in a ``Record``.
    public let recordChangeTag: String
    /// As in a ``Record``.
    public let created: Stamp
    /// As in a ``Record``.
    public let modified: Stamp
    /// What few records have; nil for the others.
    public let links: Links?

    /// What is seldom in a record, apart, so that a head is copied quickly.
    public final class Links: Sendable {
        /// As in a ``Record``.
        public let parent: Reference?
        /// As in a ``Record``.
        public let share: Reference?
        /// As in a ``Record``.
        public let shortGUID: String?
        /// As in a ``Record``.
        public let shareDetails: Boxed<ShareDetails>?

        /// Nil if there is nothing. Not an initializer, which would make an object even then.
        public static func unlessEmpty(
            parent: Reference?, share: Reference?, shortGUID: String?, shareDetails: Boxed<ShareDetails>? = nil
        ) -> Links? {
            if parent == nil, share == nil, shortGUID == nil, shareDetails == nil { return nil }
            return Links(parent, share, shortGUID, shareDetails)
        }

        private init(
            _ parent: Reference?, _ share: Reference?, _ shortGUID: String?, _ shareDetails: Boxed<ShareDetails>?
        ) {
            self.parent = parent
            self.share = share
            self.shortGUID = shortGUID
            self.shareDetails = shareDetails
        }
    }

    /// Makes a head.
    public init(
        recordName: Text, recordType: Text, zoneID: ZoneID, recordChangeTag: String, created: Stamp, modified: Stamp,
        links: Links?
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.zoneID = zoneID
        self.recordChangeTag = recordChangeTag
        self.created = created
        self.modified = modified
        self.links = links
    }
}

extension Record {
    /// Calls `body` with all but the fields.
    public func withHead(_ body: (RecordHead) throws -> Void) rethrows {
        var (name, type) = (recordName, recordType)
        // Taken out before, so that no closure holds the record.
        let (zoneID, changeTag, created, modified) = (zoneID, recordChangeTag, created, modified)
        let links = RecordHead.Links.unlessEmpty(
            parent: parent, share: share, shortGUID: shortGUID, shareDetails: shareDetails)
        try name.withUTF8 { name in
            try type.withUTF8 { type in
                try created.withStamp { created in
                    try modified.withStamp { modified in
                        try body(
                            RecordHead(
                                recordName: name, recordType: type, zoneID: zoneID, recordChangeTag: changeTag,
                                created: created, modified: modified, links: links))
                    }
                }
            }
        }
    }
}

extension RecordStamp {
    fileprivate func withStamp(_ body: (RecordHead.Stamp) throws -> Void) rethrows {
        var (user, device) = (userRecordName, deviceID)
        try user.withUTF8 { user in
            try device.withUTF8 { device in
                try body(RecordHead.Stamp(timestamp: timestamp, userRecordName: user, deviceID: device))
            }
        }
    }
}
