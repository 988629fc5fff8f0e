/// What is to be done at one time.
package struct SyncWork: Hashable, Sendable {
    package var fetches = false
    package var sends = false

    package init(fetches: Bool = false, sends: Bool = false) { (self.fetches, self.sends) = (fetches, sends) }
}

/// What came of it.
package enum SyncOutcome: Hashable, Sendable {
    case done
    /// Nobody is signed in: nothing is to be done until somebody is.
    case dormant
    /// It may succeed later, after the time that the server asks for.
    case failed(retryAfter: Duration?)
    /// The server refused these items for good; what the delegate added again may succeed.
    case refused(Set<String>)
}

/// When an engine sends and fetches by itself. Pure: times are the caller's, counted from a moment that stays, and so is
/// chance.
package struct SyncSchedule: Sendable {
    private var fetchDue: Duration?
    private var sendDue: Duration?
    private var firstAdded: Duration?
    private var failures = 0
    /// Nothing is done before.
    private var pauseEnd: Duration?
    /// Whether the server asked for the pause, so that nothing ends it early.
    private var isPauseAsked = false
    private var lastRefused: Set<String> = []
    /// Whether somebody else is signed in since the last work was begun.
    private var isAccountNew = false

    package init() {}

    /// When the next thing is to be done; nil if there is nothing.
    package var due: Duration? {
        guard let first = [fetchDue, sendDue].compactMap({ $0 }).min() else { return nil }
        return pauseEnd.map { max($0, first) } ?? first
    }

    // MARK: What happens

    /// There is something to send. It waits a little for what follows.
    package mutating func changesAdded(at now: Duration) {
        let first = firstAdded ?? now
        firstAdded = first
        sendDue = min(now + SyncLimits.debounce, first + SyncLimits.longestDebounce)
    }

    /// There may be something to fetch at a time, which may be later.
    package mutating func fetchNeeded(at time: Duration) { fetchDue = min(fetchDue ?? time, time) }

    /// The network is there, which had perhaps gone.
    package mutating func networkReturned() {
        guard !isPauseAsked else { return }
        pauseEnd = nil
        failures = 0
    }

    /// Somebody else is signed in: whatever was waited for is another matter.
    package mutating func accountChanged(at now: Duration) {
        self = SyncSchedule()
        fetchDue = now
        sendDue = now
        isAccountNew = true
    }

    // MARK: What is done

    /// What is due; it is no more then.
    package mutating func take(at now: Duration) -> SyncWork? {
        guard let due, due <= now else { return nil }
        let work = SyncWork(fetches: fetchDue.map { $0 <= now } ?? false, sends: sendDue.map { $0 <= now } ?? false)
        if work.fetches { fetchDue = nil }
        if work.sends { (sendDue, firstAdded) = (nil, nil) }
        pauseEnd = nil
        isPauseAsked = false
        isAccountNew = false
        return work
    }

    /// - Parameters:
    ///   - isAllSent: whether nothing waits any more, of what was added meanwhile neither.
    ///   - chance: 0 to 1, spreads those who wait for the same.
    package mutating func finish(
        _ work: SyncWork, _ outcome: SyncOutcome, isAllSent: Bool = false, at now: Duration, chance: Double
    ) {
        switch outcome {
        case .done:
            failures = 0
            lastRefused = []
            if isAllSent { (sendDue, firstAdded) = (nil, nil) }
        case .dormant: if !isAccountNew { self = SyncSchedule() }
        case .failed(let retryAfter):
            if work.fetches { fetchDue = fetchDue ?? now }
            if work.sends { sendDue = sendDue ?? now }
            failures += 1
            pause(at: now, atLeast: retryAfter, chance)
        case .refused(let items):
            // What the server has instead is wanted before anything is sent again.
            fetchDue = fetchDue ?? now
            failures = items.isDisjoint(with: lastRefused) ? 0 : failures + 1
            lastRefused = items
            if failures > 0 { pause(at: now, atLeast: nil, chance) }
        }
    }

    private mutating func pause(at now: Duration, atLeast asked: Duration?, _ chance: Double) {
        let wait = Self.wait(failures: failures, limit: SyncLimits.longestRetry, chance: chance)
        isPauseAsked = asked != nil
        // Later than asked, never earlier: those who were all told the same must not come all at once.
        pauseEnd = now + max(wait, (asked ?? .zero) * (1 + chance / 10))
    }

    /// Doubles with each failure; half of it is left to chance.
    package static func wait(failures: Int, limit: Duration, chance: Double) -> Duration {
        let doubled = SyncLimits.firstRetry * (1 << min(max(failures - 1, 0), 20))
        return min(doubled, limit) * (0.5 + chance / 2)
    }
}
