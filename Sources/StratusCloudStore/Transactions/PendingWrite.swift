/// A write transaction that waits to be run.
struct PendingWrite: Sendable {
    /// A transaction that was run, but whose caller does not know it yet.
    struct Execution: Sendable {
        /// Why its writes are not wanted: what the body threw, or a limit. Nil if they are.
        let failure: (any Error)?
        /// See ``PendingWrite/answer``.
        let answer: @Sendable ((any Error)?) -> Void
    }

    let partition: Partition
    /// What the transaction does. What it returns is the caller's own affair: many kinds of callers share one thread,
    /// on which each generic value would be asked for its size and how it is copied.
    let body: @Sendable (any WriteTransaction) throws -> Void
    /// Answers the caller: with a failure, or that what was written is durable.
    let answer: @Sendable ((any Error)?) -> Void

    func run(_ transaction: OverlayTransaction) -> Execution {
        do {
            try body(transaction)
            try transaction.checkLimits()
            return Execution(failure: nil, answer: answer)
        } catch {
            return Execution(failure: error, answer: answer)
        }
    }
}
