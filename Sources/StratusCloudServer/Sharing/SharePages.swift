import StratusCloudModel
import StratusCloudService

/// The pages that a share link opens for those whom it is meant for, as text. Who manages the share gets
/// ``ShareManagementPages``.
struct SharePages {
    /// The link's path on this server, escaped.
    let path: String
    /// The whole link, escaped; nil where the server does not know its own address.
    let url: String?
    var notice: Notice?
    /// Whether whoever comes by a link may make an account.
    var offersSignUp = false

    /// What everybody sees who is not signed in, whatever the link leads to.
    func signIn(email: String = "") -> String {
        Page.make(
            title: "Shared with you", script: LinkFragment.script,
            content: """
                <h1>Something is shared with you</h1>
                <p>Sign in to see what it is and who shared it.</p>
                \(Notice.html(notice))
                \(SignInForm.html(action: path, email: email))
                \(SignUpPages.offer(action: path, isOffered: offersSignUp))
                """)
    }

    /// For links that lead nowhere, whether they ever led anywhere or not.
    func nothing(_ person: SharePerson) -> String {
        page(
            "This link does not work",
            "<p>It is incomplete, or sharing has stopped. Ask the sender for a new link.</p>",
            person)
    }

    /// For who has just left, or ended the share.
    func farewell(_ person: SharePerson) -> String {
        page("Done", Notice.html(notice), person)
    }

    func outside(
        _ reason: ShareVisit.Reason, _ request: ShareVisit.AccessRequest, _ person: SharePerson
    ) -> String {
        let (title, explanation) =
            switch reason {
            case .uninvited:
                ("You are not invited", "This link is for somebody else, or for another of your e-mail addresses.")
            case .used: ("This link has been used", "Only the first person who accepts a one-time link can join.")
            case .expired: ("This invitation has expired", "Ask the sender to invite you again.")
            }
        let action =
            switch request {
            case .refused: ""
            case .possible:
                form("ask", button("Ask for access", "ask"), person)
                    + "<p class=\"fine\">The owner will see your name and decide.</p>"
            case .waiting:
                "<p class=\"done\" id=\"waiting\" role=\"status\">You have asked for access. Open this link "
                    + "again later to "
                    + "see whether you can join.</p>"
            }
        return page(title, "<p>\(explanation)</p>\(Notice.html(notice))\(action)", person)
    }

    func invitation(_ visit: ShareVisit, _ link: ShareLink, _ person: SharePerson) -> String {
        let words = ShareWords(link: link)
        var facts = [("You can", ShareWords.deed(link.permission))]
        facts.append(("App", Self.app(link.context)))
        if let own = link.share.shareDetails?.value.currentUserParticipant, let handle = ShareWords.handle(own.identity)
        {
            facts.append(("Invited as", HTML.escape(handle)))
        }
        if let expires = visit.expires { facts.append(("Expires", CalendarDay(milliseconds: expires).description)) }
        let isPublic = link.role == .publicUser
        let hint =
            visit.isOneTimeLink
            ? "<p>Only the first person who accepts this link can join.</p>"
            : isPublic ? "<p>Anyone with this link can join.</p>" : ""
        let decline =
            isPublic ? "" : "<button class=\"quiet\" name=\"action\" value=\"decline\" id=\"decline\">Decline</button>"
        return page(
            words.title, cover: words,
            """
            \(Notice.html(notice))
            \(Self.facts(facts))
            \(hint)
            <form method="post" action="\(path)">\(Self.token(person))
            <div class="actions">\(decline)<button name="action" value="accept" id="accept">\
            \(isPublic ? "Join" : "Accept")</button></div></form>
            """, person)
    }

    /// For who has come in.
    func joined(_ link: ShareLink, _ app: AppLink, _ person: SharePerson) -> String {
        let words = ShareWords(link: link)
        let facts = [
            ("You can", ShareWords.deed(link.permission)),
            ("App", Self.app(link.context)),
        ]
        return page(
            words.title, cover: words,
            """
            \(Notice.html(notice))
            \(Self.facts(facts))
            \(goOn(app))
            <details class="more"><summary id="leaving">Leave</summary>
            <p>You lose access to everything shared here. To join again, you need \
            \(link.role == .publicUser ? "the link" : "a new invitation").</p>
            \(form("leave", button("Leave this share", "leave", "stop"), person))</details>
            """, person)
    }

