import StratusCloudModel

/// What developers do with a container. What each needs is said here and nowhere else.
public enum DeveloperAct: String, Hashable, Sendable, CaseIterable {
    case seeTeam, changeTeam
    /// Record types, indexes, roles and their members, the history.
    case seeSchema
    /// What can be undone or never leaves development: importing, making roles.
    case changeSchema
    case deploySchema, rollBackSchema, resetDevelopment
    /// Who is in a role.
    case changeRoleMembers
    /// Records of the public database, and of the developer's own.
    case readData, changeData
    /// Test accounts, with their passwords, and what is theirs.
    case useTestAccounts
    /// What tokens and keys there are; they themselves are seen by nobody.
    case seeCredentials
    case changeTokens, changeKeys
    /// Figures, the log, pushes, how many people there are.
    case seeTelemetry
    case seeSettings, changeSettings
    case seeWebhooks, changeWebhooks

    /// The least role that may do it.
    /// - Parameter environment: where; nil for what concerns the container as a whole.
    public func minimumRole(in environment: CloudEnvironment?) -> TeamRole {
        let isProduction = environment != .development
        return switch self {
        case .seeTeam, .seeSchema, .readData, .seeCredentials, .seeTelemetry, .seeSettings, .seeWebhooks: .viewer
        case .changeSchema, .rollBackSchema, .changeRoleMembers, .changeTokens, .changeWebhooks:
            isProduction ? .admin : .developer
        case .changeData, .useTestAccounts: .developer
        case .changeTeam, .deploySchema, .resetDevelopment, .changeKeys, .changeSettings: .admin
        }
    }

    /// Whether a member of a team may do it.
    public func isAllowed(to role: TeamRole, in environment: CloudEnvironment?) -> Bool {
        role >= minimumRole(in: environment)
    }
}
