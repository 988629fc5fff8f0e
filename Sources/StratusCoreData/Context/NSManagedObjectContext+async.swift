import Foundation

extension NSManagedObjectContext {
    /// When an asynchronous call runs its block.
    public enum ScheduledTaskType: Sendable {
        /// At once if the caller is on the queue of the context.
        case immediate
        /// After what is on the queue already.
        case enqueued
    }

    /// Returns the result of a block that runs on the queue of the context. Throws what the block throws.
    public func perform<T, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let result: Result<Handover<T>, Failure> = await withCheckedContinuation { continuation in
            let run: @Sendable () -> Void = {
                do throws(Failure) {
                    continuation.resume(returning: .success(Handover(value: try block())))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if schedule == .immediate, queue.isCurrent { run() } else { perform(run) }
        }
        return try result.get().value
    }
}

// The value is made once on the queue and read once by the caller, after the continuation resumed it. As with Apple, the
// caller answers for a value that is bound to the queue, such as a managed object.
/// A value on its way from the queue of a context to the caller.
private struct Handover<Value>: @unchecked Sendable {
    let value: Value
}
