import StratusCloudModel
import StratusCloudService
import StratusWorkers

/// The statistics, users and latest log lines of each context. Requests are counted in memory; ``FigureKeeper`` stores
/// the statistics at intervals.
final class ContextMeter: Sendable {
    private let contexts = Lock([CloudContext: ContextRecorder]())

    /// The recorder of a context, which is created if there is none.
    func recorder(of context: CloudContext) -> ContextRecorder {
        contexts.withLock { contexts in
            if let known = contexts[context] { return known }
            let recorder = ContextRecorder()
            contexts[context] = recorder
            return recorder
        }
    }

    /// All contexts that had requests since the start.
    var all: [(context: CloudContext, recorder: ContextRecorder)] {
        contexts.withLock { $0.map { ($0.key, $0.value) } }
    }

    /// Counts a request of an app.
    /// - Parameter user: who sent it; nil for nobody.
    func record(_ line: ConsoleLogLine, user: String?, of call: WebServiceCall) {
        let isThere = line.status < 400 || line.status == 421
        recorder(of: call.context, ifThere: isThere)?.record(line, user: user)
    }

    /// Counts a command of the operator's tool.
    func recordTool(_ operation: String, microseconds: Int64, failed: Bool, in context: CloudContext) {
        recorder(of: context, ifThere: !failed)?.recordTool(operation, microseconds: microseconds, failed: failed)
    }

    /// The recorder of a context. Requests to a context that does not exist are refused, and make no recorder.
    /// - Parameter isThere: whether an answer showed that the context exists.
    private func recorder(of context: CloudContext, ifThere isThere: Bool) -> ContextRecorder? {
        contexts.withLock { contexts -> ContextRecorder? in
            if let known = contexts[context] { return known }
            guard isThere else { return nil }
            let recorder = ContextRecorder()
            contexts[context] = recorder
            return recorder
        }
    }
}

/// The part of the meter for one context.
final class ContextRecorder: Sendable {
    private struct State {
        var sample = FigureSample()
        /// The users of today, and those of yesterday until they are taken.
        var users: [Int64: UserSketch] = [:]
        var daysWithNews: Set<Int64> = []
        var lines: [ConsoleLogLine] = []
        /// The number of older lines that are not kept.
        var forgotten: UInt64 = 0
    }

    private let state = Lock(State())

    func record(_ line: ConsoleLogLine, user: String?) {
        state.withLock { state in
            state.sample.apps.count(
                line.operation, microseconds: line.microseconds, failed: line.code != nil || line.status >= 400)
            if let user {
                let day = UserSketch.day(of: line.time)
                if state.users[day, default: UserSketch()].insert(user) { state.daysWithNews.insert(day) }
            }
            if state.lines.count >= 2 * FigureLimits.logLines {
                state.lines.removeFirst(FigureLimits.logLines)
                state.forgotten += UInt64(FigureLimits.logLines)
            }
            state.lines.append(line)
        }
    }

    func recordTool(_ operation: String, microseconds: Int64, failed: Bool) {
        state.withLock { $0.sample.tool.count(operation, microseconds: microseconds, failed: failed) }
    }

    /// What is not stored yet.
    var current: (sample: FigureSample, users: [Int64: UserSketch]) { state.withLock { ($0.sample, $0.users) } }

    /// Takes what is not stored yet, in order to store it.
    func take() -> (sample: FigureSample, users: [Int64: UserSketch]) {
        state.withLock { state in
            let days = state.daysWithNews
            let taken = (state.sample, state.users.filter { days.contains($0.key) })
            state.sample = FigureSample()
            state.daysWithNews = []
            let today = state.users.keys.max()
            state.users = state.users.filter { $0.key == today }
            return taken
        }
    }

    /// Gives back what could not be stored.
    func putBack(_ sample: FigureSample, users: [Int64: UserSketch]) {
        state.withLock { state in
            var sum = sample
            sum.add(state.sample)
            state.sample = sum
            for (day, sketch) in users {
                state.users[day, default: UserSketch()].formUnion(sketch)
                state.daysWithNews.insert(day)
            }
        }
    }

    /// The lines of the log from a number on, as far as they are kept, and the number of the next.
    func lines(from number: UInt64) -> (lines: [ConsoleLogLine], next: UInt64) {
        state.withLock { state in
            let next = state.forgotten + UInt64(state.lines.count)
            let first = max(
                number, state.forgotten, next > UInt64(FigureLimits.logLines) ? next - UInt64(FigureLimits.logLines) : 0
            )
            guard first < next else { return ([], next) }
            return (Array(state.lines[Int(first - state.forgotten)...]), next)
        }
    }
}
