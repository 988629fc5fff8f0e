/// The fields of a record in a form of the store's own, read where they lie.
///
/// Whoever makes one has checked that all of it can be read.
public protocol PackedFields: AnyObject, Sendable {
    /// How many there are.
    var count: Int { get }
    /// All of them, ordered by name.
    func entries() -> [FieldMap.Entry]
    /// The one of a name, without a look at the others' values.
    func field(_ name: String) -> Field?
    /// Shows them in the order of their names.
    func visit(_ visitor: inout some FieldVisitor)
}

/// Who looks at fields one after the other. What the buffers hold is UTF-8, and gone when a call returns.
///
/// ``field(_:_:)`` may be called for any field; the others are for those that need no values made.
public protocol FieldVisitor {
    /// UTF-8 that lies elsewhere.
    typealias Text = UnsafeBufferPointer<UInt8>

    /// A field with one text.
    mutating func text(_ name: Text, _ value: Text, isEncrypted: Bool)
    /// A field with one integer.
    mutating func integer(_ name: Text, _ value: Int64, isEncrypted: Bool)
    /// A field with one double.
    mutating func double(_ name: Text, _ value: Double, isEncrypted: Bool)
    /// A field with one date.
    mutating func timestamp(_ name: Text, _ value: Timestamp, isEncrypted: Bool)
    /// A field with a list of texts begins; its members follow.
    mutating func beginTexts(_ name: Text)
    /// The next of the list.
    mutating func member(_ text: Text)
    /// The list ends.
    mutating func endTexts(isEncrypted: Bool)
    /// A field with anything.
    mutating func field(_ name: Text, _ field: Field)
}

extension FieldMap {
    /// Shows the fields in the order of their names, packed or not.
    public func visit(_ visitor: inout some FieldVisitor) {
        if let packed { return packed.visit(&visitor) }
        for entry in self {
            var name = entry.name
            name.withUTF8 { entry.field.show($0, to: &visitor) }
        }
    }
}

extension Field {
    fileprivate func show(_ name: UnsafeBufferPointer<UInt8>, to visitor: inout some FieldVisitor) {
        switch value {
        case .scalar(.string(var text)): text.withUTF8 { visitor.text(name, $0, isEncrypted: isEncrypted) }
        case .scalar(.int64(let number)): visitor.integer(name, number, isEncrypted: isEncrypted)
        case .scalar(.double(let number)): visitor.double(name, number, isEncrypted: isEncrypted)
        case .scalar(.timestamp(let moment)): visitor.timestamp(name, moment, isEncrypted: isEncrypted)
        case .list(of: .string, let elements):
            visitor.beginTexts(name)
            for case .string(var text) in elements { text.withUTF8 { visitor.member($0) } }
            visitor.endTexts(isEncrypted: isEncrypted)
        case .scalar, .list: visitor.field(name, self)
        }
    }
}
