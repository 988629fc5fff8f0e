import StratusCloudService

/// The words of the mail to a developer who is invited to a team.
struct TeamMail {
    let invitation: MailedTeamInvitation
    /// Scheme and host of the server.
    let publicURL: String

    private var host: String { MailText.host(of: publicURL) }
    // What stands behind the mark stays in the browser.
    private var url: String { "\(publicURL)/console/invitation#\(invitation.ticket)" }
    private var app: String { MailText.plain(invitation.container.rawValue) }

    var subject: String { "Invitation to the team of \(app)" }

    private var lines: [String] {
        [
            "\(MailText.plain(invitation.invitedBy)) invites you to work on \(app) with the role "
                + "\(invitation.role.rawValue).",
            "The link works once and expires after seven days.",
        ]
    }

    private var reason: String {
        "You received this e-mail because somebody entered your address at \(host). If you do not know why, ignore it."
    }

    var text: String { "\(lines.joined(separator: "\n"))\n\n\(url)\n\n\(reason)\n" }

    var html: String {
        MailPage(heading: subject, paragraphs: lines, button: "Open the invitation", url: url, reason: reason).html
    }
}
