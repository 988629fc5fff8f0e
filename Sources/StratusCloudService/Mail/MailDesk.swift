import StratusWorkers

/// Who takes mail out, one at a time, and what became of it.
final class MailDesk: Sendable {
    private struct State {
        var channel: (any MailChannel)?
        var perUserAndDay = MailLimits.perUserAndDay
        /// Somebody is at it.
        var isOpen = false
        /// Mail came since they last looked.
        var isRung = false
        var statistics = MailStatistics()
    }

    private let state = Lock(State())

    var channel: (any MailChannel)? { state.withLock { $0.channel } }
    var perUserAndDay: Int { state.withLock { $0.perUserAndDay } }
    var statistics: MailStatistics { state.withLock { $0.statistics } }

    func set(_ channel: any MailChannel, perUserAndDay: Int, queued: Int) {
        state.withLock { state in
            state.channel = channel
            state.perUserAndDay = perUserAndDay
            state.statistics.queued = queued
        }
    }

    /// Takes room in the queue for mail that is about to be put there.
    /// - Returns: false if ``MailLimits/queueLength`` leaves none.
    func reserve(_ letters: Int) -> Bool {
        state.withLock { state in
            guard state.statistics.queued + letters <= MailLimits.queueLength else { return false }
            state.statistics.queued += letters
            return true
        }
    }

    func count(_ change: (inout MailStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    /// Whom to give mail to; nil if nobody is there, or somebody is at it, who looks once more then.
    func begin() -> (any MailChannel)? {
        state.withLock { state in
            state.isRung = true
            guard let channel = state.channel, !state.isOpen else { return nil }
            state.isOpen = true
            return channel
        }
    }

    /// To be asked before each look at the queue.
    func listen() { state.withLock { $0.isRung = false } }

    /// Whether all is done, and whoever is at it may go.
    func end() -> Bool {
        state.withLock { state in
            if state.isRung { return false }
            state.isOpen = false
            return true
        }
    }

    /// Ends work that cannot go on.
    func close() { state.withLock { $0.isOpen = false } }
}
