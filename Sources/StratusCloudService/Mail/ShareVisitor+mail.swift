import StratusCloudModel
import StratusCloudStore

extension ShareVisitor {
    /// Where participants get mail whom the visitor may invite.
    func addresses(
        _ participantIDs: [String], _ shortGUID: String, _ zone: ShareGUID, _ channel: any MailChannel,
        in transaction: any ReadTransaction
    ) throws -> [String] {
        let (_, _, whole) = try find(shortGUID, zone.zoneName, in: transaction)
        guard user == zone.owner || Authorization.permits(.manage, whole.participant(of: user)?.grant) else {
            throw Self.uninvited
        }
        return try participantIDs.map { id in
            let named = "participant '\(id.prefix(64))'"
            guard let participant = whole.participants.first(where: { $0.participantID == id }) else {
                throw CloudError(.badRequest, "the share has no \(named)")
            }
            guard !participant.hasAccepted, now < participant.added + ShareLimits.invitationLifetime else {
                throw CloudError(.badRequest, "\(named) has already accepted, or the invitation has expired")
            }
            guard case .emailAddress(let address)? = participant.lookup else {
                throw CloudError(.badRequest, "\(named) was not invited by e-mail address")
            }
            guard channel.takes(address) else {
                throw CloudError(.badRequest, "no e-mail can be sent to '\(address)'; send the link yourself")
            }
            return address
        }
    }

    /// What a mail says; nil if the participant is no longer invited at that address.
    func invitation(
        _ letter: StoredMail, _ id: String, _ shortGUID: String, _ participantID: String, _ zone: ShareGUID,
        in transaction: any ReadTransaction
    ) throws -> MailedInvitation? {
        let found: (header: ZoneHeader, link: StoredShareLink, whole: WholeShare)
        do {
            found = try find(shortGUID, zone.zoneName, in: transaction)
        } catch let error as CloudError where error == Self.notFound {
            return nil
        }
        let (share, now) = (found.whole.share, now)
        guard
            let participant = found.whole.participants.first(where: { $0.participantID == participantID }),
            !participant.hasAccepted, participant.lookup == .emailAddress(letter.address),
            now < participant.added + ShareLimits.invitationLifetime
        else { return nil }
        let record = try transaction.record(named: share.recordName, in: found.header.number)
        var title: String?
        if case .scalar(.string(let text))? = record?.fields[ShareFields.title]?.value { title = text }
        let names = [share.ownerNames.given, share.ownerNames.family].compactMap(\.self).joined(separator: " ")
        return MailedInvitation(
            id: id, address: letter.address, shortGUID: shortGUID, context: zone.context,
            ownerName: names.isEmpty ? nil : names, title: title, permission: participant.permission,
            expires: participant.added + ShareLimits.invitationLifetime, queued: letter.queued)
    }
}
