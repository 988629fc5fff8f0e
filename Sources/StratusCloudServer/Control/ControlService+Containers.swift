import StratusCloudModel
import StratusCloudService

/// Containers as wholes.
extension ControlService {
    func answerContainers(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .createContainer(let identifier):
            try await service.createContainer(try Self.container(identifier))
            return .done
        case .listContainers:
            return .names(try await service.listContainers().map(\.rawValue))
        case .describeContainer(let identifier):
            return .container(ControlContainer(try await service.contents(of: try Self.container(identifier))))
        case .deleteContainer(let identifier):
            try await service.deleteContainer(try Self.container(identifier))
            return .done
        case .setAppLink(let container, let url, let command):
            let container = try Self.container(container)
            var link = try await service.appLink(of: container)
            if let url { link.url = url.isEmpty ? nil : url }
            if let command { link.command = command.isEmpty ? nil : command }
            if url != nil || command != nil { try await service.setAppLink(link, of: container) }
            return .appLink(url: link.url, command: link.command)
        default:
            throw CloudError(.badRequest, "this control request is not about containers")
        }
    }
}

/// What a container holds.
public struct ControlContainer: Codable, Hashable, Sendable {
    /// What one environment holds.
    public struct Environment: Codable, Hashable, Sendable {
        /// `development` or `production`.
        public var environment: String
        /// People who signed in.
        public var users: Int
        /// Records of all databases.
        public var records: Int64
        /// Bytes of the assets that they refer to.
        public var assetBytes: Int64
        /// API tokens and server-to-server keys.
        public var credentials: Int
    }

    /// Development and production.
    public var environments: [Environment]
    /// Developers in the team, without the owners of the server.
    public var teamMembers: Int

    /// Puts the counts together.
    public init(environments: [Environment], teamMembers: Int) {
        self.environments = environments
        self.teamMembers = teamMembers
    }

    init(_ contents: ContainerContents) {
        environments = contents.environments.map { environment in
            Environment(
                environment: environment.environment.rawValue, users: environment.users,
                records: environment.usage.records, assetBytes: environment.usage.assetBytes,
                credentials: environment.credentials)
        }
        teamMembers = contents.teamMembers
    }
}
