import StratusCloudService

/// The words of the mail to somebody who wants an account.
struct SignUpMail {
    let signUp: MailedSignUp
    /// Scheme and host of the server.
    let publicURL: String

    private var host: String { MailText.host(of: publicURL) }

    private var url: String {
        if let ticket = signUp.ticket { return "\(publicURL)/sign-up?ticket=\(ticket)" }
        return signUp.shortGUID.map { "\(publicURL)/share/\($0)" } ?? "\(publicURL)/account"
    }

    var subject: String {
        signUp.ticket == nil ? "You have an account at \(host)" : "Create your account at \(host)"
    }

    private var line: String {
        signUp.ticket == nil
            ? "Somebody, perhaps you, asked for an account with this address. You already have one. Sign in to use it."
            : "Create your account with this link. It expires after a day."
    }

    private var reason: String {
        "You received this e-mail because somebody entered your address at \(host). If it was not you, ignore it."
    }

    var text: String { "\(line)\n\n\(url)\n\n\(reason)\n" }

    var html: String {
        MailPage(
            heading: subject, paragraphs: [line], button: signUp.ticket == nil ? "Sign in" : "Create account",
            url: url, reason: reason
        ).html
    }
}
