import StratusCloudModel
import StratusCloudService

/// Where a person is signed in, and the end of their account.
extension AccountPages {
    static func sessions(_ sessions: [OwnSession], _ formToken: String) -> String {
        let rows = sessions.enumerated().map { index, session in
            let place =
                if let context = session.context {
                    HTML.escape(context.container.rawValue)
                        + (context.environment == .development ? " (development)" : "")
                } else {
                    "Account page"
                }
            let times =
                session.context == nil
                ? "Signed in \(moment(session.since))"
                : "Signed in \(moment(session.since)), last used \(moment(session.lastUsed))"
            let end =
                session.isCurrent
                ? "<p id=\"this-session\">You are using this browser now.</p>"
                : form(
                    "end-session", formToken,
                    "<input type=\"hidden\" name=\"session\" value=\"\(session.id)\">"
                        + button("Sign out", id: "end-\(index)", isQuiet: true, describedBy: "session-\(index)"))
            return """
                <li><strong id="session-\(index)">\(HTML.name(ClientName.text(of: session.agent)))</strong>
                <p>\(place)</p><p>\(times)</p>
                \(end)
                </li>
                """
        }
        return section(
            "sessions", "Where you are signed in",
            "<p>Sign out of devices and browsers that you do not recognize or no longer use.</p>"
                + "<ul class=\"rows\" id=\"session-list\">\(rows.joined(separator: "\n"))</ul>")
    }

    static func deletion(_ email: String, _ formToken: String, isOpen: Bool) -> String {
        let fields = """
            <input type="text" name="username" value="\(HTML.escape(email))" autocomplete="username" hidden readonly>
            <label class="keep"><input type="checkbox" name="public" value="on"> Also delete my records in public \
            databases</label>
            <label class="field" for="delete-password">Your password</label>
            <input type="password" id="delete-password" name="password" required autocomplete="current-password">
            <div class="actions"><button type="submit" id="delete" class="stop">Delete my account and data</button></div>
            """
        return section(
            "delete", "Delete your account",
            """
            <details class="more"\(isOpen ? " open" : "")><summary id="deleting">Delete my account…</summary>
            <p>This deletes your account with its name and phone number, everything in your private databases in all \
            apps, the backups of your devices, everything that you share with others, your access to what others share \
            with you, and all sessions and devices. It cannot be undone.</p>
            <p>Records that you saved in other people's shares are kept. Records that you saved in public databases \
            are kept, unless you choose to delete them below. Records that are kept no longer identify you.</p>
            \(form("delete", formToken, fields))
            </details>
            """)
    }

    /// A day and a time in UTC.
    static func moment(_ time: Int64) -> String {
        let minutes = ((time % 86_400_000) + 86_400_000) % 86_400_000 / 60_000
        func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
        let day = CalendarDay(milliseconds: time).description
        return "\(day), \(padded(minutes / 60)):\(padded(minutes % 60)) UTC"
    }
}
