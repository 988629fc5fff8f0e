import StratusWorkers

/// Transactions that are made durable together.
///
/// They run one after another, each over what those before it wrote; what one writes counts only if it succeeds. All
/// are answered when the group's fate is known: even a refusal may rest on a write of the same group that is lost.
final class WriteGroup {
    private var partitions: [Partition: OverlayTransaction] = [:]
    private var executions: [PendingWrite.Execution] = []

    /// Bytes of keys and values written.
    private(set) var size = 0
    var count: Int { executions.count }

    /// Runs a transaction; `base` reads what is committed in its partition.
    func run(_ write: PendingWrite, base: (Partition) -> any ReadTransaction) {
        let merged = partitions[write.partition] ?? OverlayTransaction(over: base(write.partition))
        let transaction = OverlayTransaction(over: merged)
        let execution = write.run(transaction)
        executions.append(execution)
        guard execution.failure == nil, transaction.hasWritten else { return }
        merged.absorb(transaction)
        size += transaction.writtenSize
        partitions[write.partition] = merged
    }

    /// What is to be made durable. The group reads nothing more.
    func takeWrites() -> [Partition: FinishedWrites] {
        defer { partitions = [:] }
        return partitions.mapValues { $0.takeWrites() }
    }

    /// The answers to all callers, to be given when the group's fate is known.
    func takeAnswers() -> GroupAnswers {
        defer { executions = [] }
        return GroupAnswers(executions: executions)
    }
}

/// What the callers of a group's transactions wait for.
struct GroupAnswers: Sendable {
    fileprivate let executions: [PendingWrite.Execution]

    var count: Int { executions.count }

    /// Answers every caller: with the failure, or with what came of its transaction.
    func give(_ failure: StoreError?) {
        WakeUps.gathering { for execution in executions { execution.answer(failure ?? execution.failure) } }
    }
}
