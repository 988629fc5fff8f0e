/// Reads the rows of partitions on one connection.
///
/// What a row may look like:
/// | v | p | |
/// | --- | --- | --- |
/// | null | null | an empty value |
/// | bytes | null | a small value |
/// | null | number | the value is in the row of `payload` with this id |
final class EntryReader {
    private let getStatement: SQLiteStatement
    private let ascending: SQLiteStatement
    private let descending: SQLiteStatement
    private let partitionStatement: SQLiteStatement
    private let lower = RowKey()
    private let upper = RowKey()

    init(_ connection: SQLiteConnection) throws(StoreError) {
        let range = """
            SELECT e.k, e.v, e.p, f.v FROM entry e LEFT JOIN payload f ON f.id = e.p
            WHERE e.k >= ?1 AND e.k < ?2 ORDER BY e.k
            """
        getStatement = try connection.prepare(
            "SELECT e.k, e.v, e.p, f.v FROM entry e LEFT JOIN payload f ON f.id = e.p WHERE e.k = ?1")
        ascending = try connection.prepare(range + " ASC LIMIT ?3")
        descending = try connection.prepare(range + " DESC LIMIT ?3")
        partitionStatement = try connection.prepare("SELECT id FROM partition WHERE name = CAST(?1 AS TEXT)")
    }

    /// What the keys of a partition's rows begin with, nil if nothing was ever written to it.
    func prefix(of partition: Partition) throws(StoreError) -> [UInt8]? {
        let number = try number(of: partition)
        return number.map(RowKey.prefix(partition:))
    }

    private func number(of partition: Partition) throws(StoreError) -> Int64? {
        try Array(partition.name.utf8).withBlob { (name) throws(StoreError) in
            partitionStatement.bind(1, name)
            guard try partitionStatement.next() else { return nil }
            defer { partitionStatement.reset() }
            return partitionStatement.integer(0)
        }
    }

    func get(_ prefix: [UInt8], _ key: Key) throws(StoreError) -> [UInt8]? {
        guard key.bytes.count <= StoreLimits.keySize else { return nil }
        getStatement.bind(1, lower.compose(prefix, key))
        guard try getStatement.next() else { return nil }
        defer { getStatement.reset() }
        return try Self.value(getStatement)
    }

    func entries(
        _ prefix: [UInt8], in range: KeyRange, limit: Int, reverse: Bool
    ) throws(StoreError) -> [StoreEntry] {
        guard limit > 0, !range.isEmpty else { return [] }
        let statement = reverse ? descending : ascending
        statement.bind(1, lower.compose(prefix, range.lower))
        statement.bind(2, upper.compose(prefix, range.upper))
        statement.bind(3, Int64(limit))
        defer { statement.reset() }
        var result: [StoreEntry] = []
        while try statement.next() {
            let key = Key(statement.bytes(0, dropping: prefix.count))
            result.append(StoreEntry(key: key, value: try Self.value(statement)))
        }
        return result
    }

    private static func value(_ row: SQLiteStatement) throws(StoreError) -> [UInt8] {
        if row.isNull(2) { return row.bytes(1) }
        guard !row.isNull(3) else {
            throw StoreError(
                .corrupted, "table entry refers to row \(row.integer(2)) of table payload, which is missing")
        }
        return row.bytes(3)
    }
}
