import Glibc

/// How much of the time the building of indexes takes for itself.
public enum IndexBuildPace: Sendable {
    /// All: for commands, which wait for it.
    case full
    /// A part: a server's requests come first.
    case behindOthers

    /// Lets another thread have the core within a step, between two records: one that answers a request would wait for
    /// the end of the step's share of time otherwise.
    func giveWay() {
        if self == .behindOthers { sched_yield() }
    }

    /// Waits after a step that took so long; not when the task is cancelled.
    func rest(after step: Duration) async {
        guard self == .behindOthers else { return }
        let pause = min(step * ServiceLimits.indexRest, ServiceLimits.longestIndexRest)
        // It throws when it is cut short, which whoever builds looks for next.
        do { try await Task.sleep(for: pause) } catch {}
    }
}
