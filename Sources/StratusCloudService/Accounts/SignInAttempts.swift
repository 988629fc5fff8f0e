import StratusWorkers

/// Counts failed sign-ins, so that passwords cannot be guessed by trying.
final class SignInAttempts: Sendable {
    /// Names remembered; when there are more, the whole memory starts anew.
    private static let remembered = 100_000

    private struct Failures {
        var count: Int
        var since: Int64
    }

    private let failures = Lock([Subject: Failures]())

    /// Whose guesses are counted.
    enum Subject: Hashable {
        case account(String)
        case developer(String)
        case address(String)

        var limit: Int {
            switch self {
            case .account, .developer: ServiceLimits.failedSignIns
            case .address: ServiceLimits.failedSignInsPerAddress
            }
        }
    }

    /// Seconds until the next attempt may be made; nil if it may be now.
    func wait(for name: Subject, at now: Int64) -> Int? {
        failures.withLock { failures in
            guard let entry = failures[name], entry.count >= name.limit else { return nil }
            let end = entry.since + ServiceLimits.failedSignInWindow
            return end > now ? Int((end - now + 999) / 1_000) : nil
        }
    }

    func failed(_ name: Subject, at now: Int64) {
        failures.withLock { failures in
            if failures.count >= Self.remembered { failures.removeAll() }
            var entry = failures[name] ?? Failures(count: 0, since: now)
            if now - entry.since > ServiceLimits.failedSignInWindow { entry = Failures(count: 0, since: now) }
            entry.count += 1
            failures[name] = entry
        }
    }

    func succeeded(_ name: Subject) { failures.withLock { $0[name] = nil } }
}
