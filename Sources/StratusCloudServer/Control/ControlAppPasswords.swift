import StratusCloudModel
import StratusCloudService

/// What the operator does with the app passwords of an account.
public enum ControlAppPasswordRequest: Codable, Hashable, Sendable {
    case create(email: String, name: String, environment: String, mayDeleteBackups: Bool)
    case list(email: String)
    case delete(email: String, name: String)
}

/// An app password, without the password itself. Times are milliseconds since 1970-01-01 UTC.
public struct ControlAppPassword: Codable, Hashable, Sendable {
    /// Unique in the account.
    public var name: String
    /// The environment whose data it opens.
    public var environment: String
    /// Whether it may delete backups.
    public var mayDeleteBackups: Bool
    /// When it was made.
    public var created: Int64
    /// When it was last used, to the hour; nil before the first use.
    public var lastUsed: Int64?

    init(_ password: AppPasswordSummary) {
        name = password.name
        environment = password.environment.rawValue
        mayDeleteBackups = password.mayDeleteBackups
        created = password.created
        lastUsed = password.lastUsed
    }
}

extension ControlService {
    func answer(_ request: ControlAppPasswordRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .create(let email, let name, let environment, let mayDelete):
            guard let environment = CloudEnvironment(rawValue: environment) else {
                throw CloudError(.badRequest, "'\(environment)' is not an environment: development or production")
            }
            return .code(
                try await service.createAppPassword(
                    named: name, in: environment, mayDeleteBackups: mayDelete, email: email))
        case .list(let email):
            return .appPasswords(try await service.listAppPasswords(email: email).map(ControlAppPassword.init))
        case .delete(let email, let name):
            try await service.deleteAppPassword(named: name, email: email)
            return .done
        }
    }
}
