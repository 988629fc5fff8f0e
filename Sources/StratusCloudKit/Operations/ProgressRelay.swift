import Foundation

/// Brings progress, which comes from anywhere, to an operation's blocks, one after another and before the results.
final class ProgressRelay: Sendable {
    private let stream: AsyncStream<@Sendable (CKOperation) -> Void>.Continuation
    private let task: Task<Void, Never>

    init(_ operation: CKOperation) {
        let (reports, continuation) = AsyncStream<@Sendable (CKOperation) -> Void>.makeStream()
        stream = continuation
        task = Task {
            for await report in reports { await operation.call { report(operation) } }
        }
    }

    func report(_ body: @escaping @Sendable (CKOperation) -> Void) { stream.yield(body) }

    /// Waits until all that was reported has been told.
    func end() async {
        stream.finish()
        await task.value
    }
}
