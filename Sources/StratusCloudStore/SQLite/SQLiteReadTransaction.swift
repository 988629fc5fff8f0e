/// A partition as one connection sees it while a transaction is open there.
struct SQLiteReadTransaction: ReadTransaction {
    let reader: EntryReader
    /// What the keys of the partition's rows begin with; nil if nothing was ever written to it.
    let prefix: [UInt8]?

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        guard let prefix else { return Array(repeating: nil, count: keys.count) }
        return try keys.map { try reader.get(prefix, $0) }
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        guard let prefix else { return [] }
        return try reader.entries(prefix, in: range, limit: limit, reverse: reverse)
    }
}
