import StratusCloudService
import StratusHTTPClient

/// Sends invitations through a mail server.
public final class SMTPMailChannel: MailChannel {
    private let client: SMTPClient
    private let sender: MailSender
    private let publicURL: String

    /// A channel.
    /// - Parameters:
    ///   - sender: who the mail comes from, an address that `SMTPMessage.isAddress` takes.
    ///   - publicURL: where people reach the server, such as `https://cloud.example`.
    public init(_ options: SMTPOptions, sender: MailSender, publicURL: String) {
        client = SMTPClient(options)
        self.sender = sender
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    }

    /// Plain addresses of ASCII.
    public func takes(_ address: String) -> Bool { SMTPMessage.isAddress(address) }

    /// Writes the mail and hands it over.
    public func deliver(_ letter: MailLetter) async -> MailOutcome {
        let message = message(letter)
        do throws(SMTPError) {
            try await client.send(
                SMTPMessage(sender: sender.address, recipient: message.recipient, content: message.bytes))
            return .delivered
        } catch {
            switch error.code {
            case .refused: return .refused(reason: error.message)
            case .later: return .later(reason: error.message)
            case .unavailable: return .unavailable(reason: error.message)
            }
        }
    }

    private func message(_ letter: MailLetter) -> MIMEMessage {
        switch letter {
        case .invitation(let invitation):
            let words = InvitationMail(
                invitation: invitation, url: "\(publicURL)/share/\(invitation.shortGUID)")
            return MIMEMessage(
                sender: sender, recipient: invitation.address, subject: words.subject, text: words.text,
                html: words.html, id: invitation.id, date: invitation.queued)
        case .team(let invitation):
            let words = TeamMail(invitation: invitation, publicURL: publicURL)
            return MIMEMessage(
                sender: sender, recipient: invitation.address, subject: words.subject, text: words.text,
                html: words.html, id: invitation.id, date: invitation.queued)
        case .passwordReset(let reset):
            let words = PasswordResetMail(reset: reset, publicURL: publicURL)
            return MIMEMessage(
                sender: sender, recipient: reset.address, subject: words.subject, text: words.text, html: words.html,
                id: reset.id, date: reset.queued)
        case .passwordNotice(let notice):
            let words = PasswordNoticeMail(notice: notice, publicURL: publicURL)
            return MIMEMessage(
                sender: sender, recipient: notice.address, subject: words.subject, text: words.text, html: words.html,
                id: notice.id, date: notice.queued)
        case .signUp(let signUp):
            let words = SignUpMail(signUp: signUp, publicURL: publicURL)
            return MIMEMessage(
                sender: sender, recipient: signUp.address, subject: words.subject, text: words.text,
                html: words.html, id: signUp.id, date: signUp.queued)
        }
    }
}
