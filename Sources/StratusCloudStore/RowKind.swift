/// The kinds of rows, which the first byte of a key tells, as far as engines go by them.
public enum RowKind {
    /// Kinds whose rows are read in ranges: the entries of indexes. Hardly anybody asks for one by its key, so an engine may
    /// take longer to tell that it is not there. In partitions that are no database the numbers stand for others, of which
    /// there are few.
    ///
    /// Tables are made by it. Kinds may be added, with a new format of the engine (``LevelDBMigration``); one that is taken
    /// out would be missed in the tables that were made before.
    public static let readInRanges: [UInt8] = [0x40, 0x41, 0x42]
}
