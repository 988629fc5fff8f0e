import StratusCloudModel
import StratusCloudStore

/// Has the directory forget the shares of a deleted zone, as what is left of the zone tells them.
struct DeletedShares {
    private let ledger: ShareLedger
    /// The zone that was made under the same name since. Notes of invitations to its shares may have the same keys.
    private let successor: ZoneHeader?

    private var transaction: any WriteTransaction { ledger.transaction }

    init(_ zone: ZoneNumber, _ place: ShareLedger.Place, at now: Int64, _ transaction: any WriteTransaction) throws {
        ledger = ShareLedger(place, zone: zone, now: now, in: transaction)
        successor = try ZoneHeader.find(place.zoneName, in: transaction)
    }

    /// Gives up a bounded number of invitations and links.
    /// - Returns: whether there may be more.
    func releaseStep() throws -> Bool {
        if try clear(.participant, takeBackInvitations) { return true }
        return try clear(.shareLink) { links in
            for link in links { ledger.giveUp(link: try Keyspace.shortGUID(of: link.key)) }
        }
    }

    private func clear(_ tag: Keyspace.Tag, _ release: ([StoreEntry]) throws -> Void) throws -> Bool {
        let range = KeyRange(prefix: Keyspace.prefix(tag, zone: ledger.zone).key)
        let entries = try transaction.entries(in: range, limit: ServiceLimits.clearedEntriesPerStep)
        guard let last = entries.last else { return false }
        try release(entries)
        transaction.clear(KeyRange(lower: range.lower, upper: last.key.next))
        return true
    }

    private func takeBackInvitations(_ entries: [StoreEntry]) throws {
        var invitedAnew: [String: Set<UserLookup>] = [:]
        for entry in entries {
            let participant = try StoredParticipant(stored: entry.value)
            guard !participant.hasAccepted, let lookup = participant.lookup,
                let share = try ledger.share(try Keyspace.share(ofParticipant: entry.key))
            else { continue }
            let others = try invitedAnew[share.recordName] ?? openInvitations(to: share.recordName)
            invitedAnew[share.recordName] = others
            if !others.contains(lookup) { ledger.note(participant, of: share, isOpen: false) }
        }
    }

    private func openInvitations(to shareName: String) throws -> Set<UserLookup> {
        guard let successor, let whole = try WholeShare.named(shareName, zone: successor, in: transaction) else {
            return []
        }
        return Set(whole.participants.filter { !$0.hasAccepted }.compactMap(\.lookup))
    }
}
