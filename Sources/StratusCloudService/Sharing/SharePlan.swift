import StratusCloudModel
import StratusCloudStore

/// What an operation on a share record comes to beside the record.
enum SharePlan {
    /// A share that is made, or changed, as it is to be.
    case save(WholeShare, ParticipantDifference)
    /// All shares end for everybody.
    case stop(WholeShare)
    /// Somebody leaves.
    case leave(WholeShare, StoredParticipant)

    /// Writes it.
    func carryOut(_ header: inout ZoneHeader, _ ledger: ShareLedger) throws {
        switch self {
        case .save(let whole, let difference):
            for participant in difference.removed { try ledger.remove(participant, from: whole.share) }
            for (participant, former) in difference.written {
                ledger.store(participant, of: whole.share, replacing: former)
                // Whoever may do nothing sees nothing, and counts as removed.
                guard participant.hasAccepted, participant.permission == .none else { continue }
                try ledger.revokeKeys(from: participant.number, of: whole.share.number, isOwnWish: false)
            }
            ledger.set(whole.share)
        case .stop(let whole): try ledger.stop(whole, &header)
        case .leave(let whole, let participant):
            try ledger.remove(participant, from: whole.share, isOwnWish: true)
            ledger.set(whole.share)
        }
    }
}

/// What a save of a share changes of who takes part. All others stay as they are stored: a share has up to 100 invited and
/// thousands of public participants, and a save mostly changes one.
struct ParticipantDifference {
    /// Who takes part no more, as they were.
    var removed: [StoredParticipant] = []
    /// Who is new or was changed, as they are to be and as they were.
    var written: [(participant: StoredParticipant, former: StoredParticipant?)] = []

    /// - Parameters:
    ///   - former: all, as they are stored.
    ///   - present: all, as they are to be.
    init(from former: [StoredParticipant], to present: [StoredParticipant]) {
        let known = Dictionary(former.map { ($0.number, $0) }) { first, _ in first }
        let staying = Set(present.map(\.number))
        removed = former.filter { !staying.contains($0.number) }
        written = present.filter { known[$0.number] != $0 }.map { ($0, known[$0.number]) }
    }
}

extension ShareLedger {
    /// Writes a participant with what they may see.
    /// - Parameter former: as they were; nil for somebody who is new.
    func store(_ participant: StoredParticipant, of share: StoredShare, replacing former: StoredParticipant?) {
        transaction.set(Keyspace.participant(zone: zone, share.number, participant.number), participant)
        if former == nil || former?.hasAccepted != participant.hasAccepted {
            note(participant, of: share, isOpen: !participant.hasAccepted)
        }
        if let user = participant.user {
            transaction.set(
                Keyspace.access(zone: zone, of: user.userRecordName, share.number), participant.grant)
        }
        if let guid = participant.oneTimeGUID, former == nil {
            open(link: guid, to: StoredShareLink(share: share.number, participant: participant.number))
        }
    }

    /// Takes a participant out, and at once all that they could see.
    /// - Parameter isOwnWish: whether the participant leaves.
    func remove(_ participant: StoredParticipant, from share: StoredShare, isOwnWish: Bool = false) throws {
        transaction.clear(Keyspace.memberKeys(zone: zone, share.number, participant.number))
        // An invitation to what everybody may see with the link is no secret.
        if participant.hasAccepted || share.publicPermission == .none {
            try revokeKeys(from: participant.number, of: share.number, isOwnWish: isOwnWish)
        }
        transaction.clear(Keyspace.participant(zone: zone, share.number, participant.number))
        if let guid = participant.oneTimeGUID { giveUp(link: guid) }
        if !participant.hasAccepted { note(participant, of: share, isOpen: false) }
        if let user = participant.user?.userRecordName {
            transaction.clear(Keyspace.access(zone: zone, of: user, share.number))
            if participant.hasAccepted,
                try transaction.entries(in: Keyspace.access(zone: zone, of: user), limit: 1).isEmpty
            {
                try TokenClient.forget(user, in: zone, transaction)
            }
            dismissed.insert(user)
        }
    }

    /// Makes a link.
    func open(link shortGUID: String, to target: StoredShareLink) {
        transaction.set(Keyspace.shareLink(zone: zone, shortGUID), target)
        changeDirectory(
            DirectoryKey.shareGUID(shortGUID),
            to: ShareGUID(context: place.context, owner: place.owner, zoneName: place.zoneName).stored)
    }

    /// Ends a link.
    func giveUp(link shortGUID: String) {
        transaction.clear(Keyspace.shareLink(zone: zone, shortGUID))
        changeDirectory(DirectoryKey.shareGUID(shortGUID), to: [])
    }

    /// Leaves something to be done in the directory when the transaction is durable.
    /// - Parameter value: what is to stand there; empty where nothing is to.
    func changeDirectory(_ key: Key, to value: [UInt8]) {
        transaction.set(Keyspace.directoryChange(of: key), value)
        changesDirectory = true
    }

    /// Ends a share for everybody. Its feed stays, for those who see other shares of the zone. A root that stays keeps its short
    /// GUID, and has the same link when it is shared again.
    func stop(_ whole: WholeShare, _ header: inout ZoneHeader) throws {
        var share = whole.share
        for participant in whole.participants { try remove(participant, from: share) }
        clearKeys(of: share.number)
        giveUp(link: share.shortGUID)
        if share.rootName == nil {
            header.sharing.whole = nil
        } else {
            header.sharing.hierarchies -= min(1, header.sharing.hierarchies)
        }
        share.ended = now
        share.requesters = []
        share.blocked = []
        set(share)
    }

    /// Writes what the shares that the transaction touched have to say, for those in them and those who were.
    /// - Parameter header: as the transaction leaves it.
    func finish(_ header: ZoneHeader, into news: inout SharedNews) throws {
        if let whole = header.sharing.whole, hasChanges { touched.insert(whole) }
        for number in touched.sorted() {
            guard var share = try share(number) else { continue }
            share.changed = header.version
            transaction.set(Keyspace.share(zone: zone, number), share)
            guard share.isLive else { continue }
            news.touched.append(
                SharedNews.Touched(share: number, types: changedTypes(in: number, whole: header.sharing.whole)))
        }
        news.dismissed = dismissed
    }
}
