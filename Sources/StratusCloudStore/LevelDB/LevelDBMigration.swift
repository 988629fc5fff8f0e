/// A step from one format to the next. It may be run again after a crash, so it must not mind what it has done already.
struct LevelDBMigration: Sendable {
    /// The format that the step leads to: one more than that of the step before.
    let format: Int
    /// Nil where nothing that is there changes, only what is written from then on: then the number is noted before the
    /// database is opened, which may already make a table. Behind a step that changes something it would be noted later, so
    /// such steps come first.
    let apply: (@Sendable (LevelDBDatabase) throws(StoreError) -> Void)?

    /// Format 1: rows as ``LevelDBReadTransaction`` and ``LevelDBPartitions`` have them. Format 2: the same; what the
    /// service keeps in them has another form, which it brings about itself, and which older versions must not open.
    /// Format 3: the same; filters of tables leave out ``RowKind/readInRanges``, which older versions would take for absent
    /// where they look for one by its key.
    static let all = (1...3).map { LevelDBMigration(format: $0, apply: nil) }
}
