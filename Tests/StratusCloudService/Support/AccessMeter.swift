import StratusWorkers

/// Counts what transactions read, and what they set.
final class AccessMeter: StoreObserver {
    struct Counts: Equatable {
        var keys = 0
        var ranges = 0
        var entries = 0
        var writes = 0
        /// Reads of transactions that may write, of keys and ranges: each is a way to the store.
        var readsToWrite = 0

        /// Values that were read.
        var read: Int { keys + entries }
    }

    private let state = Lock(Counts())

    /// What `body` made transactions do.
    func counting(_ body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0 = Counts() }
        try await body()
        return state.withLock { $0 }
    }

    func note(_ access: StoreAccess, isWriting: Bool) {
        state.withLock { counts in
            switch access {
            case .get(let keys):
                counts.keys += keys
                counts.readsToWrite += isWriting ? 1 : 0
            case .range(_, let entries):
                counts.ranges += 1
                counts.entries += entries
                counts.readsToWrite += isWriting ? 1 : 0
            case .set: counts.writes += 1
            case .clear: break
            }
        }
    }
}
