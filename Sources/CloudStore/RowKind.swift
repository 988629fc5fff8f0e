/// The kinds of rows, which the first byte of a key tells, as far as engines go by them.
public enum RowKind {
    /// Kinds whose rows are read in ranges, or looked for by their keys where they surely are: records, to which their
    /// names and index entries lead, and index entries. An engine may take longer to tell that one is not there.
    ///
    /// Tables are made by it, so it changes only together with the format of the engine (``LevelDBMigration``).
    public static let surelyThere: [UInt8] = [0x21, 0x40, 0x41, 0x42]
}
