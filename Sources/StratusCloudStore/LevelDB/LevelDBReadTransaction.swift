/// A partition as a snapshot, or the writer, sees it.
///
/// `@unchecked Sendable`: LevelDB never changes a snapshot, which may be read on any thread until it is released.
struct LevelDBReadTransaction: ReadTransaction, @unchecked Sendable {
    let database: LevelDBDatabase
    /// Nil for what was appended, durable or not.
    let snapshot: OpaquePointer?
    /// What the keys of the partition's rows begin with; nil if nothing was ever written to it.
    let prefix: [UInt8]?

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard let prefix else { return Array(repeating: nil, count: keys.count) }
        return try keys.map { key in
            guard key.bytes.count <= StoreLimits.keySize else { return nil }
            return try withRow(prefix, key) { (row) throws(StoreError) in try database.get(row, snapshot) }
        }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        guard let prefix, limit > 0, !range.isEmpty else { return [] }
        var result: [StoreEntry] = []
        try forEachRow(prefix, range, limit: limit, reverse: reverse) { key, value in
            let rest = UnsafeRawBufferPointer(rebasing: key[prefix.count...])
            result.append(StoreEntry(key: Key(Array(rest)), value: Array(value)))
            return result.count < limit
        }
        return result
    }

    func forEach(
        in range: KeyRange, limit: Int, reverse: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let prefix, limit > 0, !range.isEmpty else { return }
        var left = limit
        var failure: (any Error)?
        try forEachRow(prefix, range, limit: limit, reverse: reverse) { key, value in
            left -= 1
            do {
                return try body(UnsafeRawBufferPointer(rebasing: key[prefix.count...]), value) && left > 0
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// Calls `body` with each row of a range, until it returns false.
    func forEachRow(
        _ prefix: [UInt8], _ range: KeyRange, limit: Int, reverse: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        let isScan = limit >= LevelDBLimits.scanLength
        try withRow(prefix, range.lower) { (lower) throws(StoreError) in
            try withRow(prefix, range.upper) { (upper) throws(StoreError) in
                try database.forEach(from: lower, to: upper, reverse: reverse, isScan: isScan, snapshot, body)
            }
        }
    }

    /// Calls `body` with a partition's prefix and a key in one piece of memory.
    private func withRow<Result>(
        _ prefix: [UInt8], _ key: Key, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // Keys over the limit exist only as bounds of ranges; what is beyond one byte more decides nothing.
        let count = min(key.bytes.count, StoreLimits.keySize + 1)
        let outcome = withUnsafeTemporaryAllocation(byteCount: prefix.count + count, alignment: 8) { memory in
            memory.copyBytes(from: prefix)
            key.bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: memory[prefix.count...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            return Swift.Result { () throws(StoreError) in try body(UnsafeRawBufferPointer(memory)) }
        }
        return try outcome.get()
    }
}
