import StratusCloudModel
import StratusCloudService

/// The page on which owner and administrators say who takes part in a share, as text.
struct ShareManagementPages {
    let pages: SharePages
    let link: ShareLink
    let details: ShareDetails
    let person: SharePerson
    let app: AppLink
    /// Whether the server sends invitations by e-mail.
    var sendsMail = false
    /// What a link is made of before its short GUID, escaped; nil where the server does not know its own address.
    let linkBase: String?

    private var isOwner: Bool { link.role == .owner }
    private var isOpen: Bool { details.publicPermission != .none }

    func page() -> String {
        let words = ShareWords(link: link)
        let line = isOwner ? "You share this" : "\(HTML.name(words.owner)) shares this; you are an administrator"
        return Page.make(
            title: words.title, isWide: true, script: LinkFragment.script,
            content: """
                \(SharePages.heading(words, line))
                \(Notice.html(pages.notice))
                \(requests())
                \(people())
                \(linkSection())
                \(oneTimeLinks())
                \(blocked())
                \(section("go-on", "App", pages.goOn(app, isQuiet: true)))
                \(ending())
                \(SharePages.foot(person))
                """)
    }

    // MARK: - People

    private func people() -> String {
        let list = details.participants.filter { $0.oneTimeShortGUID == nil }.enumerated().map(row)
        return section("people", "People", "<ul class=\"rows\">\(list.joined(separator: "\n"))</ul>\(invitation())")
    }

    private func row(_ index: Int, _ participant: ShareParticipant) -> String {
        let words = ShareWords(link: link)
        let isMe = participant.participantID == words.caller?.participantID
        let label = HTML.name(ShareWords.label(participant)) + (isMe ? " (you)" : "")
        let state = "<p>\(self.state(participant))</p>"
        guard words.mayChange(participant) else { return "<li><strong>\(label)</strong>\(state)</li>" }
        let id = "<input type=\"hidden\" name=\"participant\" value=\"\(HTML.escape(participant.participantID))\">"
        var choices = ""
        var buttons = "<button class=\"quiet\" name=\"action\" value=\"remove\" id=\"remove-\(index)\">Remove</button>"
        if participant.role != .publicUser {
            choices = pair(
                permission("permission-\(index)", participant.permission),
                isOwner ? role("role-\(index)", participant.role) : "")
            if sendsMail, participant.acceptance == .invited, case .emailAddress? = participant.identity.lookupInfo {
                buttons +=
                    "<button class=\"quiet\" name=\"action\" value=\"mail\" id=\"mail-\(index)\">Send again</button>"
            }
            buttons += "<button name=\"action\" value=\"change\" id=\"change-\(index)\">Save</button>"
        }
        let block =
            participant.identity.userRecordName.map { name in
                form(
                    "block",
                    "<input type=\"hidden\" name=\"user\" value=\"\(HTML.escape(name))\">"
                        + button("Remove and block", "block-\(index)", isQuiet: true))
            } ?? ""
        return """
            <li><details><summary id="person-\(index)"><strong>\(label)</strong>\(state)</summary>
            <form method="post" action="\(pages.path)">\(SharePages.token(person))\(id)\(choices)\
            <div class="actions">\(buttons)</div></form>\(block)</details></li>
            """
    }

