/// A step from one format to the next. It may be run again after a crash, so it must not mind what it has done already.
struct LevelDBMigration: Sendable {
    /// The format that the step leads to: one more than that of the step before.
    let format: Int
    let apply: @Sendable (LevelDBDatabase) throws(StoreError) -> Void

    /// Format 1: rows as ``LevelDBReadTransaction`` and ``LevelDBPartitions`` have them. Format 2: the same; what the
    /// service keeps in them has another form, which it brings about itself, and which older versions must not open.
    /// Format 3: the same; filters of tables leave out ``RowKind/surelyThere``, which older versions would take for absent.
    static let all = [
        LevelDBMigration(format: 1) { (_) throws(StoreError) in },
        LevelDBMigration(format: 2) { (_) throws(StoreError) in },
        LevelDBMigration(format: 3) { (_) throws(StoreError) in },
    ]
}
