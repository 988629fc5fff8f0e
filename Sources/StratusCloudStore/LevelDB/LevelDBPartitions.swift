/// The engine's own rows, before those of all partitions: which number each partition has.
enum LevelDBPartitions {
    /// No partition's prefix begins with it: numbers begin at 1, and each begins with its length.
    private static let ownPrefix: [UInt8] = [0]
    private static let nextNumberKey: [UInt8] = Array("next".utf8)
    private static let namePrefix: [UInt8] = Array("name/".utf8)

    /// What the keys of a partition's rows begin with, nil if nothing was ever written to it.
    static func prefix(
        of partition: Partition, _ database: LevelDBDatabase, _ snapshot: OpaquePointer?
    ) throws(StoreError) -> [UInt8]? {
        try number(at: namePrefix + Array(partition.name.utf8), database, snapshot).map(RowKey.prefix(partition:))
    }

    /// All partitions that have a number.
    static func all(
        _ database: LevelDBDatabase, _ snapshot: OpaquePointer
    ) throws(StoreError) -> [Partition] {
        let lower = ownPrefix + namePrefix
        let upper = Key(lower).afterAllWithThisPrefix.bytes
        var found: [Partition] = []
        try lower.withBlob { (first) throws(StoreError) in
            try upper.withBlob { (end) throws(StoreError) in
                try database.forEach(from: first, to: end, snapshot) { key, _ in
                    found.append(Partition(String(decoding: key.dropFirst(lower.count), as: UTF8.self)))
                    return true
                }
            }
        }
        return found
    }

    /// The number that the next new partition gets.
    static func nextNumber(_ database: LevelDBDatabase) throws(StoreError) -> Int64 {
        try number(at: nextNumberKey, database, nil) ?? 1
    }

    /// Writes that a partition has a number.
    static func add(_ partition: Partition, _ number: Int64, to batch: WriteBatch) {
        batch.set(ownPrefix, namePrefix + Array(partition.name.utf8), bytes(of: number))
        batch.set(ownPrefix, nextNumberKey, bytes(of: number + 1))
    }

    private static func number(
        at key: [UInt8], _ database: LevelDBDatabase, _ snapshot: OpaquePointer?
    ) throws(StoreError) -> Int64? {
        let row = ownPrefix + key
        let value = try row.withBlob { (row) throws(StoreError) in try database.get(row, snapshot) }
        guard let value else { return nil }
        guard value.count == 8 else {
            throw StoreError(.corrupted, "the number of a partition has \(value.count) bytes instead of 8")
        }
        return value.reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
