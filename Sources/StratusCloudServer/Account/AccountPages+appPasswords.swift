import StratusCloudModel
import StratusCloudService

/// The app passwords of a person.
extension AccountPages {
    static func appPasswords(_ passwords: [AppPasswordSummary], _ formToken: String) -> String {
        let rows = passwords.enumerated().map { index, password in
            let facts = [
                "Created \(moment(password.created))",
                password.lastUsed.map { "last used \(moment($0))" } ?? "never used",
            ]
            let right = password.mayDeleteBackups ? "<p>Can delete backups.</p>" : ""
            return """
                <li><strong id="app-password-\(index)">\(HTML.name(password.name))</strong>\
                \(password.environment == .development ? " (development)" : "")
                <p>\(facts.joined(separator: ", "))</p>\(right)
                \(form(
                    "delete-app-password", formToken,
                    "<input type=\"hidden\" name=\"name\" value=\"\(HTML.escape(password.name))\">"
                        + button(
                            "Revoke", id: "revoke-\(index)", isQuiet: true, describedBy: "app-password-\(index)")))
                </li>
                """
        }
        let list = rows.isEmpty ? "" : "<ul class=\"rows\" id=\"app-passwords\">\(rows.joined(separator: "\n"))</ul>"
        return section(
            "app-passwords", "App passwords",
            "<p>Programs that cannot open a page to sign in, such as file managers and backups, use an app password. It "
                + "opens your files in apps in use or in apps in development, as you choose. In both cases it opens all "
                + "backups of your devices. It opens nothing else.</p>"
                + list + creation(formToken))
    }

    private static func creation(_ formToken: String) -> String {
        let fields = """
            <label class="field" for="app-password-name">Name, such as the device or program</label>
            <input type="text" id="app-password-name" name="name" required \
            maxlength="\(ServiceLimits.appPasswordNameLength)" autocomplete="off">
            <label class="field" for="app-password-environment">For the files of</label>
            <select id="app-password-environment" name="environment">
            <option value="production">apps in use (production)</option>
            <option value="development">apps in development</option>
            </select>
            <label class="keep"><input type="checkbox" id="app-password-deletes" name="deletes" value="on"> Can delete \
            backups</label>
            """
        return form(
            "create-app-password", formToken, fields + button("Create app password", id: "create-app-password"))
    }

    /// Shows a new app password, this once.
    static func newAppPassword(_ secret: String, named name: String) -> String {
        Page.make(
            title: "Your app password",
            content: """
                <h1>Your app password</h1>
                <p>for <strong>\(HTML.name(name))</strong>. Copy it into the program now: it is not shown again.</p>
                <code id="app-password">\(secret)</code>
                <p>The user name is your e-mail address.</p>
                <a class="button quiet" id="back" href="/account">Back to your account</a>
                """)
    }
}
