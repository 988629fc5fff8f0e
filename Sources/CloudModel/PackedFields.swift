/// The fields of a record in a form of the store's own, read where they lie.
///
/// Whoever makes one has checked that all of it can be read.
public protocol PackedFields: AnyObject, Sendable {
    /// How many there are.
    var count: Int { get }
    /// All of them, ordered by name.
    func entries() -> [FieldMap.Entry]
    /// Shows them in the order of their names.
    func visit(_ visitor: inout some FieldVisitor)
}

/// Who looks at fields one after the other. What the buffers hold is UTF-8, and gone when a call returns.
public protocol FieldVisitor {
    /// A field with one text.
    mutating func text(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isEncrypted: Bool)
    /// A field with anything else.
    mutating func field(_ name: UnsafeBufferPointer<UInt8>, _ field: Field)
}

extension FieldMap {
    /// Shows the fields in the order of their names, packed or not.
    public func visit(_ visitor: inout some FieldVisitor) {
        if let packed { return packed.visit(&visitor) }
        for entry in self {
            var name = entry.name
            name.withUTF8 { name in
                if case .scalar(.string(var text)) = entry.field.value {
                    let isEncrypted = entry.field.isEncrypted
                    text.withUTF8 { visitor.text(name, $0, isEncrypted: isEncrypted) }
                } else {
                    visitor.field(name, entry.field)
                }
            }
        }
    }
}
