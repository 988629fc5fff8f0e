/// Writes the rows of partitions on the writer's connection, in its open transaction.
///
/// New rows are by far the most, so each write first does what is right for a new row, which costs one descent into the
/// tree, and looks for an old one only if that changed nothing.
final class EntryWriter {
    private let connection: SQLiteConnection
    private let setSmall, setFat, replaceSmall, replaceFat: SQLiteStatement
    private let addPayload, changePayload, deletePayload: SQLiteStatement
    private let payloadOf, deleteSmall, deleteAny: SQLiteStatement
    private let deletePayloads, deleteRange: SQLiteStatement
    private let addPartition: SQLiteStatement
    private let lower = RowKey()
    private let upper = RowKey()
    /// The id for the next payload: appended, so that payloads fill page after page.
    private var nextPayload: Int64

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        setSmall = try connection.prepare(
            """
            INSERT INTO entry (k, v, p) VALUES (?1, ?2, NULL)
            ON CONFLICT (k) DO UPDATE SET v = excluded.v WHERE p IS NULL
            """)
        setFat = try connection.prepare(
            "INSERT INTO entry (k, v, p) VALUES (?1, NULL, ?2) ON CONFLICT (k) DO NOTHING")
        replaceSmall = try connection.prepare("UPDATE entry SET v = ?2, p = NULL WHERE k = ?1")
        replaceFat = try connection.prepare("UPDATE entry SET v = NULL, p = ?2 WHERE k = ?1")
        addPayload = try connection.prepare("INSERT INTO payload (id, v) VALUES (?1, ?2)")
        changePayload = try connection.prepare("UPDATE payload SET v = ?2 WHERE id = ?1")
        deletePayload = try connection.prepare("DELETE FROM payload WHERE id = ?1")
        payloadOf = try connection.prepare("SELECT p FROM entry WHERE k = ?1")
        deleteSmall = try connection.prepare("DELETE FROM entry WHERE k = ?1 AND p IS NULL")
        deleteAny = try connection.prepare("DELETE FROM entry WHERE k = ?1")
        deletePayloads = try connection.prepare(
            """
            DELETE FROM payload WHERE id IN
            (SELECT p FROM entry WHERE k >= ?1 AND k < ?2 AND p IS NOT NULL)
            """)
        deleteRange = try connection.prepare("DELETE FROM entry WHERE k >= ?1 AND k < ?2")
        addPartition = try connection.prepare("INSERT INTO partition (name) VALUES (CAST(?1 AS TEXT))")
        nextPayload = (try connection.integer("SELECT max(id) FROM payload") ?? 0) + 1
    }

    /// Gives a new partition its number.
    func add(_ partition: Partition) throws(StoreError) -> Int64 {
        try Array(partition.name.utf8).withBlob { (name) throws(StoreError) in
            addPartition.bind(1, name)
            try addPartition.run()
        }
        return connection.lastInsertedRow
    }

    /// Makes the writes of a partition, in order of the keys.
    func apply(_ writes: FinishedWrites, _ prefix: [UInt8]) throws(StoreError) {
        for range in writes.clearedRanges { try clear(range, prefix) }
        try writes.forEach { (key, value) throws(StoreError) in
            let row = lower.compose(prefix, key)
            guard let value else { return try clear(row) }
            if value.count <= SQLiteLimits.inlineValueSize {
                try set(row, small: value)
            } else {
                try set(row, fat: value)
            }
        }
    }

    private func set(_ row: UnsafeRawBufferPointer, small value: UnsafeRawBufferPointer) throws(StoreError) {
        if try run(setSmall, row, value) > 0 { return }
        // A fat value is there.
        if let old = try payload(of: row) { try run(deletePayload, id: old) }
        try run(replaceSmall, row, value)
    }

    private func set(_ row: UnsafeRawBufferPointer, fat value: UnsafeRawBufferPointer) throws(StoreError) {
        let id = nextPayload
        setFat.bind(1, row)
        setFat.bind(2, id)
        try setFat.run()
        if connection.changes == 0 {
            if let old = try payload(of: row) {
                // In place: its page would have to be written to delete it, too.
                return try run(changePayload, id: old, value)
            }
            replaceFat.bind(1, row)
            replaceFat.bind(2, id)
            try replaceFat.run()
        }
        try run(addPayload, id: id, value)
        nextPayload = id + 1
    }

    private func clear(_ row: UnsafeRawBufferPointer) throws(StoreError) {
        deleteSmall.bind(1, row)
        try deleteSmall.run()
        guard connection.changes == 0, let old = try payload(of: row) else { return }
        try run(deletePayload, id: old)
        deleteAny.bind(1, row)
        try deleteAny.run()
    }

    private func clear(_ range: KeyRange, _ prefix: [UInt8]) throws(StoreError) {
        let (low, high) = (lower.compose(prefix, range.lower), upper.compose(prefix, range.upper))
        for statement in [deletePayloads, deleteRange] {
            statement.bind(1, low)
            statement.bind(2, high)
            try statement.run()
        }
    }

    /// The id of a row's payload, nil if there is no row, or one without.
    private func payload(of row: UnsafeRawBufferPointer) throws(StoreError) -> Int64? {
        payloadOf.bind(1, row)
        guard try payloadOf.next() else { return nil }
        defer { payloadOf.reset() }
        return payloadOf.isNull(0) ? nil : payloadOf.integer(0)
    }

    /// - Returns: Rows inserted or changed.
    @discardableResult
    private func run(
        _ statement: SQLiteStatement, _ row: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StoreError) -> Int {
        statement.bind(1, row)
        if value.isEmpty { statement.bindNull(2) } else { statement.bind(2, value) }
        try statement.run()
        return connection.changes
    }

    private func run(_ statement: SQLiteStatement, id: Int64, _ value: UnsafeRawBufferPointer? = nil) throws(StoreError)
    {
        statement.bind(1, id)
        if let value { statement.bind(2, value) }
        try statement.run()
    }
}
