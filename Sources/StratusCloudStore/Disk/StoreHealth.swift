import StratusWorkers

/// Whether the store may still write. Damage, or a commit of unknown outcome, stops it until it is opened again.
final class StoreHealth: Sendable {
    private let state = Lock<StoreError?>(nil)

    var failure: StoreError? { state.withLock { $0 } }

    /// Notes a failure of reading; only damage stops the store.
    func noteRead(_ error: any Error) {
        guard let error = error as? StoreError, error.code == .corrupted else { return }
        state.withLock { $0 = $0 ?? error }
    }

    /// Notes a failure of the writer; only where surely nothing was written does the store go on.
    func noteWrite(_ error: StoreError) {
        switch error.code {
        case .diskFull, .tooLarge, .closed, .locked: break
        case .readOnly, .newerFormat, .otherEngine, .corrupted, .ioFailure: state.withLock { $0 = $0 ?? error }
        }
    }
}

extension StoreError {
    static let isClosed = StoreError(.closed, "the store was closed")
}
