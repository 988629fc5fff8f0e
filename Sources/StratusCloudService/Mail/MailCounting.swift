import StratusCloudModel
import StratusCloudStore

/// Holds those who cause mail, and those who get it, to so many a day.
struct MailCounting: Sendable {
    /// Who causes it.
    let sender: String
    let limit: Int
    /// Names the mails to an address that are counted together, and how many there may be in a day.
    var perAddress = (name: "address", limit: MailLimits.perAddressAndDay)
    let now: Int64

    /// Counts mail to addresses.
    /// - Throws: `throttled` if it is too much for the sender, or for one of the addresses.
    func count(_ addresses: [String], in transaction: any WriteTransaction) throws {
        try forget(in: transaction)
        try add(addresses.count, sender, limit: limit, "you have sent", in: transaction)
        for address in addresses {
            try add(
                1, "\(perAddress.name) \(address.lowercased())", limit: perAddress.limit, "this address has received",
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
                "\(words) the maximum of \(limit) e-mails in a day",
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
