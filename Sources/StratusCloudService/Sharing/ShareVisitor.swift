import StratusCloudModel
import StratusCloudStore

/// Somebody who comes with a share link.
struct ShareVisitor: Sendable {
    static let notFound = CloudError(.notFound, "there is no share at this link")
    static let uninvited = CloudError(.accessDenied, "the share is not open to this user")

    let user: String
    let person: SharePerson?
    let context: CloudContext
    let now: Int64

    /// As what somebody stands before a share.
    private enum Standing {
        case owner
        case accepted(StoredParticipant)
        case invited(StoredParticipant)
        /// The share is open to everybody.
        case welcome
    }

    /// By which an invitation finds the visitor.
    var handles: [UserLookup] { [.userRecordName(user)] + (person?.handles ?? []) }

    func partition(of zone: ShareGUID) -> Partition { .privateDatabase(of: zone.owner, in: context) }

    // MARK: - Finding

    /// - Throws: ``notFound`` for a link that leads nowhere.
    func find(
        _ shortGUID: String, _ zoneName: String, in transaction: any ReadTransaction
    ) throws -> (header: ZoneHeader, link: StoredShareLink, whole: WholeShare) {
        guard let header = try ZoneHeader.find(zoneName, in: transaction),
            let link: StoredShareLink = try transaction.value(
                at: Keyspace.shareLink(zone: header.number, shortGUID)),
            let whole = try WholeShare.read(link.share, zone: header.number, in: transaction), whole.share.isLive
        else { throw Self.notFound }
        return (header, link, whole)
    }

    private func standing(_ whole: WholeShare, _ link: StoredShareLink, owner: String) throws -> Standing {
        if user == owner { return .owner }
        if whole.share.isBlocked(user) { throw Self.uninvited }
        if let own = whole.participant(of: user) { return .accepted(own) }
        let open = whole.participants.filter { !$0.hasAccepted && now < $0.added + ShareLimits.invitationLifetime }
        if let number = link.participant {
            guard let own = open.first(where: { $0.number == number }) else { throw Self.uninvited }
            return .invited(own)
        }
        let handles = handles
        if let own = open.first(where: { $0.lookup.map(handles.contains) ?? false }) { return .invited(own) }
        guard whole.share.publicPermission != .none else { throw Self.uninvited }
        return .welcome
    }

    /// What a link leads to.
    func look(_ request: ShareLinkRequest, _ zone: ShareGUID, in transaction: any ReadTransaction) throws -> ShareLink {
        let (header, link, whole) = try find(request.shortGUID, zone.zoneName, in: transaction)
        let standing = try standing(whole, link, owner: zone.owner)
        let zoneID = ZoneID(zoneName: zone.zoneName, ownerRecordName: zone.owner)
        let names = [whole.share.recordName] + (whole.share.rootName.map { [$0] } ?? [])
        let records = try transaction.recordRows(names, in: header.number)
        guard let record = try records[0]?.packedRecord(in: zoneID) else { throw Self.notFound }
        var share = whole.shown(record, owner: zone.owner, seenBy: user)
        guard var details = share.shareDetails?.value else { throw Self.notFound }
        var part: (role: ShareRole, ShareAcceptance, SharePermission)
        switch standing {
        case .owner: part = (.owner, .accepted, .readWrite)
        case .accepted(let own): part = (own.role, .accepted, own.permission)
        case .invited(let own):
            part = (own.role, .invited, own.permission)
            let entry = own.participant(showingLink: false)
            details.currentUserParticipant = entry
            details.participants.append(entry)
        case .welcome: part = (.publicUser, .invited, whole.share.publicPermission)
        }
        share.shareDetails = Boxed(details)
        var root = request.wantsRootRecord && names.count > 1 ? try records[1]?.packedRecord(in: zoneID) : nil
        if user != zone.owner, var shown = root {
            ReservedZones.hierarchy(ofType: shown.recordType).conceal(&shown, isRoot: true)
            root = shown
        }
        return ShareLink(
            request: request, context: context, databaseScope: user == zone.owner ? .private : .shared, zoneID: zoneID,
            share: share, rootRecordName: whole.share.rootName,
            rootRecord: root?.keepingFields(request.rootDesiredKeys),
            role: part.0, acceptance: part.1, permission: part.2, owner: whole.ownerIdentity(zone.owner))
    }

