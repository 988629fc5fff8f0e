import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Invitations to teams by e-mail. The code itself is in no mail and in no queue: a sealed ticket stands for it.
extension CloudService {
    /// Sends an invitation to its address.
    /// - Parameter code: as ``inviteDeveloper(email:to:as:by:)`` gave it.
    /// - Returns: whether a mail is on its way; false without a mail server, and for an address that gets none.
    /// - Throws: `throttled` for more mail than who invites may cause, or the address get, in a day.
    public func mailInvitation(code: String) async throws(CloudError) -> Bool {
        guard let channel = mail.channel, let hash = OneTimeCode(code)?.hash,
            let invitation: StoredInvitation = try await reading(
                .directory, { try $0.value(at: DirectoryKey.invitation(hash)) }),
            let address = invitation.email, channel.takes(address)
        else { return false }
        try await queue(
            [StoredMail(.team(hash), to: address, queued: environment.now())], for: "developer \(invitation.by)",
            limit: mail.perUserAndDay)
        return true
    }

    /// What the mail says; nil for an invitation that was used, taken back or is too old.
    func teamLetter(_ stored: StoredMail, _ hash: [UInt8]) async throws(CloudError) -> MailedTeamInvitation? {
        let found: StoredInvitation? = try await reading(.directory) {
            try $0.value(at: DirectoryKey.invitation(hash))
        }
        guard let found, found.expires > environment.now(), case .team(let container, let role) = found.purpose else {
            return nil
        }
        return MailedTeamInvitation(
            id: try stored.id(), address: stored.address, queued: stored.queued, container: container, role: role,
            invitedBy: found.by, ticket: Hex.encode(seals.seal(hash, for: .teamInvitation, boundTo: [])))
    }

    /// Where the invitation of a mailed ticket lies; nil for what is none.
    func invitationHash(ofTicket text: String) -> [UInt8]? {
        guard text.utf8.count <= 256, let sealed = Hex.decode(text) else { return nil }
        return seals.open(sealed, for: .teamInvitation, boundTo: [])
    }
}
