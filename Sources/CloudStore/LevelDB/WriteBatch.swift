/// Writes as the C side takes them, in the order they count.
struct WriteBatch {
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func set(_ prefix: [UInt8], _ key: [UInt8], _ value: [UInt8]) {
        begin(1, keySize: prefix.count + key.count, valueSize: value.count)
        bytes.append(contentsOf: prefix)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    mutating func clear(_ prefix: [UInt8], _ key: [UInt8]) {
        begin(0, keySize: prefix.count + key.count, valueSize: 0)
        bytes.append(contentsOf: prefix)
        bytes.append(contentsOf: key)
    }

    mutating func clear(row: UnsafeRawBufferPointer) {
        begin(0, keySize: row.count, valueSize: 0)
        bytes.append(contentsOf: row)
    }

    mutating func set(row: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        begin(1, keySize: row.count, valueSize: value.count)
        bytes.append(contentsOf: row)
        bytes.append(contentsOf: value)
    }

    private mutating func begin(_ operation: UInt8, keySize: Int, valueSize: Int) {
        bytes.append(operation)
        withUnsafeBytes(of: (UInt32(keySize), UInt32(valueSize))) { bytes.append(contentsOf: $0) }
    }
}
