/// A field as a client sent it. Clients often leave the type out, so what the value means is settled by the schema,
/// in the service; until then it is kept as it came.
public struct FieldInput: Hashable, Sendable {
    /// The value as it came.
    public var value: InputValue
    /// The type the client declared, if it did.
    public var declaredType: DeclaredType?
    /// The client said that the field is an encrypted one.
    public var isEncrypted: Bool

    /// Makes a field as a client sends it.
    public init(_ value: InputValue, declaredType: DeclaredType? = nil, isEncrypted: Bool = false) {
        self.value = value
        self.declaredType = declaredType
        self.isEncrypted = isEncrypted
    }

    /// A field whose type is known, as code in the same process sends it.
    public init(_ field: Field) {
        switch field.value {
        case .scalar(let scalar):
            value = .scalar(scalar)
            declaredType = .scalar(scalar.type)
        case .list(let type, let elements):
            value = .list(elements.map(InputValue.scalar))
            declaredType = .list(type)
        }
        isEncrypted = field.isEncrypted
    }
}

/// The `type` beside a value on the wire.
public enum DeclaredType: Hashable, Sendable {
    case scalar(ScalarType)
    /// A list; nil where the client only said `LIST`.
    case list(ScalarType?)
}

/// A value before the schema says what it is.
public enum InputValue: Hashable, Sendable {
    /// Clears the field.
    case null
    case boolean(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// A number written with a fraction or an exponent.
    case decimal(Double)
    /// A number written without fraction and exponent that does not fit 64 bits, as the nearest double.
    case largeInteger(Double)
    /// A string: text, base64 of bytes, or a number in decimal.
    case text(String)
    /// A value whose type is clear: objects (locations, references, assets), and everything from code in the same
    /// process.
    case scalar(ScalarValue)
    /// Members are never lists.
    case list([InputValue])

    /// Whether the field is to be cleared.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
