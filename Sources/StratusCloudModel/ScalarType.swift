/// The types a field value can have, without lists and encryption.
public enum ScalarType: UInt8, Hashable, Sendable, CaseIterable {
    // The raw values are stored; never renumber them.
    case string = 1
    case int64 = 2
    case double = 3
    case timestamp = 4
    case bytes = 5
    case location = 6
    case reference = 7
    case asset = 8

    /// The word of the schema language, such as `INT64`.
    public var schemaName: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSET"
        }
    }

    /// Whether the schema can declare fields of this type as encrypted.
    public var canBeEncrypted: Bool {
        switch self {
        case .string, .int64, .double, .timestamp, .bytes, .location: true
        case .reference, .asset: false
        }
    }
}

/// The full type of a schema field.
public struct FieldType: Hashable, Sendable, CustomStringConvertible {
    /// The type of the value, or of the members of the list.
    public var scalar: ScalarType
    /// Whether the field holds a list.
    public var isList: Bool
    /// Whether clients send the field as encrypted; such fields have no index.
    public var isEncrypted: Bool

    /// Makes a type.
    public init(_ scalar: ScalarType, isList: Bool = false, isEncrypted: Bool = false) {
        self.scalar = scalar
        self.isList = isList
        self.isEncrypted = isEncrypted
    }

    /// As the service names it in messages: `STRING`, `STRING_LIST`, `ENCRYPTED_STRING`.
    public var description: String {
        (isEncrypted ? "ENCRYPTED_" : "") + (scalar == .asset ? "ASSETID" : scalar.schemaName) + (isList ? "_LIST" : "")
    }
}
