import StratusWorkers

/// Remembers signatures of requests that change something as long as they would be accepted, so that none is twice.
final class SignatureMemory: Sendable {
    private struct State {
        var seen: Set<[UInt8]> = []
        var order: [(mark: [UInt8], time: Int64)] = []
        var first = 0
    }

    private let state = Lock(State())

    /// Whether this is the first time within the window; remembers it.
    func isFirst(_ mark: [UInt8], at now: Int64) -> Bool {
        state.withLock { state in
            // A date may lie a window ahead, so it stays acceptable for two.
            let oldest = now - 2 * ServiceLimits.signatureWindow
            while state.first < state.order.count,
                state.order[state.first].time < oldest
                    || state.order.count - state.first >= ServiceLimits.rememberedSignatures
            {
                state.seen.remove(state.order[state.first].mark)
                state.first += 1
            }
            if state.first > 4_096, state.first * 2 > state.order.count {
                state.order.removeFirst(state.first)
                state.first = 0
            }
            guard state.seen.insert(mark).inserted else { return false }
            state.order.append((mark, now))
            return true
        }
    }
}
