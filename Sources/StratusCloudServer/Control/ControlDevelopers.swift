import StratusCloudModel
import StratusCloudService

/// What the operator does with developers' accounts.
public enum ControlDeveloperRequest: Codable, Hashable, Sendable {
    case list
    /// A one-time code for who is to own the server; without an address for whoever has it.
    case inviteOwner(email: String?, by: String)
    /// A one-time code for a container's team.
    case invite(email: String, container: String, role: String, by: String)
    case remove(email: String)
    case setPassword(email: String, password: String)
}

/// A developer.
public struct ControlDeveloper: Codable, Hashable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// What others call them.
    public var name: String
    /// Whether the developer owns the server.
    public var isOwner: Bool

    init(_ developer: DeveloperSummary) {
        email = developer.email
        name = developer.name
        isOwner = developer.isOwner
    }
}

extension ControlService {
    func answer(_ request: ControlDeveloperRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .list: return .developers(try await service.listDevelopers().map(ControlDeveloper.init))
        case .inviteOwner(let email, let by): return .code(try await service.inviteOwner(email: email, by: by))
        case .invite(let email, let container, let role, let by):
            return .code(
                try await service.inviteDeveloper(
                    email: email, to: try Self.container(container), as: try Self.teamRole(role), by: by))
        case .remove(let email):
            try await service.removeDeveloper(email: email)
            return .done
        case .setPassword(let email, let password):
            try await service.setDeveloperPassword(email: email, password: password)
            return .done
        }
    }

    static func teamRole(_ text: String) throws(CloudError) -> TeamRole {
        guard let role = TeamRole(rawValue: text) else {
            throw CloudError(.badRequest, "'\(text.prefix(64))' is not a role; use viewer, developer or admin")
        }
        return role
    }
}
