import StratusWorkers

/// The moments of one synchronization of a device, and what happens at them.
final class MirrorMoments: Sendable {
    private struct State {
        var count = 0
        var incidents: [MirrorIncident] = []
        var hasEnded = false
        var trace: [String] = []
    }

    private let isTraced: Bool
    private let state: Lock<State>

    init(_ incidents: [MirrorIncident], isTraced: Bool) {
        self.isTraced = isTraced
        state = Lock(State(incidents: incidents))
    }

    /// Whether the process has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var trace: [String] { state.withLock { $0.trace } }

    /// Counts a moment.
    /// - Returns: What happens at it.
    func reach(_ name: String) -> [MirrorIncident.Event] {
        state.withLock { state in
            guard !state.hasEnded else { return [] }
            state.count += 1
            if isTraced { state.trace.append("    \(state.count) \(name)") }
            return state.incidents.filter { $0.moment == state.count }.map(\.event)
        }
    }

    func end() { state.withLock { $0.hasEnded = true } }
}
