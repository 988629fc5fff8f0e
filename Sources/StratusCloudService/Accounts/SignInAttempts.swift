import StratusCloudCrypto
import StratusCloudModel
import StratusWorkers

/// Counts failed sign-ins, so that passwords cannot be guessed by trying.
///
/// An attempt takes one of its subjects' slots when it is admitted and gives it back when it turns out not to be a wrong
/// guess. Attempts that run at the same time therefore cannot pass the limit together.
final class SignInAttempts: Sendable {
    /// Whose guesses are counted.
    enum Subject: Hashable {
        case account(String)
        case developer(String)
        /// A network from which the account or developer with this identifier has signed in before. Strangers elsewhere
        /// cannot use up its attempts.
        case knownNetwork(String, of: String)
        /// The app passwords of the account with this e-mail address.
        case appPassword(String)
        case address(String)

        fileprivate var limit: Int {
            switch self {
            case .account, .developer, .knownNetwork, .appPassword: ServiceLimits.failedSignIns
            case .address: ServiceLimits.failedSignInsPerAddress
            }
        }

        /// Subjects that strangers can make up are kept apart from the others, so that they cannot displace them.
        fileprivate var kind: Int {
            switch self {
            case .account, .developer, .appPassword: 0
            case .knownNetwork: 1
            case .address: 2
            }
        }

        /// Identifies the subject. A hash, because names come from outside and may be long.
        fileprivate var digest: [UInt8] {
            let parts =
                switch self {
                case .account(let name): ["account", name]
                case .developer(let name): ["developer", name]
                case .knownNetwork(let network, let holder): ["network", holder, network]
                case .appPassword(let name): ["app password", name]
                case .address(let address): ["address", address]
                }
            return Array(SHA256.hash(Array(parts.joined(separator: "\n").utf8)).prefix(16))
        }
    }

    private struct Entry {
        var failures = 0
        /// When the first failure happened.
        var since: Int64 = 0
        /// Attempts that are being checked.
        var pending = 0

        var taken: Int { failures + pending }

        func isOver(at now: Int64) -> Bool { since + ServiceLimits.failedSignInWindow <= now }
    }

    private let memory = Lock(Array(repeating: [[UInt8]: Entry](), count: 3))
    private let capacity: Int

    /// - Parameter capacity: the subjects of one kind that are remembered. Beyond it, those with the fewest failures are
    ///   forgotten first, so that failures under many names do not clear the count of one.
    init(capacity: Int = ServiceLimits.rememberedSignInSubjects) { self.capacity = capacity }

    /// Admits an attempt and takes a slot of each subject; ``end(_:failed:at:)`` must follow.
    /// - Throws: `throttled` if one of the subjects has no slot left; nothing is taken then.
    func admit(_ subjects: [Subject], at now: Int64) throws(CloudError) {
        let refusal = memory.withLock { memory -> CloudError? in
            for subject in subjects {
                if let entry = memory[subject.kind][subject.digest],
                    let refusal = Self.refusal(entry, subject.limit, at: now)
                {
                    return refusal
                }
            }
            for subject in subjects {
                if memory[subject.kind].count >= capacity { forgetSome(in: &memory[subject.kind], at: now) }
                memory[subject.kind][subject.digest, default: Entry()].pending += 1
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Ends an attempt that was admitted.
    /// - Parameter failed: whether it was a wrong guess, which keeps its slots for ``ServiceLimits/failedSignInWindow``.
    func end(_ subjects: [Subject], failed: Bool, at now: Int64) {
        memory.withLock { memory in
            for subject in subjects {
                var entry = memory[subject.kind][subject.digest] ?? Entry()
                entry.pending = max(0, entry.pending - 1)
                if failed {
                    if entry.failures == 0 || entry.isOver(at: now) { (entry.failures, entry.since) = (0, now) }
                    entry.failures += 1
                }
                memory[subject.kind][subject.digest] = entry.taken > 0 ? entry : nil
            }
        }
    }

    /// Forgets the failures of a subject.
    func clear(_ subject: Subject) {
        memory.withLock { memory in
            guard let entry = memory[subject.kind][subject.digest] else { return }
            memory[subject.kind][subject.digest] = entry.pending > 0 ? Entry(pending: entry.pending) : nil
        }
    }

    private static func refusal(_ entry: Entry, _ limit: Int, at now: Int64) -> CloudError? {
        let failures = entry.isOver(at: now) ? 0 : entry.failures
        if failures >= limit {
            let end = entry.since + ServiceLimits.failedSignInWindow
            return CloudError(
                .throttled, "too many failed sign-ins; try again later", retryAfter: Int((end - now + 999) / 1_000))
        }
        guard failures + entry.pending >= limit else { return nil }
        return CloudError(.throttled, "too many sign-ins at once; try again", retryAfter: 2)
    }

    private func forgetSome(in entries: inout [[UInt8]: Entry], at now: Int64) {
        entries = entries.filter { $0.value.pending > 0 || !$0.value.isOver(at: now) }
        guard entries.count >= capacity else { return }
        let weakest = entries.sorted { ($0.value.taken, $0.value.since) < ($1.value.taken, $1.value.since) }
        for (name, _) in weakest.prefix(max(1, capacity / 4)) { entries[name] = nil }
    }
}
