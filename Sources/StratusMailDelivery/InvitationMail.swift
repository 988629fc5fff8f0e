import StratusCloudModel
import StratusCloudService

/// The words of an invitation.
struct InvitationMail {
    let invitation: MailedInvitation
    /// Where the share link leads, such as `https://cloud.example/share/…`.
    let url: String

    private var owner: String { invitation.ownerName.map(MailText.plain) ?? "Somebody" }
    private var title: String? { invitation.title.map(MailText.plain).flatMap { $0.isEmpty ? nil : $0 } }
    private var deed: String { invitation.permission == .readWrite ? "view and change it" : "view it" }
    private var expires: String { CalendarDay(milliseconds: invitation.expires).description }
    private var app: String { invitation.context.container.rawValue }

    var subject: String { title.map { "\(owner) shares “\($0)” with you" } ?? "\(owner) shares something with you" }

    private var reason: String {
        "You received this e-mail because \(owner) invited you with this address. If you do not know them, ignore it: "
            + "nothing happens unless you accept, and the invitation expires."
    }

    var text: String {
        """
        \(subject).

        App: \(app)
        You can \(deed). The invitation expires on \(expires).

        Open the invitation:
        \(url)

        \(reason)

        """
    }

    var html: String {
        MailPage(
            heading: subject,
            paragraphs: ["App: \(app)", "You can \(deed). The invitation expires on \(expires)."],
            button: "Open the invitation", url: url, reason: reason
        ).html
    }
}
