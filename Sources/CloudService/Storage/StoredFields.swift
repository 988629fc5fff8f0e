import CloudModel

/// Fields as they lie in a record's stored form: from some place to its end.
final class StoredFields: PackedFields {
    private let bytes: [UInt8]
    let count: Int

    /// Keeps a copy of fields that lie elsewhere.
    /// - Throws: if they cannot be read to their end.
    init(_ view: StoredFieldsView) throws {
        try view.check()
        bytes = Array(view.bytes)
        count = view.count
    }

    func entries() -> [FieldMap.Entry] {
        checked {
            try ByteReader.read(bytes) { reader in
                var entries: [FieldMap.Entry] = []
                entries.reserveCapacity(count)
                for _ in 0..<count {
                    let name = try reader.string()
                    entries.append(FieldMap.Entry(name: name, field: try Field(from: &reader)))
                }
                return entries
            }
        }
    }

    func visit(_ visitor: inout some FieldVisitor) {
        checked { try bytes.withUnsafeBytes { try StoredFieldsView(bytes: $0, count: count).visit(&visitor) } }
    }

    /// What was read to its end once can be read again.
    private func checked<Result>(_ body: () throws -> Result) -> Result {
        do {
            return try body()
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
