import StratusCloudModel

/// Fields as they lie in a record's stored form: from some place to its end.
final class StoredFields: PackedFields {
    private let bytes: [UInt8]
    private let start: Int
    let count: Int

    /// Keeps a copy of fields that lie elsewhere.
    /// - Throws: if they cannot be read to their end.
    convenience init(_ view: StoredFieldsView) throws { try self.init(endOf: Array(view.bytes), view) }

    /// Keeps what the fields are the end of.
    /// - Throws: if they cannot be read to their end.
    init(endOf bytes: [UInt8], _ view: StoredFieldsView) throws {
        try view.check()
        self.bytes = bytes
        start = bytes.count - view.bytes.count
        count = view.count
    }

    func entries() -> [FieldMap.Entry] { withView { try $0.entries() } }
    func field(_ name: String) -> Field? { withView { try $0.field(name) } }
    func visit(_ visitor: inout some FieldVisitor) { withView { try $0.visit(&visitor) } }

    /// What was read to its end once can be read again.
    private func withView<Result>(_ body: (StoredFieldsView) throws -> Result) -> Result {
        do {
            return try bytes.withUnsafeBytes { bytes in
                try body(StoredFieldsView(bytes: UnsafeRawBufferPointer(rebasing: bytes[start...]), count: count))
            }
        } catch {
            preconditionFailure("stored fields that were whole cannot be read")
        }
    }
}

/// Fields where they lie in a record's stored form, to be looked at while the memory is there.
struct StoredFieldsView {
    /// All fields; nothing but fields, if they are whole.
    let bytes: UnsafeRawBufferPointer
    let count: Int

    /// Takes what is left of a stored form.
    init(_ reader: inout ByteReader) throws {
        count = Int(clamping: try reader.unsigned())
        bytes = reader.rest
    }

    fileprivate init(bytes: UnsafeRawBufferPointer, count: Int) {
        self.bytes = bytes
        self.count = count
    }

    /// - Throws: if it is not fields and nothing else.
    func check() throws {
        var reader = ByteReader(bytes)
        for _ in 0..<count {
            try reader.skipSlice()
            try Field.skip(in: &reader)
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    func entries() throws -> [FieldMap.Entry] {
        var reader = ByteReader(bytes)
        var entries: [FieldMap.Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let name = try reader.string()
            entries.append(FieldMap.Entry(name: name, field: try Field(from: &reader)))
        }
        return entries
    }

    /// The field of a name, nil if there is none.
    func field(_ name: String) throws -> Field? {
        var name = name
        return try name.withUTF8 { name in
            var reader = ByteReader(bytes)
            for _ in 0..<count {
                // Names are ASCII, so that texts are the same if their bytes are.
                let other = try reader.text()
                if other.count == name.count, other.elementsEqual(name) { return try Field(from: &reader) }
                try Field.skip(in: &reader)
            }
            return nil
        }
    }

    /// Shows the fields that are wanted.
    /// - Parameter wanted: their names; nil for all.
    /// - Throws: at what is not fields and nothing else, when some may have been shown.
    func visit(_ visitor: inout some FieldVisitor, _ wanted: Set<String>? = nil) throws {
        var reader = ByteReader(bytes)
        for _ in 0..<count {
            let name = try reader.text()
            if let wanted, !wanted.contains(String(decoding: name, as: UTF8.self)) {
                try Field.skip(in: &reader)
            } else {
                try Field.show(name, in: &reader, to: &visitor)
            }
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}
