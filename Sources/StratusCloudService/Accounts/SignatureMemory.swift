import StratusWorkers

/// Remembers signatures of requests that change something as long as they would be accepted, so that none is accepted twice.
final class SignatureMemory: Sendable {
    /// What is known of the dates of a key's signatures, in milliseconds since 1970-01-01 UTC.
    struct Dates {
        /// The latest one before this run of the server.
        let before: Int64
        /// The latest one in the store.
        var stored: Int64
    }

    private struct State {
        var seen: Set<[UInt8]> = []
        var order: [(mark: [UInt8], time: Int64)] = []
        var first = 0
        /// By the identifiers of keys that exist.
        var dates: [String: Dates] = [:]
    }

    private let state = Lock(State())

    /// Nil before ``begin(_:latest:)``.
    func dates(of keyID: String) -> Dates? { state.withLock { $0.dates[keyID] } }

    /// Takes what the store had when the key was first used in this run. A request that was quicker decides.
    func begin(_ keyID: String, latest: Int64) -> Dates {
        state.withLock { state in
            let dates = state.dates[keyID] ?? Dates(before: latest, stored: latest)
            state.dates[keyID] = dates
            return dates
        }
    }

    /// Notes that a date is in the store.
    func noteStored(_ date: Int64, of keyID: String) {
        state.withLock { state in
            guard let known = state.dates[keyID], known.stored < date else { return }
            state.dates[keyID]?.stored = date
        }
    }

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
