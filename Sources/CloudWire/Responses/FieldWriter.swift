import CloudModel

/// Writes the fields of a record as members of an object.
struct FieldWriter: FieldVisitor {
    private let writer: UnsafeMutablePointer<JSONWriter>
    private let encoder: ResponseEncoder
    private let record: Record

    /// Writes all fields of a record.
    static func write(_ record: Record, _ encoder: ResponseEncoder, to writer: inout JSONWriter) {
        withUnsafeMutablePointer(to: &writer) { pointer in
            var visitor = FieldWriter(writer: pointer, encoder: encoder, record: record)
            record.fields.visit(&visitor)
        }
    }

    mutating func text(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isEncrypted: Bool) {
        writer.pointee.key(utf8: name)
        writer.pointee.beginObject()
        writer.pointee.key("value")
        writer.pointee.string(utf8: value)
        encoder.endField(of: .string, isList: false, isEncrypted: isEncrypted, to: &writer.pointee)
    }

    mutating func field(_ name: UnsafeBufferPointer<UInt8>, _ field: Field) {
        writer.pointee.key(utf8: name)
        encoder.write(shown(field, name), to: &writer.pointee)
    }

    /// A field with its assets as this answer shows them.
    private func shown(_ field: Field, _ name: UnsafeBufferPointer<UInt8>) -> Field {
        guard field.value.scalarType == .asset, let showAsset = encoder.context.showAsset else { return field }
        let name = String(decoding: name, as: UTF8.self)
        func shown(_ value: ScalarValue) -> ScalarValue {
            guard case .asset(let asset) = value else { return value }
            return .asset(showAsset(asset, name, record))
        }
        var field = field
        switch field.value {
        case .scalar(let value): field.value = .scalar(shown(value))
        case .list(let type, let elements): field.value = .list(of: type, elements: elements.map(shown))
        }
        return field
    }
}
