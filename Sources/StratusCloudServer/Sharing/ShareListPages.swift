import StratusCloudModel
import StratusCloudService

/// The list of a person's shares, as text.
enum ShareListPages {
    static func signIn(email: String = "", notice: Notice? = nil) -> String {
        Page.make(
            title: "Shares",
            content: """
                <h1>Shares</h1>
                <p>Sign in to see what you share, and what others share with you.</p>
                \(Notice.html(notice))
                \(SignInForm.html(action: ShareListHandler.path, email: email))
                """)
    }

    static func list(_ overview: ShareOverview, _ person: SharePerson) -> String {
        let cut =
            overview.isCut
            ? "<p>Only the first \(ShareLimits.sharesPerOverview) are shown. Apps show all of them.</p>" : ""
        return Page.make(
            title: "Shares", isWide: true,
            content: """
                <h1>Shares</h1>
                \(cut)
                \(overview.invitations.isEmpty ? "" : invitations(overview.invitations, person))
                \(section(
                    "own", "What you share", overview.own,
                    empty: "You are not sharing anything yet. You can share from within an app.", own))
                \(section(
                    "others", "What others share with you", overview.others,
                    empty: "You have not joined a share yet.", other))
                <footer><p>Signed in as <strong id="who">\(HTML.escape(person.email))</strong></p>\
                <p><a href="/account">Account</a></p></footer>
                """)
    }

    /// What one may come into, with what a share's own page has for it.
    private static func invitations(_ links: [ShareLink], _ person: SharePerson) -> String {
        section("invitations", "Invitations", links, empty: "", other) { index, link in
            """
            <form method="post" action="\(path(link))">\(SharePages.token(person))<div class="actions">\
            <button class="quiet" name="action" value="decline" id="decline-\(index)" \
            aria-describedby="invitations-\(index)">Decline</button>\
            <button name="action" value="accept" id="accept-\(index)" \
            aria-describedby="invitations-\(index)">Accept</button></div></form>
            """
        }
    }

    private static func path(_ link: ShareLink) -> String {
        ShareListHandler.path + "/" + PercentEncoding.encode(link.request.shortGUID)
    }

    private static func section(
        _ id: String, _ title: String, _ links: [ShareLink], empty: String, _ facts: (ShareLink) -> [String],
        more: (Int, ShareLink) -> String = { _, _ in "" }
    ) -> String {
        let rows = links.enumerated().map { index, link in
            let words = ShareWords(link: link)
            let facts =
                facts(link) + [HTML.escape(link.context.container.rawValue) + SharePages.environment(link.context)]
            return """
                <li><a id="\(id)-\(index)" href="\(path(link))"><strong>\(HTML.name(words.title))</strong></a>\
                <p>\(facts.joined(separator: " · "))</p>\(more(index, link))</li>
                """
        }
        let content = rows.isEmpty ? "<p>\(empty)</p>" : "<ul class=\"rows\">\(rows.joined(separator: "\n"))</ul>"
        return "<section aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(title)</h2>\(content)</section>"
    }

    private static func own(_ link: ShareLink) -> [String] {
        guard let details = link.share.shareDetails?.value else { return [] }
        let others = details.participants.filter { $0.role != .owner }
        let inside = others.count { $0.acceptance == .accepted }
        let invited = others.count - inside
        var facts = [inside == 0 ? "Nobody has joined" : "Shared with \(inside) \(inside == 1 ? "person" : "people")"]
        if invited > 0 { facts.append("\(invited) invited") }
        if details.publicPermission != .none {
            facts.append("anyone with the link can \(ShareWords.deed(details.publicPermission))")
        }
        let requests = details.requesters.count
        if requests > 0 { facts.append("\(requests) access \(requests == 1 ? "request" : "requests")") }
        return facts
    }

    private static func other(_ link: ShareLink) -> [String] {
        [
            HTML.name(ShareWords(link: link).owner),
            link.role == .administrator
                ? "you are an administrator" : "you can \(ShareWords.deed(link.permission))",
        ]
    }
}
