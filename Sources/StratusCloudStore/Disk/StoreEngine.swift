/// The engines that keep data on a disk.
public enum StoreEngine: String, CaseIterable, Sendable {
    /// Sorted tables behind a log, for many writes: the default.
    case leveldb
    /// One file.
    case sqlite

    /// The engine whose data is in a directory, nil if there is none.
    public static func existing(in directory: String) -> StoreEngine? {
        if SQLiteStore.exists(in: directory) { return .sqlite }
        return LevelDBStore.exists(in: directory) ? .leveldb : nil
    }

    /// Opens the store of a directory with the engine that made it, or makes one with this engine. Blocks.
    /// - Throws: ``StoreError``, also if another engine than `required` made it.
    public static func open(
        directory: String, required: StoreEngine? = nil, otherwise engine: StoreEngine = .leveldb
    ) throws(StoreError) -> any MaintainedStore {
        let existing = existing(in: directory)
        if let existing, let required, existing != required {
            throw StoreError(
                .otherEngine,
                "the data in \(directory) was made by the engine \(existing.rawValue), not \(required.rawValue)")
        }
        switch existing ?? required ?? engine {
        case .leveldb: return try LevelDBStore(directory: directory)
        case .sqlite: return try SQLiteStore(directory: directory)
        }
    }
}
