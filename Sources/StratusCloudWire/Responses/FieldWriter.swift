import StratusCloudModel

/// Writes the fields of a record as members of an object.
///
/// It has pointers to what it needs, because a copy of an encoder and a head counts a dozen references, for each record.
struct FieldWriter: FieldVisitor {
    private let writer: UnsafeMutablePointer<JSONWriter>
    private let encoder: UnsafePointer<ResponseEncoder>
    private let head: UnsafePointer<RecordHead>

    /// Writes the fields that `visit` shows.
    static func write(
        of head: RecordHead, _ encoder: ResponseEncoder, to writer: inout JSONWriter,
        _ visit: (inout FieldWriter) throws -> Void
    ) rethrows {
        try withUnsafePointer(to: head) { head in
            try withUnsafePointer(to: encoder) { encoder in
                try withUnsafeMutablePointer(to: &writer) { writer in
                    var visitor = FieldWriter(writer: writer, encoder: encoder, head: head)
                    try visit(&visitor)
                }
            }
        }
    }

    mutating func text(_ name: Text, _ value: Text, isEncrypted: Bool) {
        guard JSONWriter.isPlain(value) else {
            begin(name)
            writer.pointee.string(utf8: value)
            return end(.string, isEncrypted)
        }
        write(name, .string, isEncrypted, valueSize: value.count &+ 2) { room in
            room.put(UInt8(ascii: "\""))
            room.put(value)
            room.put(UInt8(ascii: "\""))
        }
    }

    mutating func integer(_ name: Text, _ value: Int64, isEncrypted: Bool) {
        let isQuoted = encoder.pointee.options.numbersAsStrings
        write(name, .int64, isEncrypted, valueSize: Self.integerSize) { $0.put(value, isQuoted: isQuoted) }
    }

    mutating func double(_ name: Text, _ value: Double, isEncrypted: Bool) {
        begin(name)
        if encoder.pointee.options.numbersAsStrings {
            writer.pointee.quotedDouble(value)
        } else {
            writer.pointee.double(value)
        }
        end(.double, isEncrypted)
    }

    mutating func timestamp(_ name: Text, _ value: Timestamp, isEncrypted: Bool) {
        let isQuoted = encoder.pointee.options.numbersAsStrings
        guard let exact = value.exactReferenceSeconds else {
            return write(name, .timestamp, isEncrypted, valueSize: Self.integerSize) {
                $0.put(value.milliseconds, isQuoted: isQuoted)
            }
        }
        begin(name)
        writer.pointee.pieces(atMost: Self.integerSize) { $0.put(value.milliseconds, isQuoted: isQuoted) }
        writer.pointee.optional(WireNames.exactReferenceSeconds, exact)
        end(.timestamp, isEncrypted)
    }

    mutating func beginTexts(_ name: Text) {
        begin(name)
        writer.pointee.beginArray()
    }

    mutating func member(_ text: Text) { writer.pointee.string(utf8: text) }

    mutating func endTexts(isEncrypted: Bool) {
        writer.pointee.endArray()
        end(.string, isList: true, isEncrypted)
    }

    mutating func field(_ name: Text, _ field: Field) {
        writer.pointee.key(utf8: name)
        encoder.pointee.write(shown(field, name), to: &writer.pointee)
    }

    // MARK: Parts of a field

    /// Bytes of an integer in quotes.
    private static let integerSize = JSONRoom.longestInteger + 2
    /// Bytes of all that a field has beside its name and its value.
    private static let frameSize = 96

    /// A whole field in one piece, unless its name needs escapes.
    @inline(__always)
    private func write(
        _ name: Text, _ type: ScalarType, _ isEncrypted: Bool, valueSize: Int, value: (inout JSONRoom) -> Void
    ) {
        guard JSONWriter.isPlain(name) else {
            begin(name)
            writer.pointee.pieces(atMost: valueSize, value)
            return end(type, isEncrypted)
        }
        writer.pointee.pieces(atMost: name.count &+ valueSize &+ Self.frameSize) { room in
            room.put(UInt8(ascii: "\""))
            room.put(name)
            room.put(#"":{"value":"#)
            value(&room)
            room.putEnd(of: type, isList: false, isEncrypted: isEncrypted)
        }
    }

    private func begin(_ name: Text) {
        writer.pointee.key(utf8: name)
        writer.pointee.piece(#"{"value":"#, needsComma: false)
    }

    private func end(_ type: ScalarType, isList: Bool = false, _ isEncrypted: Bool) {
        writer.pointee.endField(of: type, isList: isList, isEncrypted: isEncrypted)
    }

    /// A field with its assets as this answer shows them.
    private func shown(_ field: Field, _ name: Text) -> Field {
        guard field.value.scalarType == .asset, let showAsset = encoder.pointee.context.showAsset else { return field }
        let name = String(decoding: name, as: UTF8.self)
        let recordName = String(decoding: head.pointee.recordName, as: UTF8.self)
        let zoneID = head.pointee.zoneID
        func shown(_ value: ScalarValue) -> ScalarValue {
            guard case .asset(let asset) = value else { return value }
            return .asset(showAsset(asset, name, recordName, zoneID))
        }
        var field = field
        switch field.value {
        case .scalar(let value): field.value = .scalar(shown(value))
        case .list(let type, let elements): field.value = .list(of: type, elements: elements.map(shown))
        }
        return field
    }
}

extension JSONWriter {
    /// Says what type a field's value has, and closes it.
    mutating func endField(of type: ScalarType, isList: Bool, isEncrypted: Bool) {
        endingPieces(atMost: 64) { $0.putEnd(of: type, isList: isList, isEncrypted: isEncrypted) }
    }
}

extension JSONRoom {
    @inline(__always)
    fileprivate mutating func put(_ value: Int64, isQuoted: Bool) {
        if isQuoted { put(UInt8(ascii: "\"")) }
        put(value)
        if isQuoted { put(UInt8(ascii: "\"")) }
    }

    /// What type a field's value has, and the field's closing bracket.
    @inline(__always)
    fileprivate mutating func putEnd(of type: ScalarType, isList: Bool, isEncrypted: Bool) {
        put(#","type":""#)
        put(type.wireName(isList: isList, isEncrypted: isEncrypted))
        if isEncrypted && type != .bytes { put(#"","isEncrypted":true}"#) } else { put(#""}"#) }
    }
}
