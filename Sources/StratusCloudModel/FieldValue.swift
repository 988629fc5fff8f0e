/// One value of a field that is not a list.
public enum ScalarValue: Hashable, Sendable {
    case string(String)
    case int64(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case bytes([UInt8])
    // Behind a pointer, because they would make every number and text five times as large in memory.
    indirect case location(Location)
    indirect case reference(Reference)
    indirect case asset(Asset)

    /// Which case this is.
    public var type: ScalarType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        }
    }
}

/// What a field holds: one value, or a list whose members all have one type.
public enum FieldValue: Hashable, Sendable {
    case scalar(ScalarValue)
    /// `elements` may be empty; the type says of what.
    case list(of: ScalarType, elements: [ScalarValue])

    /// Whether this is a list.
    public var isList: Bool {
        if case .list = self { true } else { false }
    }

    /// The type of the value, or of the members of the list.
    public var scalarType: ScalarType {
        switch self {
        case .scalar(let value): value.type
        case .list(let type, _): type
        }
    }
}

/// A field of a record: its value, and whether the schema declares it encrypted.
public struct Field: Hashable, Sendable {
    /// The value.
    public var value: FieldValue
    /// Whether the field is declared encrypted.
    public var isEncrypted: Bool

    /// Makes a field.
    public init(_ value: FieldValue, isEncrypted: Bool = false) {
        self.value = value
        self.isEncrypted = isEncrypted
    }

    /// The type that the schema must have for this field.
    public var type: FieldType {
        FieldType(value.scalarType, isList: value.isList, isEncrypted: isEncrypted)
    }
}

/// A moment. The wire carries whole milliseconds; the exact value travels beside them, so that a date comes back
/// with the bits it was saved with. Queries compare the milliseconds.
public struct Timestamp: Hashable, Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var milliseconds: Int64
    /// Seconds since 2001-01-01 UTC with every bit, when the sender gave them and milliseconds cannot express them.
    public var exactReferenceSeconds: Double?

    /// Makes a moment.
    public init(milliseconds: Int64, exactReferenceSeconds: Double? = nil) {
        self.milliseconds = milliseconds
        self.exactReferenceSeconds = exactReferenceSeconds
    }
}

/// A place on earth, WGS 84.
public struct Location: Hashable, Sendable {
    /// Degrees, -90 to 90.
    public var latitude: Double
    /// Degrees, -180 to 180.
    public var longitude: Double
    /// Metres.
    public var horizontalAccuracy: Double?
    /// Metres.
    public var verticalAccuracy: Double?
    /// Metres above sea level.
    public var altitude: Double?
    /// Metres a second.
    public var speed: Double?
    /// Degrees clockwise from north.
    public var course: Double?
    /// When the place was determined.
    public var timestamp: Timestamp?

    /// Makes a place.
    public init(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil,
        altitude: Double? = nil, speed: Double? = nil, course: Double? = nil, timestamp: Timestamp? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.altitude = altitude
        self.speed = speed
        self.course = course
        self.timestamp = timestamp
    }
}

/// A pointer from one record to another of the same zone.
public struct Reference: Hashable, Sendable {
    /// What a deletion of the target means for the record that holds the reference.
    public enum Action: UInt8, Hashable, Sendable {
        // The raw values are stored; never renumber them.
        /// Nothing; the reference may dangle.
        case none = 0
        /// The holder is deleted too.
        case deleteSelf = 1
        /// The target must exist, and cannot be deleted while the holder does.
        case validate = 2
    }

    /// Name of the target.
    public var recordName: String
    /// nil means the zone of the record that holds the reference.
    public var zoneID: ZoneID?
    /// What a deletion of the target means.
    public var action: Action

    /// Makes a reference.
    public init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}

/// A file beside a record. In requests it carries the receipt of an upload, in answers the place to download it.
public struct Asset: Hashable, Sendable {
    /// Identifies the bytes; opaque.
    public var fileChecksum: String
    /// Bytes.
    public var size: Int64
    /// Proves an upload; in requests only.
    public var receipt: String?
    /// Opaque; goes with the receipt.
    public var referenceChecksum: String?
    /// Opaque; goes with the receipt.
    public var wrappingKey: String?
    /// Where to fetch the bytes; in answers only.
    public var downloadURL: String?

    /// Makes an asset.
    public init(
        fileChecksum: String, size: Int64, receipt: String? = nil, referenceChecksum: String? = nil,
        wrappingKey: String? = nil, downloadURL: String? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.receipt = receipt
        self.referenceChecksum = referenceChecksum
        self.wrappingKey = wrappingKey
        self.downloadURL = downloadURL
    }
}