    // MARK: - Parts

    /// How to go on to the app.
    func goOn(_ app: AppLink, isQuiet: Bool = false) -> String {
        var parts: [String] = []
        if let template = app.url, let url {
            let address = template.split(separator: AppLink.placeholder, omittingEmptySubsequences: false)
                .joined(separator: PercentEncoding.encode(url))
            parts.append(
                "<a class=\"button\(isQuiet ? " quiet" : "")\" id=\"open\" href=\"\(HTML.escape(address))\" "
                    + "data-link=\"\(url)\" data-template=\"\(HTML.escape(template))\">Open the app</a>"
            )
        }
        if let template = app.command, let url {
            let command = template.split(separator: AppLink.placeholder, omittingEmptySubsequences: false)
                .joined(separator: url)
            parts.append(
                "<p id=\"command-hint\">\(parts.isEmpty ? "Continue" : "Or continue") in a terminal with this "
                    + "command:</p>"
                    + "<code id=\"command\" tabindex=\"0\" aria-labelledby=\"command-hint\" data-link=\"\(url)\" "
                    + "data-template=\"\(HTML.escape(template))\">\(HTML.escape(command))</code>"
            )
        }
        if parts.isEmpty {
            parts.append("<p>It appears in the app after its next sync.</p>")
        }
        return parts.joined(separator: "\n")
    }

    private func page(
        _ title: String, cover: ShareWords? = nil, _ content: String, _ person: SharePerson
    ) -> String {
        let heading =
            cover.map { Self.heading($0, "\(HTML.name($0.owner)) shares this with you") }
            ?? "<h1>\(HTML.escape(title))</h1>"
        return Page.make(
            title: title, script: LinkFragment.script, content: heading + content + Self.foot(person))
    }

    static func heading(_ words: ShareWords, _ line: String) -> String {
        let picture =
            words.thumbnail.map { "<img src=\"\($0)\" alt=\"\">" }
                ?? """
                <div class="cover" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M8 11a3.5 3.5 0 1 1 0-7 3.5 3.5 0 0 1 \
                0 7zm8.5 0a3 3 0 1 1 0-6 3 3 0 0 1 0 6zM1 19c0-3.6 3.2-6 7-6s7 2.4 7 6v1H1zm15.8 1v-1c0-2.1-.8-3.9-2.1-5.3.6-.1 \
                1.2-.2 1.8-.2 3.5 0 6.5 2 6.5 5.5v1z"/></svg></div>
                """
        let kind = words.type.map { " · \(HTML.name($0))" } ?? ""
        return
            "<div class=\"shared\">\(picture)<div><h1>\(HTML.name(words.title))</h1><p>\(line)\(kind)</p></div></div>"
    }

    static func facts(_ facts: [(String, String)]) -> String {
        let rows = facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }
        return "<dl class=\"facts\">\(rows.joined())</dl>"
    }

    /// The app's container, which lines may break behind its dots.
    private static func app(_ context: CloudContext) -> String {
        HTML.escape(context.container.rawValue).replacing(".", with: ".<wbr>") + environment(context)
    }

    static func environment(_ context: CloudContext) -> String {
        context.environment == .development ? " (development)" : ""
    }

    static func foot(_ person: SharePerson) -> String {
        """
        <footer><p>Signed in as <strong id="who">\(HTML.escape(person.email))</strong></p>\
        <p><a href="/share">Shares</a> · <a href="/account">Account</a></p></footer>
        """
    }

    static func token(_ person: SharePerson) -> String {
        "<input type=\"hidden\" name=\"form\" value=\"\(person.formToken)\">"
    }

    private func form(_ action: String, _ content: String, _ person: SharePerson) -> String {
        """
        <form method="post" action="\(path)"><input type="hidden" name="action" value="\(action)">\(Self.token(person))\
        \(content)</form>
        """
    }

    private func button(_ title: String, _ id: String, _ kind: String = "") -> String {
        "<div class=\"actions\"><button id=\"\(id)\"\(kind.isEmpty ? "" : " class=\"\(kind)\"")>\(title)</button></div>"
    }
}

/// Who looks at a page.
struct SharePerson {
    var email: String
    var formToken: String
}