    // MARK: - Coming in

    func accept(
        _ request: ShareLinkRequest, _ commit: ShareCommit, in transaction: any WriteTransaction
    ) throws -> RecordModification.Outcome? {
        let owner = commit.zoneID.ownerRecordName ?? ""
        var (_, link, whole) = try find(request.shortGUID, commit.zoneID.zoneName, in: transaction)
        var participant: StoredParticipant
        var former: StoredParticipant?
        switch try standing(whole, link, owner: owner) {
        case .owner, .accepted: return nil
        case .invited(let own): (participant, former) = (own, own)
        case .welcome:
            guard whole.participants.count(where: { $0.role == .publicUser }) < ModelLimits.publicParticipantsPerShare
            else {
                throw CloudError(
                    .badRequest,
                    "the share has \(ModelLimits.publicParticipantsPerShare) public participants, which is the maximum",
                    extensionCode: .tooManyParticipants)
            }
            participant = StoredParticipant(
                number: whole.share.nextParticipant, participantID: commit.makeID(), lookup: nil, role: .publicUser,
                permission: whole.share.publicPermission, added: now)
            whole.share.nextParticipant += 1
        }
        participant.user = StoredPerson(userRecordName: user, names: person?.names ?? PersonNames())
        whole.share.requesters.removeAll { $0.userRecordName == user }
        return try commit.run(in: transaction) { _, ledger in
            ledger.store(participant, of: whole.share, replacing: former)
            ledger.set(whole.share)
            return [whole.share.recordName]
        }
    }

    /// Takes the visitor out of the share, or the invitation back that they have.
    func decline(
        _ request: ShareLinkRequest, _ commit: ShareCommit, in transaction: any WriteTransaction
    ) throws -> RecordModification.Outcome? {
        let owner = commit.zoneID.ownerRecordName ?? ""
        let (_, link, whole) = try find(request.shortGUID, commit.zoneID.zoneName, in: transaction)
        let own: StoredParticipant
        switch try standing(whole, link, owner: owner) {
        case .owner: throw CloudError(.badRequest, "the owner of a share can stop it, but not decline or leave it")
        case .welcome: throw CloudError(.badRequest, "this user was not invited; there is nothing to decline")
        case .accepted(let participant), .invited(let participant): own = participant
        }
        return try commit.run(in: transaction) { _, ledger in
            try ledger.remove(own, from: whole.share, isOwnWish: true)
            ledger.set(whole.share)
            return [whole.share.recordName]
        }
    }

    /// Puts the visitor among those who ask for access, if the share takes requests and they are no part of it.
    func ask(
        _ request: ShareLinkRequest, _ commit: ShareCommit, in transaction: any WriteTransaction
    ) throws -> RecordModification.Outcome? {
        var (_, link, whole) = try find(request.shortGUID, commit.zoneID.zoneName, in: transaction)
        do {
            _ = try standing(whole, link, owner: commit.zoneID.ownerRecordName ?? "")
            return nil
        } catch is CloudError {
            // Only who may not come in has to ask.
        }
        guard !whole.share.denyAccessRequests, !whole.share.isBlocked(user),
            !whole.share.requesters.contains(where: { $0.userRecordName == user })
        else { return nil }
        let person = StoredPerson(userRecordName: user, names: person?.names ?? PersonNames())
        whole.share.requesters = whole.share.requesters.suffix(ShareLimits.requesters - 1) + [person]
        return try commit.run(in: transaction) { _, ledger in
            ledger.set(whole.share)
            return [whole.share.recordName]
        }
    }
}
