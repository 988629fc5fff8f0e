import StratusWorkers

/// Wakes one task when there is something to do, or a time has passed.
final class Alarm: Sendable {
    private struct State: Sendable {
        var hasRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    func ring() {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.hasRung = true
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    func wait(atMost duration: Duration) async {
        let timer = Task { [self] in
            do { try await Task.sleep(for: duration) } catch { return }
            ring()
        }
        await withCheckedContinuation { continuation in
            let hasRung = state.withLock { state in
                if !state.hasRung { state.waiter = continuation }
                defer { state.hasRung = false }
                return state.hasRung
            }
            if hasRung { continuation.resume() }
        }
        timer.cancel()
    }
}
