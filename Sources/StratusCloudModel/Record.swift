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
    @usableFromInline
    struct Parts: Hashable, Sendable {
        @usableFromInline var recordName: String
        @usableFromInline var recordType: String
        @usableFromInline var zoneID: ZoneID
        @usableFromInline var recordChangeTag: String
        @usableFromInline var fields: FieldMap
        @usableFromInline var created: RecordStamp
        @usableFromInline var modified: RecordStamp
        @usableFromInline var parent: Reference?
        @usableFromInline var share: Reference?
        @usableFromInline var shortGUID: String?
        @usableFromInline var shareDetails: Boxed<ShareDetails>?
    }

    @usableFromInline
    var parts: CopyOnWrite<Parts>

    /// Makes a record.
    public init(
        recordName: String, recordType: String, zoneID: ZoneID, recordChangeTag: String, fields: FieldMap,
        created: RecordStamp, modified: RecordStamp, parent: Reference? = nil, share: Reference? = nil,
        shortGUID: String? = nil, shareDetails: Boxed<ShareDetails>? = nil
    ) {
        parts = CopyOnWrite(
            Parts(
                recordName: recordName, recordType: recordType, zoneID: zoneID, recordChangeTag: recordChangeTag,
                fields: fields, created: created, modified: modified, parent: parent, share: share,
                shortGUID: shortGUID, shareDetails: shareDetails))
    }

    /// Name, unique in its zone.
    @inlinable
    public var recordName: String {
        _read { yield parts.value.recordName }
        _modify { yield &parts.value.recordName }
    }

    /// Type, which never changes.
    @inlinable
    public var recordType: String {
        _read { yield parts.value.recordType }
        _modify { yield &parts.value.recordType }
    }

    /// The zone with its owner.
    @inlinable
    public var zoneID: ZoneID {
        _read { yield parts.value.zoneID }
        _modify { yield &parts.value.zoneID }
    }

    /// Opaque; changes with every save.
    @inlinable
    public var recordChangeTag: String {
        _read { yield parts.value.recordChangeTag }
        _modify { yield &parts.value.recordChangeTag }
    }

    /// The values.
    @inlinable
    public var fields: FieldMap {
        _read { yield parts.value.fields }
        _modify { yield &parts.value.fields }
    }

    /// When and by whom it was made.
    @inlinable
    public var created: RecordStamp {
        _read { yield parts.value.created }
        _modify { yield &parts.value.created }
    }

    /// When and by whom it was last saved.
    @inlinable
    public var modified: RecordStamp {
        _read { yield parts.value.modified }
        _modify { yield &parts.value.modified }
    }

    /// The record above this one in a hierarchy that is shared as a whole.
    @inlinable
    public var parent: Reference? {
        _read { yield parts.value.parent }
        _modify { yield &parts.value.parent }
    }

    /// The share record of the share whose root this record is.
    @inlinable
    public var share: Reference? {
        _read { yield parts.value.share }
        _modify { yield &parts.value.share }
    }

    /// What the share link of this record is made of, if it has one.
    @inlinable
    public var shortGUID: String? {
        _read { yield parts.value.shortGUID }
        _modify { yield &parts.value.shortGUID }
    }

    /// What a share record says beside its fields; nil for all others.
    @inlinable
    public var shareDetails: Boxed<ShareDetails>? {
        _read { yield parts.value.shareDetails }
        _modify { yield &parts.value.shareDetails }
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

        /// A field and its name.
        public init(name: String, field: Field) {
            self.name = name
            self.field = field
        }
    }

    /// Empty as long as the fields are packed.
    private var unpacked: [Entry] = []
    /// What the fields are read from when somebody looks at them.
    private(set) var packed: (any PackedFields)?

    private var entries: [Entry] { packed?.entries() ?? unpacked }

    /// Makes an empty map.
    public init() {}

    /// Makes a map; of two fields of one name the later counts.
    public init(dictionaryLiteral elements: (String, Field)...) {
        for (name, field) in elements { self[name] = field }
    }

    /// Makes an empty map with room for so many fields.
    public init(capacity: Int) { unpacked.reserveCapacity(capacity) }

    /// Adds a field whose name's bytes come after those of all names in the map.
    public mutating func append(_ name: String, _ field: Field) {
        unpack()
        assert(unpacked.last.map { $0.name < name } ?? true)
        unpacked.append(Entry(name: name, field: field))
    }

    /// Fields that are read when somebody looks at them: each time, unless ``unpack()`` was called before.
    public init(_ packed: some PackedFields) { self.packed = packed }

    /// Reads packed fields, to be looked at here and there.
    public mutating func unpack() {
        guard let packed else { return }
        unpacked = packed.entries()
        self.packed = nil
    }

    /// The fields one after the other.
    public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }

    /// Whether both have the same fields.
    public static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }

    /// Feeds the fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }

    /// Whether a field is of a type, or a list of it.
    public func hasField(of type: ScalarType) -> Bool {
        let entries = entries
        // By position: values that are handed out are counted, and every save asks a few times.
        return entries.indices.contains { entries[$0].field.value.scalarType == type }
    }

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last.
    public var endIndex: Int { packed?.count ?? unpacked.count }
    /// The position behind the last.
    public subscript(position: Int) -> Entry { entries[position] }

    /// The field of a name; setting nil removes it.
    public subscript(name: String) -> Field? {
        get {
            if let packed { return packed.field(name) }
            let index = Self.insertionIndex(of: name, in: unpacked)
            return index < unpacked.count && unpacked[index].name == name ? unpacked[index].field : nil
        }
        set {
            unpack()
            let index = Self.insertionIndex(of: name, in: unpacked)
            let exists = index < unpacked.count && unpacked[index].name == name
            switch (newValue, exists) {
            case (let field?, true): unpacked[index].field = field
            case (let field?, false): unpacked.insert(Entry(name: name, field: field), at: index)
            case (nil, true): unpacked.remove(at: index)
            case (nil, false): break
            }
        }
    }

    private static func insertionIndex(of name: String, in entries: [Entry]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
