import StratusWorkers

/// Holds a delegate as long as somebody else does.
final class WeakDelegate: Sendable {
    private struct Reference {
        weak var delegate: (any CKSyncEngineDelegate)?
    }

    private let reference: Lock<Reference>

    init(_ delegate: any CKSyncEngineDelegate) { reference = Lock(Reference(delegate: delegate)) }

    var delegate: (any CKSyncEngineDelegate)? { reference.withLock { $0.delegate } }
}
