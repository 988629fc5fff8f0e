import CloudKit

/// A person who takes part in a share, in the words of the details of a post.
package struct Participant: Equatable, Sendable {
    let name: String
    let role: String
    let permission: String
    let acceptance: String

    package init(name: String, role: String, permission: String, acceptance: String) {
        (self.name, self.role, self.permission, self.acceptance) = (name, role, permission, acceptance)
    }

    /// Describes a participant of a share.
    init(_ participant: CKShare.Participant, isCurrentUser: Bool) {
        let address = participant.userIdentity.lookupInfo?.emailAddress
        let givenName = participant.userIdentity.nameComponents?.givenName
        name = isCurrentUser ? "you" : givenName ?? address ?? "somebody"
        role =
            switch participant.role {
            case .owner: "owner"
            case .privateUser: "private participant"
            case .publicUser: "participant by link"
            default: "participant"
            }
        permission = participant.role == .owner || participant.permission == .readWrite ? "read-write" : "read-only"
        acceptance =
            switch participant.acceptanceStatus {
            case .accepted: "accepted"
            case .pending: "invited"
            case .removed: "removed"
            default: "unknown"
            }
    }

    var line: String { "\(name): \(role), \(permission), \(acceptance)" }
}
