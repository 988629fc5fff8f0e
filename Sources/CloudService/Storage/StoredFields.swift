import CloudModel

/// Fields as they lie in a record's stored form: from some place to its end.
final class StoredFields: PackedFields {
    private let bytes: [UInt8]
    private let start: Int
    let count: Int

    /// Takes what is left of a stored form.
    /// - Throws: if it is not fields and nothing else.
    init(_ reader: inout ByteReader) throws {
        count = Int(clamping: try reader.unsigned())
        bytes = reader.bytes
        start = reader.position
        for _ in 0..<count {
            try reader.skipSlice()
            try Field.skip(in: &reader)
        }
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    func entries() -> [FieldMap.Entry] {
        var reader = ByteReader(bytes, from: start)
        return checked {
            var entries: [FieldMap.Entry] = []
            entries.reserveCapacity(count)
            for _ in 0..<count {
                let name = try reader.string()
                entries.append(FieldMap.Entry(name: name, field: try Field(from: &reader)))
            }
            return entries
        }
    }

    func visit(_ visitor: inout some FieldVisitor) {
        checked {
            try bytes.withUnsafeBufferPointer { memory in
                var reader = ByteReader(bytes, from: start)
                for _ in 0..<count {
                    let name = UnsafeBufferPointer(rebasing: memory[try reader.range()])
                    if let isEncrypted = try Field.readsText(&reader) {
                        let text = UnsafeBufferPointer(rebasing: memory[try reader.range()])
                        visitor.text(name, text, isEncrypted: isEncrypted)
                    } else {
                        visitor.field(name, try Field(from: &reader))
                    }
                }
            }
        }
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
