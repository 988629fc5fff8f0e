/// A step from one format of the file to the next, made in a transaction of its own.
struct Migration: Sendable {
    /// The format that the step leads to: one more than that of the step before.
    let version: Int64
    let apply: @Sendable (SQLiteConnection) throws(StoreError) -> Void

    /// In the file's header: "Strt".
    static let applicationID: Int64 = 0x5374_7274

    /// The tables are as in format 1; in format 2 what the service keeps in them has another form, which it brings about
    /// itself, and which older versions must not open.
    static let all = [
        Migration(version: 1, apply: createTables), Migration(version: 2) { (_) throws(StoreError) in },
    ]

    /// The keys of all partitions in order, each begun with its partition's number. Index entries, the most by far,
    /// hit it at random, so it is kept thin: fat values are appended to a table of their own.
    private static func createTables(_ connection: SQLiteConnection) throws(StoreError) {
        try connection.execute(
            """
            CREATE TABLE partition (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE payload (id INTEGER PRIMARY KEY, v BLOB NOT NULL);
            CREATE TABLE entry (k BLOB PRIMARY KEY NOT NULL, v BLOB, p INTEGER) WITHOUT ROWID;
            """)
    }

    /// Checks the format of a file without changing it.
    /// - Throws: ``StoreError/Code/newerFormat`` if it is beyond, ``StoreError/Code/corrupted`` if it is another's.
    static func check(_ steps: [Migration], on connection: SQLiteConnection) throws(StoreError) {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        try check(version: version, application: application, isEmpty: tables == 0, newest: steps.last?.version ?? 0)
    }

    /// Brings a file to the newest format of `steps`.
    /// - Returns: Whether it was of an older one.
    static func run(_ steps: [Migration], on connection: SQLiteConnection) throws(StoreError) -> Bool {
        let version = try connection.integer("PRAGMA user_version") ?? 0
        for step in steps where step.version > version {
            try connection.execute("BEGIN IMMEDIATE")
            do {
                try step.apply(connection)
                try connection.execute("PRAGMA application_id = \(applicationID)")
                try connection.execute("PRAGMA user_version = \(step.version)")
                try connection.execute("COMMIT")
            } catch {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                throw error
            }
        }
        return steps.contains { $0.version > version }
    }

    /// Whether a file may be used, from what its header says.
    static func check(version: Int64, application: Int64, isEmpty: Bool, newest: Int64) throws(StoreError) {
        if isEmpty, version == 0, application == 0 { return }
        guard application == applicationID else {
            throw StoreError(
                .corrupted, "the database file was not created by Stratus: its application id is \(application)")
        }
        guard version <= newest else {
            throw StoreError(
                .newerFormat,
                "the database file has format \(version), but this version of Stratus reads formats up to \(newest): "
                    + "use the version that wrote it, or a newer one")
        }
        guard version > 0 else { throw StoreError(.corrupted, "the database file has no format number") }
    }
}
