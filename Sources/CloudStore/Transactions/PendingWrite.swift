/// A write transaction that waits to be run, without the type of its result.
struct PendingWrite: Sendable {
    /// A transaction that was run, but whose caller does not know it yet.
    struct Execution: Sendable {
        /// Whether its writes are wanted.
        let succeeded: Bool
        /// Answers the caller: with the failure, or with what the body returned or threw.
        let answer: @Sendable (StoreError?) -> Void
    }

    let partition: Partition
    let run: @Sendable (OverlayTransaction) -> Execution
    /// Answers without running.
    let refuse: @Sendable (StoreError) -> Void

    init<Result: Sendable>(
        _ partition: Partition, body: @escaping @Sendable (any WriteTransaction) throws -> Result,
        answer: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        self.partition = partition
        refuse = { answer(.failure($0)) }
        run = { transaction in
            let outcome = Swift.Result<Result, any Error> {
                let result = try body(transaction)
                try transaction.checkLimits()
                return result
            }
            let succeeded = if case .success = outcome { true } else { false }
            return Execution(succeeded: succeeded) { failure in
                answer(failure.map { .failure($0) } ?? outcome)
            }
        }
    }
}
