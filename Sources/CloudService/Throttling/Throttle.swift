import CloudModel
import Synchronization
import Workers

/// Refuses whoever asks too often.
///
/// Of each subject one number is kept (the generic cell rate algorithm): when it would have been idle had its requests
/// come evenly spaced. So a request is one look and one store, and whoever rests has the whole span again.
final class Throttle: Sendable {
    /// Who requests are counted for.
    enum Subject: Hashable, Sendable {
        case address(String)
        case token(String)
        case user(CloudContext, String)
        case people(CloudContext, String)

        var kind: ThrottledSubject {
            switch self {
            case .address: .address
            case .token: .token
            case .user: .user
            case .people: .people
            }
        }
    }

    /// Subjects remembered; when there are more, those that are idle are forgotten, and all if that is not enough.
    static let remembered = 100_000

    let rates: RequestRates
    /// Nanoseconds since 1970 at which each subject is idle.
    private let idleTimes = Lock([Subject: Int64]())
    private let refusals = ThrottledSubject.allCases.map { _ in RefusalCount() }

    init(_ rates: RequestRates) { self.rates = rates }

    /// Requests refused so far.
    var statistics: [ThrottledSubject: UInt64] {
        var counts: [ThrottledSubject: UInt64] = [:]
        for (kind, count) in zip(ThrottledSubject.allCases, refusals) { counts[kind] = count.value }
        return counts
    }

    func admit(address: String, at now: Int64) throws(CloudError) {
        guard let rate = rates.perAddress else { return }
        try admit(.address(address), 1, rate, now, "requests from one address")
    }

    /// - Parameter token: names the API token or key; the same text for the same one.
    func admit(token: String, at now: Int64) throws(CloudError) {
        guard let rate = rates.perToken else { return }
        try admit(.token(token), 1, rate, now, "requests with one token")
    }

    func admit(user: String, in context: CloudContext, at now: Int64) throws(CloudError) {
        guard let rate = rates.perUser else { return }
        try admit(.user(context, user), 1, rate, now, "requests of one user")
    }

    /// People whom a user looks for.
    func admitPeople(_ count: Int, of user: String, in context: CloudContext, at now: Int64) throws(CloudError) {
        guard let rate = rates.people, count > 0 else { return }
        try admit(.people(context, user), count, rate, now, "people looked for by one user")
    }

    private func admit(
        _ subject: Subject, _ count: Int, _ rate: Rate, _ now: Int64, _ noun: String
    ) throws(CloudError) {
        guard let wait = wait(subject, count, rate, now &* 1_000_000) else { return }
        refusals[subject.kind.index].increment()
        throw CloudError(
            .throttled, "too many \(noun): at most \(rate.count) in \(Self.words(rate.span))", retryAfter: wait)
    }

    /// Takes `count` of what a subject may do; if that is too much, takes nothing and tells the seconds to wait.
    private func wait(_ subject: Subject, _ count: Int, _ rate: Rate, _ now: Int64) -> Int? {
        let span = rate.span * 1_000_000
        let share = max(1, span / Int64(rate.count))
        return idleTimes.withLock { idleTimes in
            if idleTimes.count >= Self.remembered { Self.forgetIdle(&idleTimes, now) }
            // Later than this it never is, unless the clock was set back.
            let idle = min(max(idleTimes[subject] ?? now, now), now + span)
            let next = idle + share * Int64(clamping: count)
            guard next <= now + span else { return Int((next - now - span + 999_999_999) / 1_000_000_000) }
            idleTimes[subject] = next
            return nil
        }
    }

    private static func forgetIdle(_ idleTimes: inout [Subject: Int64], _ now: Int64) {
        idleTimes = idleTimes.filter { $0.value > now }
        if idleTimes.count >= remembered { idleTimes.removeAll() }
    }

    private static func words(_ span: Int64) -> String {
        switch span {
        case 1_000: "a second"
        case 3_600_000: "an hour"
        default: "\(span) ms"
        }
    }
}

/// Counts refusals of one kind.
final class RefusalCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }
    func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

extension CaseIterable where Self: Equatable {
    /// The place among all cases.
    var index: Int {
        // All cases are among all cases.
        Self.allCases.prefix { $0 != self }.count
    }
}
