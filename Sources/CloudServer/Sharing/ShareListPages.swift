import CloudModel
import CloudService

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

    static func list(_ overview: ShareOverview, email: String) -> String {
        let cut =
            overview.isCut
            ? "<p>There are more; the first \(ShareLimits.sharesPerOverview) are shown. The apps show all.</p>" : ""
        return Page.make(
            title: "Shares", isWide: true,
            content: """
                <h1>Shares</h1>
                \(cut)
                \(section("own", "What you share", overview.own, empty: "You share nothing yet. Apps do that.", own))
                \(section(
                    "others", "What others share with you", overview.others,
                    empty: "Nothing yet. Invitations come as links; open one to accept it.", other))
                <footer><p>Signed in as <strong id="who">\(HTML.escape(email))</strong> · <a href="/account">Account</a></p>\
                </footer>
                """)
    }

    private static func section(
        _ id: String, _ title: String, _ links: [ShareLink], empty: String, _ facts: (ShareLink) -> [String]
    ) -> String {
        let rows = links.enumerated().map { index, link in
            let words = ShareWords(link: link)
            let path = ShareListHandler.path + "/" + PercentEncoding.encode(link.request.shortGUID)
            let facts =
                facts(link) + [HTML.escape(link.context.container.rawValue) + SharePages.environment(link.context)]
            return """
                <li><a id="\(id)-\(index)" href="\(path)"><strong>\(HTML.escape(words.title))</strong></a>\
                <p>\(facts.joined(separator: " · "))</p></li>
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
        var facts = [inside == 0 ? "Nobody else is in" : "With \(inside) \(inside == 1 ? "person" : "people")"]
        if invited > 0 { facts.append("\(invited) invited") }
        if details.publicPermission != .none {
            facts.append("everybody who has the link may \(ShareWords.deed(details.publicPermission))")
        }
        if !details.requesters.isEmpty { facts.append("\(details.requesters.count) asking for access") }
        return facts
    }

    private static func other(_ link: ShareLink) -> [String] {
        [
            HTML.escape(ShareWords(link: link).owner),
            link.role == .administrator
                ? "you administer it" : "you may \(ShareWords.deed(link.permission))",
        ]
    }
}
