import CloudModel

/// Writes the fields of a record as members of an object.
struct FieldWriter: FieldVisitor {
    private let writer: UnsafeMutablePointer<JSONWriter>
    private let encoder: ResponseEncoder
    private let head: RecordHead

    /// Writes the fields that `visit` shows.
    static func write(
        of head: RecordHead, _ encoder: ResponseEncoder, to writer: inout JSONWriter,
        _ visit: (inout FieldWriter) throws -> Void
    ) rethrows {
        try withUnsafeMutablePointer(to: &writer) { pointer in
            var visitor = FieldWriter(writer: pointer, encoder: encoder, head: head)
            try visit(&visitor)
        }
    }

    mutating func text(_ name: Text, _ value: Text, isEncrypted: Bool) {
        begin(name)
        writer.pointee.string(utf8: value)
        end(.string, isEncrypted)
    }

    mutating func integer(_ name: Text, _ value: Int64, isEncrypted: Bool) {
        begin(name)
        number(value)
        end(.int64, isEncrypted)
    }

    mutating func double(_ name: Text, _ value: Double, isEncrypted: Bool) {
        begin(name)
        if encoder.options.numbersAsStrings { writer.pointee.quotedDouble(value) } else { writer.pointee.double(value) }
        end(.double, isEncrypted)
    }

    mutating func timestamp(_ name: Text, _ value: Timestamp, isEncrypted: Bool) {
        begin(name)
        number(value.milliseconds)
        writer.pointee.optional(WireNames.exactReferenceSeconds, value.exactReferenceSeconds)
        end(.timestamp, isEncrypted)
    }

    mutating func beginTexts(_ name: Text) {
        begin(name)
        writer.pointee.beginArray()
    }

    mutating func member(_ text: Text) { writer.pointee.string(utf8: text) }

    mutating func endTexts(isEncrypted: Bool) {
        writer.pointee.endArray()
        encoder.endField(of: .string, isList: true, isEncrypted: isEncrypted, to: &writer.pointee)
    }

    mutating func field(_ name: Text, _ field: Field) {
        writer.pointee.key(utf8: name)
        encoder.write(shown(field, name), to: &writer.pointee)
    }

    private func begin(_ name: Text) {
        writer.pointee.key(utf8: name)
        writer.pointee.piece(#"{"value":"#, needsComma: false)
    }

    private func number(_ value: Int64) {
        if encoder.options.numbersAsStrings {
            writer.pointee.quotedInteger(value)
        } else {
            writer.pointee.integer(value)
        }
    }

    private func end(_ type: ScalarType, _ isEncrypted: Bool) {
        encoder.endField(of: type, isList: false, isEncrypted: isEncrypted, to: &writer.pointee)
    }

    /// A field with its assets as this answer shows them.
    private func shown(_ field: Field, _ name: Text) -> Field {
        guard field.value.scalarType == .asset, let showAsset = encoder.context.showAsset else { return field }
        let name = String(decoding: name, as: UTF8.self)
        let recordName = String(decoding: head.recordName, as: UTF8.self)
        func shown(_ value: ScalarValue) -> ScalarValue {
            guard case .asset(let asset) = value else { return value }
            return .asset(showAsset(asset, name, recordName, head.zoneID))
        }
        var field = field
        switch field.value {
        case .scalar(let value): field.value = .scalar(shown(value))
        case .list(let type, let elements): field.value = .list(of: type, elements: elements.map(shown))
        }
        return field
    }
}
