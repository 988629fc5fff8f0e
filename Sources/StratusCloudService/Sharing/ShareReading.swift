import StratusCloudModel
import StratusCloudStore

/// A share with all who take part in it.
struct WholeShare: Sendable {
    var share: StoredShare
    /// In the order in which they were added.
    var participants: [StoredParticipant]

    static func read(
        _ number: ShareNumber, zone: ZoneNumber, in transaction: any ReadTransaction
    ) throws -> WholeShare? {
        guard let share: StoredShare = try transaction.value(at: Keyspace.share(zone: zone, number)) else { return nil }
        return WholeShare(
            share: share, participants: try transaction.allValues(in: Keyspace.participants(zone: zone, number)))
    }

    /// The share whose record has a name; nil if it was stopped.
    static func named(
        _ recordName: String, zone header: ZoneHeader, in transaction: any ReadTransaction
    ) throws -> WholeShare? {
        var number = header.sharing.whole
        if recordName != SystemRecordType.zoneShareName {
            number = try transaction.shareMembers([recordName], in: header.number)[0]?.share
        }
        guard let number, let found = try read(number, zone: header.number, in: transaction), found.share.isLive,
            found.share.recordName == recordName
        else { return nil }
        return found
    }

    func participant(of user: String) -> StoredParticipant? {
        participants.first { $0.user?.userRecordName == user }
    }

    // MARK: - As somebody sees it

    /// - Parameters:
    ///   - owner: user record name of the zone's owner.
    ///   - viewer: who looks.
    func details(owner: String, seenBy viewer: String) -> ShareDetails {
        let ownerEntry = ShareParticipant(
            participantID: owner, identity: ownerIdentity(owner), role: .owner, permission: .readWrite,
            acceptance: .accepted)
        let own = participant(of: viewer)
        let isManager = isManager(viewer, owner: owner)
        // What others are called and where they get mail is nobody's business but of those who invite.
        let shown = isManager ? participants : own.map { [$0] } ?? []
        let views = shown.map { $0.participant(showingLink: isManager) }
        return ShareDetails(
            publicPermission: share.publicPermission, participants: [ownerEntry] + views, owner: ownerEntry,
            currentUserParticipant: viewer == owner ? ownerEntry : own?.participant(showingLink: false),
            denyAccessRequests: share.denyAccessRequests,
            requesters: isManager ? share.requesters.map(\.identity) : [],
            blocked: isManager ? share.blocked.map(\.identity) : [])
    }

    /// The share's record with what it says to a viewer.
    func shown(_ record: Record, owner: String, seenBy viewer: String) -> Record {
        var record = record
        record.shareDetails = Boxed(details(owner: owner, seenBy: viewer))
        // Which administrator changed it last is for those who see that there is one.
        if !isManager(viewer, owner: owner) {
            record.modified = RecordStamp(timestamp: record.modified.timestamp, userRecordName: owner)
        }
        return record
    }

    private func isManager(_ viewer: String, owner: String) -> Bool {
        viewer == owner || Authorization.permits(.manage, participant(of: viewer)?.grant)
    }

    func ownerIdentity(_ owner: String) -> ShareIdentity { share.ownerIdentity(owner) }
}

extension StoredShare {
    /// - Parameter owner: user record name of the zone's owner.
    func ownerIdentity(_ owner: String) -> ShareIdentity {
        ShareIdentity(userRecordName: owner, givenName: ownerNames.given, familyName: ownerNames.family)
    }
}

extension StoredParticipant {
    /// As answers show it.
    func participant(showingLink: Bool) -> ShareParticipant {
        ShareParticipant(
            participantID: participantID,
            identity: ShareIdentity(
                userRecordName: user?.userRecordName, givenName: user?.names.given, familyName: user?.names.family,
                lookupInfo: lookup), role: role, permission: permission, acceptance: hasAccepted ? .accepted : .invited,
            oneTimeShortGUID: showingLink ? openGUID : nil, isApprovedRequester: isApprovedRequester, added: added)
    }
}

/// Shows records to a caller: share records with what they say to them, and others without what is concealed from
/// participants, such as what is above the roots of shared hierarchies.
///
/// A class, because a copy of all this counts a dozen references, for each record.
final class RecordShowing {
    private let zoneID: ZoneID
    private let view: ZoneView
    private let viewer: String
    private let transaction: any ReadTransaction

    /// - Parameter viewer: who looks.
    init(zoneID: ZoneID, view: ZoneView, viewer: String, transaction: any ReadTransaction) {
        self.zoneID = zoneID
        self.view = view
        self.viewer = viewer
        self.transaction = transaction
    }

    /// Whether a record must be shown by ``shown(_:)``; all others are as they are stored.
    func concerns(_ record: StoredRecordView) -> Bool {
        record.isShare || view.access != nil && view.conceals(record.recordType, share: record.head.links?.share)
    }

    func shown(_ record: Record) throws -> Record {
        var record = record
        if record.recordType == SystemRecordType.share {
            let found = try WholeShare.named(record.recordName, zone: view.header, in: transaction)
            return found?.shown(record, owner: zoneID.ownerRecordName ?? viewer, seenBy: viewer) ?? record
        }
        view.conceal(&record, record.recordType, share: record.share)
        return record
    }
}
