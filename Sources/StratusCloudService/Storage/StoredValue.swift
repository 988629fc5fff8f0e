import StratusCloudStore

/// A value with a stored form of its own. The first byte is the format; a later version may add formats and must go
/// on reading the old ones.
protocol StoredValue: Sendable {
    static var format: UInt8 { get }
    /// Formats that ``init(from:)`` can read: those that only lack what the current one has at its end.
    static var readableFormats: ClosedRange<UInt8> { get }
    init(from reader: inout ByteReader) throws
    func write(to writer: inout ByteWriter)
}

extension StoredValue {
    static var readableFormats: ClosedRange<UInt8> { format...format }

    init(stored bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try Self(stored: $0) }
    }

    init(stored bytes: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(bytes)
        guard Self.readableFormats.contains(try reader.byte()) else { throw ByteReader.Malformed() }
        try self.init(from: &reader)
    }

    var stored: [UInt8] {
        var writer = ByteWriter()
        writer.write(byte: Self.format)
        write(to: &writer)
        return writer.bytes
    }
}

extension ReadTransaction {
    /// The value of a key, decoded.
    func value<Value: StoredValue>(_ type: Value.Type = Value.self, at key: Key) throws -> Value? {
        try get(key).map { try Value(stored: $0) }
    }

    /// All values in a range, decoded, read in bounded steps.
    func allValues<Value: StoredValue>(_ type: Value.Type = Value.self, in range: KeyRange) throws -> [Value] {
        let step = 1_000
        var values: [Value] = []
        var rest = range
        while true {
            let entries = try entries(in: rest, limit: step)
            for entry in entries { values.append(try Value(stored: entry.value)) }
            guard entries.count == step, let last = entries.last else { return values }
            rest.lower = last.key.next
        }
    }
}

extension WriteTransaction {
    func set(_ key: Key, _ value: some StoredValue) { set(key, value.stored) }
}
