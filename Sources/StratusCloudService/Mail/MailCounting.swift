import StratusCloudModel
import StratusCloudStore

/// Holds those who cause mail, and those who get it, to so many a day.
struct MailCounting: Sendable {
    /// Who causes it.
    let sender: String
    let limit: Int
    let now: Int64

    /// Counts mail to addresses.
    /// - Throws: `throttled` if it is too much for the sender, or for one of the addresses.
    func count(_ addresses: [String], in transaction: any WriteTransaction) throws {
        try forget(in: transaction)
        try add(addresses.count, sender, limit: limit, "you have sent", in: transaction)
        for address in addresses {
            try add(
                1, "address \(address.lowercased())", limit: MailLimits.perAddressAndDay, "this address was sent",
                in: transaction)
        }
    }

    private func add(
        _ count: Int, _ name: String, limit: Int, _ words: String, in transaction: any WriteTransaction
    ) throws {
        let key = MailKey.count(name)
        var known: MailCount = try transaction.value(at: key) ?? MailCount(since: now)
        if known.since + MailLimits.countingTime <= now { known = MailCount(since: now) }
        known.count += UInt64(count)
        guard known.count <= UInt64(max(0, limit)) else {
            throw CloudError(
                .throttled,
                "\(words) as many e-mails as there may be in a day (\(limit))",
                retryAfter: Int((known.since + MailLimits.countingTime - now + 999) / 1_000))
        }
        transaction.set(key, known)
    }

    /// Some of the counts that are over.
    private func forget(in transaction: any WriteTransaction) throws {
        for entry in try transaction.entries(in: MailKey.counts, limit: MailLimits.countsPerStep) {
            if try MailCount(stored: entry.value).since + MailLimits.countingTime <= now {
                transaction.clear(entry.key)
            }
        }
    }
}
