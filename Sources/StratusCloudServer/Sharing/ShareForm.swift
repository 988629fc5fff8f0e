import StratusCloudModel
import StratusHTTPTransport

/// A form of the page of a share, and what it asks for.
struct ShareForm {
    static let incomplete = CloudError(.badRequest, "the form is incomplete")

    let action: String
    let fields: FormFields

    /// What is to be changed of the share, and what the page says when it is.
    /// - Throws: ``incomplete`` for what no form of the page sends.
    func edit() throws(CloudError) -> (ShareEdit, ShareDone) {
        switch action {
        case "invite":
            return (.invite(.emailAddress(try text("email")), try role() ?? .user, try permission()), .invited)
        case "one-time": return (.addOneTimeLink(try permission()), .linkMade)
        case "change":
            return (.setPermission(participantID: try text("participant"), try permission(), try role()), .changed)
        case "remove": return (.remove(participantID: try text("participant")), .removed)
        case "approve": return (.approve(userRecordName: try text("user"), try permission()), .approved)
        case "deny": return (.deny(userRecordName: try text("user")), .denied)
        case "block": return (.block(userRecordName: try text("user")), .blocked)
        case "unblock": return (.unblock(userRecordName: try text("user")), .unblocked)
        case "link":
            guard let permission = SharePermission(rawValue: try text("public")),
                let requests = fields["requests"], ["yes", "no"].contains(requests)
            else { throw Self.incomplete }
            return (.setAccess(public: permission, requests: requests == "yes"), .changed)
        default: throw Self.incomplete
        }
    }

    func text(_ name: String) throws(CloudError) -> String {
        guard let text = fields[name], !text.isEmpty else { throw Self.incomplete }
        return text
    }

    private func permission() throws(CloudError) -> SharePermission {
        guard let permission = SharePermission(rawValue: try text("permission")), permission != .none else {
            throw Self.incomplete
        }
        return permission
    }

    /// nil where the form offers no choice.
    private func role() throws(CloudError) -> ShareRole? {
        guard let word = fields["role"] else { return nil }
        guard let role = ShareRole(rawValue: word), role == .user || role == .administrator else {
            throw Self.incomplete
        }
        return role
    }

    /// Why something was refused, for people.
    static func sentence(_ error: CloudError) -> String {
        error.code == .conflict
            ? "Somebody else has changed the share. This page now shows its current state. Try again." : error.sentence
    }
}

/// What was done, as the address of the page that says so.
enum ShareDone: String {
    case accepted, declined, left, asked, stopped, invited, mailed, changed, removed, approved, denied, blocked,
        unblocked
    case linkMade = "link-made"

    /// Whether the person has nothing more to do with the share.
    var isFarewell: Bool { [.declined, .left, .stopped].contains(self) }

    var text: String {
        switch self {
        case .accepted: "You have joined."
        case .declined: "You declined. You can close this page."
        case .left: "You left. You can close this page."
        case .asked: "Your request was sent."
        case .stopped: "Sharing has stopped."
        case .invited: "Invitation created."
        case .changed: "Saved."
        case .removed: "Removed. They no longer have access."
        case .approved: "Approved. They can join by opening the link again."
        case .denied: "Request denied."
        case .blocked: "Blocked. They can neither join nor ask for access."
        case .unblocked: "Unblocked."
        case .mailed: "Invitation sent by e-mail."
        case .linkMade: "Link created. Only the first person who accepts it can join."
        }
    }

    /// What the address of a page says was done.
    init?(_ head: HTTPRequestHead) {
        guard let word = FormFields(Array((head.query ?? "").utf8))?["done"] else { return nil }
        self.init(rawValue: word)
    }
}