    private func state(_ participant: ShareParticipant) -> String {
        var parts: [String] = []
        switch participant.role {
        case .owner: return "Owner"
        case .administrator: parts.append("Administrator")
        case .publicUser: parts.append("Joined by link")
        case .user: break
        }
        parts.append("can \(ShareWords.deed(participant.permission))")
        if participant.acceptance == .invited, let added = participant.added {
            // Nobody is invited by a link that is for whoever comes first.
            let word = participant.oneTimeShortGUID == nil ? "invited" : "valid"
            parts.append(
                "\(word) until \(CalendarDay(milliseconds: added + ShareLimits.invitationLifetime).description)")
        }
        if participant.isApprovedRequester { parts.append("asked for access") }
        if ShareWords.name(participant.identity) != nil, let handle = ShareWords.handle(participant.identity) {
            parts.append(HTML.escape(handle))
        }
        let text = parts.joined(separator: " · ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func invitation() -> String {
        if isOpen {
            return
                "<p>Anyone with the link can join, so nobody needs an invitation. To invite people, "
                + "allow only invited people to join first.</p>"
        }
        let mail =
            sendsMail
            ? "<label class=\"keep\"><input type=\"checkbox\" name=\"mail\" value=\"on\" checked> Send the invitation by "
                + "e-mail</label>"
            : "<p>Send them the link below. They join with it.</p>"
        return """
            <details class="more"\(details.participants.count == 1 ? " open" : "")><summary id="inviting">Invite somebody</summary>
            \(form("invite", """
                <label class="field" for="email">E-mail address</label>
                <input type="text" inputmode="email" id="email" name="email" required \
                maxlength="\(ServiceLimits.emailLength)" autocomplete="off" autocapitalize="none" spellcheck="false">
                \(pair(permission("permission-new", .readWrite), isOwner ? role("role-new", .user) : ""))
                \(mail)\(button("Invite", "invite"))
                """))</details>
            """
    }

    private func requests() -> String {
        guard !details.requesters.isEmpty else { return "" }
        let rows = details.requesters.enumerated().map { index, requester in
            """
            <li><strong>\(HTML.name(ShareWords.name(requester) ?? "Somebody"))</strong>
            <form method="post" action="\(pages.path)">\(SharePages.token(person))
            <input type="hidden" name="user" value="\(HTML.escape(requester.userRecordName ?? ""))">
            \(permission("request-\(index)", .readOnly))
            <div class="actions"><button class="quiet" name="action" value="block" id="block-request-\(index)">Block</button>\
            <button class="quiet" name="action" value="deny" id="deny-\(index)">Deny</button>\
            <button name="action" value="approve" id="approve-\(index)">Allow</button></div></form></li>
            """
        }
        let hint = isOpen ? "<p>To approve requests, allow only invited people to join first.</p>" : ""
        return section("requests", "Access requests", "\(hint)<ul class=\"rows\">\(rows.joined())</ul>")
    }

    private func blocked() -> String {
        guard !details.blocked.isEmpty else { return "" }
        let rows = details.blocked.enumerated().map { index, person in
            "<li><strong>\(HTML.name(ShareWords.name(person) ?? "Somebody"))</strong>"
                + form(
                    "unblock",
                    "<input type=\"hidden\" name=\"user\" value=\"\(HTML.escape(person.userRecordName ?? ""))\">"
                        + button("Unblock", "unblock-\(index)", isQuiet: true)) + "</li>"
        }
        return section("blocked", "Blocked", "<ul class=\"rows\">\(rows.joined())</ul>")
    }

    // MARK: - Links

    private func linkSection() -> String {
        let address =
            pages.url.map {
                "<code id=\"link\" tabindex=\"0\" aria-labelledby=\"link-title\" data-link=\"\($0)\" "
                    + "data-template=\"\(AppLink.placeholder)\">\($0)</code>"
            } ?? ""
        let publics: [(String, String)] = [
            ("NONE", "Only invited people"), ("READ_ONLY", "Anyone with the link can view"),
            ("READ_WRITE", "Anyone with the link can view and change"),
        ]
        let requests = [("no", "Cannot ask for access"), ("yes", "Can ask for access")]
        let hint =
            details.participants.contains { $0.acceptance == .invited }
            ? "<p>If you let anyone with the link join, invitations that have not been accepted are cancelled.</p>" : ""
        return section(
            "link", "Link",
            address
                + form(
                    "link",
                    hint + select("public", "Who can join with the link", publics, details.publicPermission.rawValue)
                        + select(
                            "requests", "People who are not invited", requests,
                            details.denyAccessRequests ? "no" : "yes"
                        )
                        + button("Save", "save-link", isQuiet: true)))
    }

    private func oneTimeLinks() -> String {
        let links = details.participants.filter { $0.oneTimeShortGUID != nil }.enumerated().map { index, participant in
            """
            <li><p>\(state(participant))</p><code id="one-time-\(index)" tabindex="0" \
            aria-label="One-time link \(index + 1)">\(linkBase ?? "")\(HTML.escape(participant.oneTimeShortGUID ?? ""))</code>\
            \(form("remove", """
                <input type="hidden" name="participant" value="\(HTML.escape(participant.participantID))">\
                \(button("Revoke", "take-back-\(index)", isQuiet: true))
                """))</li>
            """
        }
        guard !isOpen || !links.isEmpty else { return "" }
        let list = links.isEmpty ? "" : "<ul class=\"rows\">\(links.joined())</ul>"
        let making =
            isOpen
            ? ""
            : """
            <details class="more"><summary id="making">Create a one-time link</summary>
            <p>Only the first person who accepts it can join, with any account.</p>
            \(form("one-time", permission("permission-link", .readOnly) + button("Create link", "one-time")))</details>
            """
        return section("one-time-links", "One-time links", list + making)
    }

    // MARK: - The end

    private func ending() -> String {
        let (title, hint, button) =
            isOwner
            ? (
                "Stop sharing",
                "Everyone else loses access at once, and the links stop working. Their changes are kept.",
                self.button("Stop sharing with everyone", "stop", kind: "stop")
            )
            : (
                "Leave", "You lose access to everything shared here. To join again, you need a new invitation.",
                self.button("Leave this share", "leave", kind: "stop")
            )
        return section(
            "ending", title,
            """
            <details class="more"><summary id="end">\(title)…</summary><p>\(hint)</p>
            \(form(isOwner ? "stop" : "leave", button))</details>
            """)
    }

    // MARK: - Parts

    private func section(_ id: String, _ title: String, _ content: String) -> String {
        "<section aria-labelledby=\"\(id)-title\"><h2 id=\"\(id)-title\">\(title)</h2>\(content)</section>"
    }

    private func form(_ action: String, _ content: String) -> String {
        """
        <form method="post" action="\(pages.path)"><input type="hidden" name="action" value="\(action)">\
        \(SharePages.token(person))\(content)</form>
        """
    }

    private func pair(_ first: String, _ second: String) -> String {
        second.isEmpty ? first : "<div class=\"pair\"><div>\(first)</div><div>\(second)</div></div>"
    }

    private func permission(_ id: String, _ current: SharePermission) -> String {
        select(
            "permission", id: id, "Permission", [("READ_ONLY", "View"), ("READ_WRITE", "View and change")],
            current.rawValue)
    }

    private func role(_ id: String, _ current: ShareRole) -> String {
        select("role", id: id, "Role", [("USER", "Participant"), ("ADMINISTRATOR", "Administrator")], current.rawValue)
    }

    private func select(
        _ name: String, id: String? = nil, _ label: String, _ options: [(String, String)], _ current: String
    ) -> String {
        let id = id ?? name
        let items = options.map { "<option value=\"\($0.0)\"\($0.0 == current ? " selected" : "")>\($0.1)</option>" }
        return "<label class=\"field\" for=\"\(id)\">\(label)</label><select id=\"\(id)\" name=\"\(name)\">"
            + "\(items.joined())</select>"
    }

    private func button(_ title: String, _ id: String, isQuiet: Bool = false, kind: String? = nil) -> String {
        let style = (kind ?? (isQuiet ? "quiet" : nil)).map { " class=\"\($0)\"" } ?? ""
        return "<div class=\"actions\"><button id=\"\(id)\"\(style)>\(title)</button></div>"
    }
}
