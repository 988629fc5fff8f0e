import StratusCSQLite
import StratusWorkers

/// Copies the log into the file beside the writer, which goes on meanwhile.
///
/// What the writer adds in that time is left in the log, and a log begins anew only when all of it was copied. So the
/// writer copies the rest itself when this is done: little, because the bulk and its sync are behind.
final class Checkpointer: Sendable {
    private enum State { case idle, running, done }

    /// Shared by all stores of the process.
    private static let thread = WorkerPool(threads: 1)

    private let state = Lock(State.idle)
    /// Locked through a checkpoint, so that ``stop()`` waits for it; nobody else contends.
    private let connection: Lock<SQLiteConnection?>
    private let health: StoreHealth

    /// - Parameter connection: Used on the checkpointer's thread only.
    init(_ connection: SQLiteConnection, health: StoreHealth) {
        self.connection = Lock(connection)
        self.health = health
    }

    /// Begins to copy, unless that is under way or the rest is to be copied.
    func start() {
        let begins = state.withLock { state in
            defer { if state == .idle { state = .running } }
            return state == .idle
        }
        if begins { Self.thread.submit { self.run() } }
    }

    /// Whether it has copied since it was last asked.
    func takeDone() -> Bool {
        state.withLock { state in
            defer { if state == .done { state = .idle } }
            return state == .done
        }
    }

    /// Waits for what is under way and closes the connection.
    func stop() { connection.withLock { $0 = nil } }

    private func run() {
        connection.withLock { connection in
            do throws(StoreError) {
                _ = try connection?.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            } catch {
                health.noteWrite(error)
            }
        }
        state.withLock { $0 = .done }
    }
}
