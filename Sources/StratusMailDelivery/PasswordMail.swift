import StratusCloudService

/// The words of the mail to somebody who forgot their password.
struct PasswordResetMail {
    let reset: MailedPasswordReset
    /// Scheme and host of the server.
    let publicURL: String

    private var url: String { "\(publicURL)/password?ticket=\(reset.ticket)" }
    private let line = "Choose a new password with this link. It works once and expires after an hour."

    var subject: String { "Choose a new password for \(MailText.host(of: publicURL))" }

    private var reason: String {
        "You received this e-mail because somebody asked for a new password for your account at "
            + "\(MailText.host(of: publicURL)). If it was not you, ignore it: your password stays the same."
    }

    var text: String { "\(line)\n\n\(url)\n\n\(reason)\n" }

    var html: String {
        MailPage(heading: subject, paragraphs: [line], button: "Choose a new password", url: url, reason: reason).html
    }
}

/// The words of the mail that says that an account has another password.
struct PasswordNoticeMail {
    let notice: MailedPasswordNotice
    /// Scheme and host of the server.
    let publicURL: String

    private var url: String { "\(publicURL)/password" }
    private let lines = [
        "The password of your account has been changed. All apps, devices and browsers are signed out.",
        "If you did not change it, choose a new password now with this link.",
    ]

    var subject: String { "Your password at \(MailText.host(of: publicURL)) has been changed" }

    private var reason: String {
        "You received this e-mail because you have an account at \(MailText.host(of: publicURL))."
    }

    var text: String { "\(lines.joined(separator: "\n"))\n\n\(url)\n\n\(reason)\n" }

    var html: String {
        MailPage(heading: subject, paragraphs: lines, button: "Choose a new password", url: url, reason: reason).html
    }
}
