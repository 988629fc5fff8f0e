import StratusWorkers

/// Threads that help another with what it does, as long as it does it. Those that come too late do nothing, so it does
/// not matter whether there are any.
final class HelpingThreads: Sendable {
    private struct State {
        var isOver = false
        var atWork = 0
        var failure: (any Error)?
    }

    private let state = Monitor(State())

    /// Asks threads of a pool for help.
    init(_ count: Int, from pool: WorkerPool, _ body: @escaping @Sendable () throws -> Void) {
        for _ in 0..<count { pool.submit { self.help(body) } }
    }

    private func help(_ body: () throws -> Void) {
        let isWanted = state.withLock { state in
            if !state.isOver { state.atWork += 1 }
            return !state.isOver
        }
        guard isWanted else { return }
        var failure: (any Error)?
        do { try body() } catch { failure = error }
        state.withLock { state in
            state.atWork -= 1
            state.failure = state.failure ?? failure
        }
        state.wakeAll()
    }

    /// Lets nobody begin any more, and waits for those that have begun. Blocks.
    /// - Throws: what one of them threw.
    func finish() throws {
        state.withLock { $0.isOver = true }
        if let failure = state.wait(for: { $0.atWork == 0 ? .some($0.failure) : nil }) { throw failure }
    }
}
