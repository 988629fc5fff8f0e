import StratusCloudModel
import StratusWorkers
import Synchronization

/// Refuses whoever asks too often, or for too much at a time.
///
/// Of each subject two buckets are kept: one of requests, and one of the work that large requests are beside. A request
/// has to find itself in the first; the second it may leave owing, and nothing begins for those who owe.
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

    /// The longest that anybody has to wait for work that was done before, in nanoseconds: a minute.
    static let longestDebt: Int64 = 60_000_000_000
    /// Times that differ by less, in nanoseconds, come from requests that overtook each other: a second. Otherwise the
    /// clock was set back.
    static let clockTolerance: Int64 = 1_000_000_000

    let rates: RequestRates
    private let accounts = Lock([Subject: Account]())
    private let refusals = ThrottledSubject.allCases.map { _ in RefusalCount() }

    /// What is known of a subject. Times are nanoseconds since 1970.
    private struct Account {
        var requests: Bucket
        var work: Bucket
        /// When it was last looked at.
        var seen: Int64

        /// The time now, which does not go back; where the clock did, the account goes with it.
        mutating func look(at now: Int64) -> Int64 {
            if now < seen - Throttle.clockTolerance {
                requests.idle -= seen - now
                work.idle -= seen - now
                seen = now
            }
            seen = max(seen, now)
            return seen
        }
    }

    init(_ rates: RequestRates) { self.rates = rates }

    /// Requests refused so far.
    var statistics: [ThrottledSubject: UInt64] {
        var counts: [ThrottledSubject: UInt64] = [:]
        for (kind, count) in zip(ThrottledSubject.allCases, refusals) { counts[kind] = count.value }
        return counts
    }

    /// Takes one request of a subject.
    /// - Returns: whether its requests are counted at all.
    /// - Throws: `throttled` if that is too many.
    func admit(_ subject: Subject, at now: Int64) throws(CloudError) -> Bool {
        guard let rate = rate(of: subject) else { return false }
        try admit(subject, 1, rate, now)
        return true
    }

    /// People whom a user looks for.
    func admitPeople(_ count: Int, of user: String, in context: CloudContext, at now: Int64) throws(CloudError) {
        guard let rate = rates.people, count > 0 else { return }
        try admit(.people(context, user), count, rate, now)
    }

    /// Charges units of work that is about to begin.
    /// - Throws: `throttled` if one of the subjects owes; then nobody is charged.
    func admit(_ units: Int, of subjects: [Subject], at now: Int64) throws(CloudError) {
        for subject in subjects {
            guard let rate = rate(of: subject) else { continue }
            let wait = look(at: subject, now) { account, now in account.work.debt(rate.work, at: now) }
            if let wait { throw refusal(subject, "\(Self.noun(subject)) with much work in each", rate, wait) }
        }
        charge(units, to: subjects, at: now)
    }

    /// Charges units of work, whatever is owed then.
    func charge(_ units: Int, to subjects: [Subject], at now: Int64) {
        guard units > 0 else { return }
        for subject in subjects {
            guard let rate = rate(of: subject) else { continue }
            look(at: subject, now) { account, now in
                account.work.charge(units, rate.work, at: now, most: Self.longestDebt)
            }
        }
    }

    private func rate(of subject: Subject) -> Rate? {
        switch subject {
        case .address: rates.perAddress
        case .token: rates.perToken
        case .user: rates.perUser
        case .people: rates.people
        }
    }

    private func admit(_ subject: Subject, _ count: Int, _ rate: Rate, _ now: Int64) throws(CloudError) {
        let wait = look(at: subject, now) { account, now in account.requests.take(count, rate, at: now) }
        if let wait { throw refusal(subject, Self.noun(subject), rate, wait) }
    }

    private func refusal(_ subject: Subject, _ noun: String, _ rate: Rate, _ wait: Int) -> CloudError {
        refusals[subject.kind.index].increment()
        return CloudError(
            .throttled, "too many \(noun): at most \(rate.count) in \(Self.words(rate.span))", retryAfter: wait)
    }

    private static func noun(_ subject: Subject) -> String {
        switch subject {
        case .address: "requests from one address"
        case .token: "requests with one token"
        case .user: "requests of one user"
        case .people: "people looked for by one user"
        }
    }

    /// - Parameter now: in milliseconds; `body` gets nanoseconds.
    private func look<Result>(at subject: Subject, _ now: Int64, _ body: (inout Account, Int64) -> Result) -> Result {
        let now = now &* 1_000_000
        return accounts.withLock { accounts in
            if accounts.count >= Self.remembered { Self.forgetIdle(&accounts, now) }
            var account = accounts[subject] ?? Account(requests: Bucket(idle: now), work: Bucket(idle: now), seen: now)
            let now = account.look(at: now)
            let result = body(&account, now)
            accounts[subject] = account
            return result
        }
    }

    private static func forgetIdle(_ accounts: inout [Subject: Account], _ now: Int64) {
        accounts = accounts.filter { max($0.value.requests.idle, $0.value.work.idle) > now }
        if accounts.count >= remembered { accounts.removeAll() }
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
