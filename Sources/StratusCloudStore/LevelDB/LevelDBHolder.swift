/// The database that is open now. After a write that failed it is closed and opened again, because LevelDB writes
/// nothing more to a database that has met an error.
final class LevelDBHolder: Sendable {
    private enum State {
        case open(LevelDBDatabase)
        case failed(StoreError)
    }

    let directory: LevelDBDirectory
    private let options: LevelDBStore.Options
    /// One for all databases that are open in turn.
    let hold = RemovalHold()
    private let state: ReadWriteLock<State>

    init(_ directory: LevelDBDirectory, mayCreate: Bool, _ options: LevelDBStore.Options) throws(StoreError) {
        self.directory = directory
        self.options = options
        state = ReadWriteLock(
            .open(try LevelDBDatabase(path: directory.path, mayCreate: mayCreate, options, hold: hold)))
    }

    /// Calls `body` with the database, which stays open meanwhile. `body` must not call this again.
    func withDatabase<Result>(_ body: (LevelDBDatabase) throws -> Result) throws -> Result {
        try state.read { state throws -> Result in
            switch state {
            case .open(let database): return try body(database)
            case .failed(let error): throw error
            }
        }
    }

    /// Opens the database again when all readers have left it.
    func reopen() throws(StoreError) {
        let room = (try directory.sizes()["log"] ?? 0) + LevelDBLimits.spareRoom
        guard directory.hasRoom(for: room) else {
            throw StoreError(.diskFull, "the disk of \(directory.path) has less than \(room) bytes left")
        }
        let (directory, options, hold) = (directory, options, hold)
        try state.write { state throws(StoreError) in
            // Two databases in one directory would destroy each other.
            state = .failed(StoreError(.ioFailure, "the database is being opened again"))
            do throws(StoreError) {
                state = .open(try LevelDBDatabase(path: directory.path, mayCreate: false, options, hold: hold))
            } catch {
                state = .failed(error)
                throw error
            }
        }
    }

    /// Leaves no log to be replayed, unless `failed`.
    func close(failed: Bool) {
        state.write { state in
            if case .open(let database) = state, !failed { database.flush() }
            state = .failed(.isClosed)
        }
    }
}
