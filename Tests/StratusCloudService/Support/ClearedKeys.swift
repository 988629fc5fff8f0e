import StratusCloudStore
import StratusWorkers

/// Notes what was cleared, and counts reads of ranges, by transactions that may write, that go over it again.
final class ClearedKeys: StoreObserver {
    private let state = Lock((cleared: [KeyRange](), reads: 0))

    /// Whether single keys are noted, too.
    private let notesKeys: Bool

    init(notesKeys: Bool = false) { self.notesKeys = notesKeys }

    /// How often something was cleared.
    var clearings: Int { state.withLock { $0.cleared.count } }
    /// Reads of ranges with something in it that was cleared.
    var readsOverCleared: Int { state.withLock { $0.reads } }

    /// Begins anew.
    func forget() { state.withLock { $0 = ([], 0) } }

    func note(_ access: StoreAccess, isWriting: Bool) {
        guard isWriting else { return }
        state.withLock { state in
            switch access {
            case .clear(let range, let isKey): if notesKeys || !isKey { state.cleared.append(range) }
            case .range(let range, _):
                let isOver = state.cleared.contains { $0.lower < range.upper && range.lower < $0.upper }
                state.reads += isOver ? 1 : 0
            case .get, .set: break
            }
        }
    }
}
