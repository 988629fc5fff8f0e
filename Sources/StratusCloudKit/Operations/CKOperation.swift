import Foundation
import StratusWorkers

/// Work of CloudKit for an operation queue.
///
/// All blocks of an operation run one after another, on a queue of its own. Set everything before the operation is added
/// to a queue; an operation runs once.
///
/// `@unchecked Sendable`: what changes while it runs is under a lock. Everything else, the blocks among it, is set before the
/// operation starts and read after; between the two lies the queue's own synchronization.
open class CKOperation: Operation, @unchecked Sendable {
    /// The name of an operation.
    public typealias ID = String
    /// How operations run.
    public typealias Configuration = CKOperationConfiguration

    private struct State: Sendable {
        var isExecuting = false
        var isFinished = false
        /// Whether the work was begun: it is begun once.
        var hasBegun = false
        var task: Task<Void, Never>?
        var configuration = CKOperationConfiguration()
        var group: CKOperationGroup?
        /// Of the container or database that the operation was added to.
        var scope = ScopedOptions()
        var source: ContainerSource?
        var id: ID = UUID().uuidString
        var isAdded = false
        /// Whether some items were told that they were cancelled.
        var hasCancelledItems = false
        /// Where a long-lived operation is written down.
        var kept: KeptOperation?
    }

    /// Names the operation.
    public var operationID: ID { state.withLock { $0.id } }
    /// Called when a long-lived operation has been written down.
    open var longLivedOperationWasPersistedBlock: (() -> Void)?
    private let state = Lock(State())
    /// The default container where the operation was made: a queue's threads know nothing of the task's.
    private let origin = ContainerSource.current(nil)
    private let blockQueue = DispatchQueue(label: "org.stratus.cloudkit.operation")

    /// An operation.
    public override init() { super.init() }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// How it runs: what is changed on it counts. Setting one copies it; nil is the standard.
    open var configuration: Configuration! {
        get { state.withLock { $0.configuration } }
        set {
            let copy = CKOperationConfiguration(newValue?.values ?? CKOperationConfiguration.Values())
            state.withLock { $0.configuration = copy }
        }
    }

    /// The operations it belongs to.
    open var group: CKOperationGroup? {
        get { state.withLock { $0.group } }
        set { state.withLock { $0.group = newValue } }
    }

    // MARK: For subclasses

    /// Does the work, and calls all blocks but the last.
    /// - Throws: what is wrong with all of it.
    func run() async throws {}

    /// Calls the last block.
    func finish(_ result: Result<Void, any Error>) async {}

    /// Notes that items were told that they were cancelled.
    func noteCancelledItems() { state.withLock { $0.hasCancelledItems = true } }

    // MARK: For long-lived subclasses

    /// What archives call operations of this kind; nil for those that end with the process.
    var longLivedName: String? { nil }

    /// Archives what was given to it.
    func encodeTask(with coder: NSCoder, files: OperationFiles) throws {}

    /// Takes over what ``encodeTask(with:files:)`` archived.
    func decodeTask(with coder: NSCoder) -> Bool { false }

    /// Takes note of what became of something, and calls the blocks for it.
    func handle(_ event: OperationEvent) async {}

    /// Where it is written down, if it is and in this process's hands. Setting nil lets go of it.
    var kept: KeptOperation? {
        get { state.withLock { $0.kept } }
        set {
            let former = state.withLock { state in
                defer { state.kept = newValue }
                return state.kept
            }
            if newValue == nil { former?.letGo() }
        }
    }

    /// Makes it one that an earlier process had begun.
    func resume(_ kept: KeptOperation) {
        state.withLock { state in
            state.id = kept.id
            state.kept = kept
        }
    }

    /// Whether it is to be added to a queue now: a long-lived operation that is running already is not.
    func beginAdding() -> Bool {
        let isLongLived = effectiveValues.isLongLived ?? false
        return state.withLock { state in
            defer { state.isAdded = true }
            return !(state.isAdded && isLongLived)
        }
    }

    /// Runs a block of the caller's, after all that were run before.
    func call(_ block: @escaping () -> Void) async {
        let block = BlockBox(block)
        await withCheckedContinuation { continuation in
            blockQueue.async {
                block.body()
                continuation.resume()
            }
        }
    }

    /// A block of the caller's on its way to the operation's queue, the only place where it is called.
    private struct BlockBox: @unchecked Sendable {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Explicit values of the operation, over those of its group, over those of where it was added.
    var effectiveValues: CKOperationConfiguration.Values {
        let state = state.withLock { $0 }
        return state.scope.with(state.configuration, state.group).configuration
    }

    var callOptions: CallOptions { effectiveValues.callOptions(.default) }

    /// The container it is about.
    var containerSource: ContainerSource {
        effectiveValues.container?.source ?? state.withLock { $0.source } ?? origin
    }

    /// Notes where the operation was added.
    func join(_ source: ContainerSource, _ scope: ScopedOptions) {
        state.withLock { state in
            state.source = state.source ?? source
            state.scope = scope
        }
    }

    // MARK: Operation

    /// How urgent it is: that of ``configuration``.
    open override var qualityOfService: QualityOfService {
        get { configuration.qualityOfService }
        set {
            configuration.qualityOfService = newValue
            super.qualityOfService = newValue
        }
    }

    /// Operations do their work elsewhere than where they are started.
    open override var isAsynchronous: Bool { true }
    /// Whether it runs.
    open override var isExecuting: Bool { state.withLock { $0.isExecuting } }
    /// Whether it has ended.
    open override var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Called by the queue: calls ``main()``, unless the operation was cancelled.
    open override func start() {
        willChangeValue(forKey: "isExecuting")
        state.withLock { $0.isExecuting = true }
        didChangeValue(forKey: "isExecuting")
        if isCancelled { begin() } else { main() }
    }

    /// Begins the work. A subclass that sets its blocks here calls it of its superclass afterwards.
    open override func main() { begin() }

    private func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        let task = Task { await self.work() }
        let isLate = state.withLock { state in
            state.task = task
            return state.isFinished
        }
        if isLate { state.withLock { $0.task = nil } }
        if isCancelled { task.cancel() }
    }

    private func work() async {
        var result: Result<Void, any Error> = .success(())
        do {
            guard !isCancelled else { throw NSError.operationCancelled }
            if let known = try await beginLongLived() { result = known } else { try await run() }
            // What was cancelled with some of its items undone was cancelled.
            if isCancelled, state.withLock({ $0.hasCancelledItems }) { throw NSError.operationCancelled }
        } catch {
            result = .failure(isCancelled ? NSError.operationCancelled : error)
        }
        await keepEnd(result)
        await finish(result)
        await forgetLongLived()
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        state.withLock { state in
            state.isExecuting = false
            state.isFinished = true
            state.task = nil
        }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
    }

    /// Ends the work soon, with `CKError.operationCancelled`; requests on their way are broken off.
    open override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }
}
