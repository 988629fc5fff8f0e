import StratusCloudService

/// The pages for people who forgot their password, as text.
enum PasswordPages {
    /// The way there from a form that asks for a password.
    /// - Parameter opensTab: whether the form would be lost otherwise.
    static func link(opensTab: Bool = false) -> String {
        let target = opensTab ? " target=\"_blank\" rel=\"noopener\"" : ""
        return "<p class=\"aside\"><a id=\"forgot\" href=\"\(PasswordHandler.path)\"\(target)>"
            + "Forgot your password?</a></p>"
    }

    static func request(email: String = "", notice: Notice? = nil) -> String {
        Page.make(
            title: "Forgot your password?",
            content: """
                <h1>Forgot your password?</h1>
                <p>Enter the e-mail address of your account. We will send you a link to choose a new password.</p>
                \(Notice.html(notice))
                <form method="post" action="\(PasswordHandler.path)">
                <label class="field" for="email">E-mail address</label>
                <input type="text" inputmode="email" id="email" name="email" value="\(HTML.escape(email))" required \
                maxlength="\(ServiceLimits.emailLength)" autocomplete="username" autocapitalize="none" \
                spellcheck="false" autofocus>
                <div class="actions"><button type="submit" id="send">Send the link</button></div>
                </form>
                """)
    }

    /// The same whether there is an account or not.
    static let sent = Page.make(
        title: "Check your e-mail",
        content: """
            <h1>Check your e-mail</h1>
            <p id="sent" role="status">If there is an account with this address, an e-mail with a link is on its way. The link \
            works once and expires after an hour. You can close this page.</p>
            """)

    /// Where no mail is sent.
    static let noMail = Page.make(
        title: "Forgot your password?",
        content: """
            <h1>Forgot your password?</h1>
            <p id="no-mail">This server does not send e-mail. Ask the person who runs it to set a new password for you.</p>
            """)

    /// - Parameters:
    ///   - ticket: goes back with the form.
    ///   - email: the address of the account.
    static func choose(ticket: String, email: String, notice: Notice? = nil) -> String {
        Page.make(
            title: "Choose a new password",
            content: """
                <h1>Choose a new password</h1>
                <p>Your account is <strong id="who">\(HTML.escape(email))</strong>. You will be signed out of all \
                apps, devices and browsers, and your app passwords will be revoked.</p>
                \(Notice.html(notice))
                <form method="post" action="\(PasswordHandler.path)">
                <input type="hidden" name="ticket" value="\(HTML.escape(ticket))">
                <input type="text" name="username" value="\(HTML.escape(email))" autocomplete="username" hidden readonly>
                \(NewPassword.fields("New password"))
                <div class="actions"><button type="submit" id="change">Change password</button></div>
                </form>
                """)
    }
}
