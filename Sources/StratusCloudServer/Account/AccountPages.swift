import StratusCloudModel
import StratusCloudService

/// The pages of a person's own account, as text.
enum AccountPages {
    static func signIn(email: String = "", offersSignUp: Bool = false, notice: Notice? = nil) -> String {
        Page.make(
            title: "Your account",
            content: """
                <h1>Your account</h1>
                <p>Sign in to view and change your account.</p>
                \(Notice.html(notice))
                \(SignInForm.html(action: "/account", email: email))
                \(SignUpPages.offer(action: "/account", isOffered: offersSignUp))
                """)
    }

    /// - Parameter isDeleting: whether the form that deletes the account is open.
    static func overview(
        _ account: AccountOverview, formToken: String, notice: Notice? = nil, isDeleting: Bool = false
    ) -> String {
        let name = [account.givenName, account.familyName].compactMap(\.self).joined(separator: " ")
        let person = name.isEmpty ? "" : " (\(HTML.escape(name)))"
        return Page.make(
            title: "Your account", isWide: true,
            content: """
                <h1>Your account</h1>
                <p>Signed in as <strong id="who">\(HTML.escape(account.email))</strong>\(person)</p>
                \(Notice.html(notice))
                \(apps(account.apps, formToken))
                \(section(
                    "files", "Files",
                    "<p><a id=\"to-files\" href=\"/files\">Your files and folders</a></p>"))
                \(section(
                    "shares", "Sharing",
                    "<p><a id=\"to-shares\" href=\"/share\">What you share, and what others share with you</a></p>"))
                \(consoles(account.consoles, formToken))
                \(backups(account.deviceBackups, formToken))
                \(sessions(account.sessions, formToken))
                \(appPasswords(account.appPasswords, formToken))
                \(password(account.email, formToken))
                <section aria-labelledby="sign-out-title">
                <h2 id="sign-out-title">Sign out</h2>
                \(form("sign-out", formToken, button("Sign out of this browser", id: "sign-out", isQuiet: true)))
                <p id="everywhere-hint">You can also sign out of all apps, devices and browsers at once. This also \
                revokes your app passwords.</p>
                \(form(
                    "sign-out-everywhere", formToken,
                    button("Sign out everywhere", id: "everywhere", isQuiet: true, describedBy: "everywhere-hint")))
                </section>
                \(deletion(account.email, formToken, isOpen: isDeleting))
                """)
    }

    private static func apps(_ apps: [AccountOverview.App], _ formToken: String) -> String {
        guard !apps.isEmpty else {
            return section("apps", "Who can find you", "<p>You have not signed in to an app yet.</p>")
        }
        let rows = apps.enumerated().map { index, app in
            let context = app.context
            let fields = """
                <input type="hidden" name="container" value="\(HTML.escape(context.container.rawValue))">
                <input type="hidden" name="environment" value="\(context.environment.rawValue)">
                <input type="hidden" name="discoverable" value="\(app.isDiscoverable ? "no" : "yes")">
                """
            let environment = context.environment == .development ? " (development)" : ""
            let state =
                app.isDiscoverable
                ? "People who know your e-mail address or phone number can find you and see your name."
                : "Nobody can find you."
            return """
                <li><strong id="app-\(index)">\(HTML.escape(context.container.rawValue))</strong>\(environment)
                <p id="state-\(index)">\(state)</p>
                \(form(
                    "discoverable", formToken,
                    fields
                        + button(
                            app.isDiscoverable ? "Stop letting others find me" : "Let others find me",
                            id: "find-\(index)",
                            isQuiet: true, describedBy: "app-\(index) state-\(index)")))
                </li>
                """
        }
        return section("apps", "Who can find you", "<ul>\(rows.joined(separator: "\n"))</ul>")
    }

    /// Nothing, for almost everybody.
    private static func consoles(_ consoles: [Person.Console], _ formToken: String) -> String {
        guard !consoles.isEmpty else { return "" }
        let rows = consoles.enumerated().map { index, console in
            """
            <li><strong id="console-\(index)">\(HTML.escape(console.developer))</strong>
            \(form(
                "unlink", formToken,
                "<input type=\"hidden\" name=\"developer\" value=\"\(HTML.escape(console.developer))\">"
                    + button("Unlink", id: "unlink-\(index)", isQuiet: true, describedBy: "console-\(index)")))
            </li>
            """
        }
        return section(
            "consoles", "Linked developers",
            "<p>These developers have linked your account to theirs. They see your private data in the "
                + "developer console.</p>"
                + "<ul>\(rows.joined(separator: "\n"))</ul>")
    }

    private static func password(_ email: String, _ formToken: String) -> String {
        let fields = """
            <input type="text" name="username" value="\(HTML.escape(email))" autocomplete="username" hidden readonly>
            <label class="field" for="current">Current password</label>
            <input type="password" id="current" name="current" required autocomplete="current-password">
            \(NewPassword.fields("New password"))
            """
        return section(
            "password", "Password",
            "<p>A new password signs you out of all apps, devices and other browsers, and revokes your app passwords.</p>"
                + form("password", formToken, fields + button("Change password", id: "change")))
    }

    static func section(_ id: String, _ title: String, _ content: String) -> String {
        "<section aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(title)</h2>\(content)</section>"
    }

    static func form(_ action: String, _ formToken: String, _ fields: String) -> String {
        """
        <form method="post" action="/account">
        <input type="hidden" name="action" value="\(action)">
        <input type="hidden" name="form" value="\(formToken)">
        \(fields)
        </form>
        """
    }

    static func button(
        _ title: String, id: String, isQuiet: Bool = false, describedBy: String? = nil
    ) -> String {
        let kind = isQuiet ? " class=\"quiet\"" : ""
        let described = describedBy.map { " aria-describedby=\"\($0)\"" } ?? ""
        return "<div class=\"actions\"><button type=\"submit\" id=\"\(id)\"\(kind)\(described)>\(title)</button></div>"
    }
}
