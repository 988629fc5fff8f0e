import Foundation
import StratusWorkers

/// Lets one piece of work after another run, in the order in which they came.
final class SyncTurns: Sendable {
    private struct Running: Sendable {
        var cancel: @Sendable () -> Void
        var end: @Sendable () async -> Void
    }

    private struct State: Sendable {
        var last: Task<Void, Never>?
        var running: [Int: Running] = [:]
        var number = 0
    }

    private let state = Lock(State())

    /// Runs work when its turn has come. The caller's cancellation is the work's.
    /// - Throws: what the work throws; `CKError.operationCancelled` if it was cancelled before its turn.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        // An engine whose callback waits for this work must not be waited for by it.
        let engines = SyncCallback.engines
        let task = enqueue(isCancellable: true) {
            try await SyncCallback.$engines.withValue(engines) { try await work() }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Has work run when its turn has come, whatever is cancelled; nobody waits for it.
    func add(_ work: @escaping @Sendable () async -> Void) { _ = enqueue(isCancellable: false, work) }

    private func enqueue<Value: Sendable>(
        isCancellable: Bool, _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        state.withLock { state in
            let before = state.last
            state.number += 1
            let number = state.number
            // Detached: what is begun inside a delegate's callback is no part of it.
            let task = Task.detached {
                await before?.value
                defer { self.end(number) }
                guard !Task.isCancelled else { throw NSError.operationCancelled as any Error }
                return try await work()
            }
            state.last = Task.detached { _ = await task.result }
            guard isCancellable else { return task }
            state.running[number] = Running(cancel: { task.cancel() }, end: { _ = await task.result })
            return task
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            state.running[number] = nil
            if state.number == number { state.last = nil }
        }
    }

    /// Cancels all that runs and waits.
    /// - Returns: what to wait for, each, until it has ended.
    func cancelAll() -> [@Sendable () async -> Void] {
        let running = state.withLock { Array($0.running.values) }
        for work in running { work.cancel() }
        return running.map(\.end)
    }
}
