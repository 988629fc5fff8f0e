import StratusCloudModel

/// A share as commands print it.
struct ShareReport: Encodable {
    struct Participant: Encodable {
        var participant: String
        var name: String?
        var address: String?
        var user: String?
        var role: String
        var permission: String
        var acceptance: String
        /// The participant's own link, until somebody used it.
        var oneTimeLink: String?
    }

    struct Person: Encodable {
        var name: String?
        var user: String
    }

    var link: String
    var title: String?
    var container: String
    var environment: String
    var zone: String
    var record: String?
    var owner: String?
    /// What the user is: `owner`, `administrator`, `user` or `public-user`.
    var role: String
    var permission: String
    var acceptance: String
    var publicPermission: String?
    var takesRequests: Bool?
    var participants: [Participant]
    var requests: [Person]
    var blocked: [Person]

    init(_ link: ShareLink, _ client: ShareClient) {
        self.init(
            share: link.share, client, shortGUID: link.request.shortGUID, record: link.rootRecordName,
            own: (link.role, link.permission, link.acceptance), owner: link.owner)
    }

    /// Of a share record that was found in a database; nil for one that does not say who takes part.
    init?(_ share: Record, _ client: ShareClient) {
        guard let details = share.shareDetails?.value, let shortGUID = share.shortGUID else { return nil }
        let own = details.currentUserParticipant
        self.init(
            share: share, client, shortGUID: shortGUID, record: nil,
            own: (own?.role ?? .publicUser, own?.permission ?? .none, own?.acceptance ?? .accepted),
            owner: details.owner.identity)
    }

    private init(
        share: Record, _ client: ShareClient, shortGUID: String, record: String?,
        own: (role: ShareRole, permission: SharePermission, acceptance: ShareAcceptance), owner: ShareIdentity
    ) {
        link = client.link(shortGUID)
        if case .scalar(.string(let text))? = share.fields["cloudkit.title"]?.value { title = text }
        (container, environment) = (client.session.container, client.session.environment)
        zone = share.zoneID.zoneName
        self.record = record
        self.owner = Self.name(owner)
        role = Self.word(own.role)
        permission = Self.word(own.permission)
        acceptance = own.acceptance.rawValue.lowercased()
        let details = share.shareDetails?.value
        publicPermission = details.map { Self.word($0.publicPermission) }
        takesRequests = details.map { !$0.denyAccessRequests }
        participants = (details?.participants ?? []).map { participant in
            Participant(
                participant: participant.participantID, name: Self.name(participant.identity),
                address: Self.address(participant.identity), user: participant.identity.userRecordName,
                role: Self.word(participant.role), permission: Self.word(participant.permission),
                acceptance: participant.acceptance.rawValue.lowercased(),
                oneTimeLink: participant.oneTimeShortGUID.map { client.link($0) })
        }
        requests = Self.people(details?.requesters)
        blocked = Self.people(details?.blocked)
    }

    static func word(_ permission: SharePermission) -> String {
        permission.rawValue.lowercased().split(separator: "_").joined(separator: "-")
    }

    private static func word(_ role: ShareRole) -> String {
        role.rawValue.lowercased().split(separator: "_").joined(separator: "-")
    }

    private static func name(_ identity: ShareIdentity) -> String? {
        let name = [identity.givenName, identity.familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    private static func address(_ identity: ShareIdentity) -> String? {
        switch identity.lookupInfo {
        case .emailAddress(let text)?, .phoneNumber(let text)?: text
        default: nil
        }
    }

    private static func people(_ people: [ShareIdentity]?) -> [Person] {
        (people ?? []).map { Person(name: name($0), user: $0.userRecordName ?? "") }
    }

    // MARK: - For people

    /// One line.
    var line: String {
        let whose = role == "owner" ? "yours" : "of \(owner ?? "somebody")"
        let invited = acceptance == "invited" ? ", invited" : ""
        return "\(link)  \(whose), \(permission)\(invited)\(title.map { "  \(TerminalText.shown($0))" } ?? "")"
    }

    var text: String {
        var lines = [
            "link: \(link)", "title: \(title.map(TerminalText.shown) ?? "none")",
            "owner: \(owner.map(TerminalText.shown) ?? "unknown")",
            "app: \(container) (\(environment))", "zone: \(zone)\(record.map { ", record \($0)" } ?? "")",
            "you: \(role), \(permission), \(acceptance)",
        ]
        if let publicPermission { lines.append("anyone with the link: \(publicPermission)") }
        if let takesRequests { lines.append("access requests: \(takesRequests ? "allowed" : "refused")") }
        if !participants.isEmpty { lines.append("participants:") }
        for participant in participants {
            let label = participant.name ?? participant.address ?? participant.oneTimeLink ?? "somebody"
            let address =
                participant.name == nil ? "" : participant.address.map { " <\(TerminalText.shown($0))>" } ?? ""
            lines.append(
                "  \(TerminalText.shown(label))\(address): \(participant.role), \(participant.permission), "
                    + "\(participant.acceptance) [\(participant.participant)]")
        }
        for (title, people) in [("asking for access", requests), ("blocked", blocked)] where !people.isEmpty {
            lines.append("\(title):")
            for person in people { lines.append("  \(TerminalText.shown(person.name ?? "somebody")) [\(person.user)]") }
        }
        return lines.joined(separator: "\n")
    }
}
