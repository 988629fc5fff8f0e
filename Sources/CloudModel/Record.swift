/// Who changed a record, when, and from where.
public struct RecordStamp: Hashable, Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var timestamp: Int64
    /// Who it was.
    public var userRecordName: String
    /// Name of the device, or `iCloud` for web clients.
    public var deviceID: String

    /// Makes a stamp.
    public init(timestamp: Int64, userRecordName: String, deviceID: String = "iCloud") {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }
}

/// A record as the service stores and returns it.
public struct Record: Hashable, Sendable {
    /// Name, unique in its zone.
    public var recordName: String
    /// Type, which never changes.
    public var recordType: String
    /// The zone with its owner.
    public var zoneID: ZoneID
    /// Opaque; changes with every save.
    public var recordChangeTag: String
    /// The values.
    public var fields: FieldMap
    /// When and by whom it was made.
    public var created: RecordStamp
    /// When and by whom it was last saved.
    public var modified: RecordStamp
    /// The record above this one in a hierarchy that is shared as a whole.
    public var parent: Reference?
    /// The share record of the share whose root this record is.
    public var share: Reference?
    /// What the share link of this record is made of, if it has one.
    public var shortGUID: String?

    /// Makes a record.
    public init(
        recordName: String, recordType: String, zoneID: ZoneID, recordChangeTag: String, fields: FieldMap,
        created: RecordStamp, modified: RecordStamp, parent: Reference? = nil, share: Reference? = nil,
        shortGUID: String? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.zoneID = zoneID
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.created = created
        self.modified = modified
        self.parent = parent
        self.share = share
        self.shortGUID = shortGUID
    }
}

/// The fields of a record, ordered by name so that encodings and answers are the same every time.
public struct FieldMap: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// One named field.
    public struct Entry: Hashable, Sendable {
        /// Name of the field.
        public let name: String
        /// Its value.
        public var field: Field
    }

    private var entries: [Entry] = []

    /// Makes an empty map.
    public init() {}

    /// Makes a map; of two fields of one name the later counts.
    public init(dictionaryLiteral elements: (String, Field)...) {
        for (name, field) in elements { self[name] = field }
    }

    /// Makes an empty map with room for so many fields.
    public init(capacity: Int) { entries.reserveCapacity(capacity) }

    /// Adds a field whose name's bytes come after those of all names in the map.
    public mutating func append(_ name: String, _ field: Field) {
        assert(entries.last.map { $0.name < name } ?? true)
        entries.append(Entry(name: name, field: field))
    }

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last.
    public var endIndex: Int { entries.count }
    /// The position behind the last.
    public subscript(position: Int) -> Entry { entries[position] }

    /// The field of a name; setting nil removes it.
    public subscript(name: String) -> Field? {
        get {
            let index = insertionIndex(of: name)
            return index < entries.count && entries[index].name == name ? entries[index].field : nil
        }
        set {
            let index = insertionIndex(of: name)
            let exists = index < entries.count && entries[index].name == name
            switch (newValue, exists) {
            case (let field?, true): entries[index].field = field
            case (let field?, false): entries.insert(Entry(name: name, field: field), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    private func insertionIndex(of name: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
