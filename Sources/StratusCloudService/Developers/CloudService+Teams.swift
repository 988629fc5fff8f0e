import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A container, as a developer sees it.
public struct TeamContainer: Hashable, Sendable {
    /// Which one.
    public var identifier: ContainerIdentifier
    /// What the developer is in its team.
    public var role: TeamRole
}

/// The people behind a container.
public struct Team: Hashable, Sendable {
    /// Somebody in the team.
    public struct Member: Hashable, Sendable {
        /// Who it is; owners of the server are in all teams.
        public var developer: DeveloperSummary
        /// What they may do.
        public var role: TeamRole
    }

    /// An invitation that nobody has accepted.
    public struct Invitation: Hashable, Sendable {
        /// Names it; no secret.
        public var id: String
        /// Whom it is for.
        public var email: String
        /// What they will be.
        public var role: TeamRole
        /// When it ends, in milliseconds since 1970-01-01 UTC.
        public var expires: Int64
    }

    /// By address.
    public var members: [Member]
    /// The oldest first; empty for who may not invite.
    public var invitations: [Invitation]
}

extension CloudService {
    /// Says whether a developer may do something with a container.
    /// - Returns: the developer's role.
    /// - Throws: `notFound`, in the same words, if there is no such container or the developer is not in its team;
    ///   `accessDenied` if the role is too small.
    @discardableResult
    public func authorize(
        _ developer: DeveloperCaller, to act: DeveloperAct, in container: ContainerIdentifier,
        _ environment: CloudEnvironment?
    ) async throws(CloudError) -> TeamRole {
        let role = try await reading(.directory) { try Self.role(of: developer.id, in: container, $0) }
        guard let role else { throw CloudError(.notFound, "container '\(container)' does not exist") }
        guard act.isAllowed(to: role, in: environment) else {
            throw CloudError(
                .accessDenied,
                "this needs the role '\(act.minimumRole(in: environment).rawValue)' in the team of '\(container)'")
        }
        return role
    }

    /// The containers whose teams a developer is in, by name; for owners, all.
    public func containers(of developer: DeveloperCaller) async throws(CloudError) -> [TeamContainer] {
        let all = try await listContainers()
        return try await reading(.directory) { transaction in
            try all.compactMap { container in
                try Self.role(of: developer.id, in: container, transaction).map {
                    TeamContainer(identifier: container, role: $0)
                }
            }
        }
    }

    /// Who is in a container's team.
    /// - Parameter showsInvitations: Whether open invitations are listed, too.
    public func team(
        of container: ContainerIdentifier, showsInvitations: Bool
    ) async throws(CloudError) -> Team {
        let now = environment.now()
        return try await reading(.directory) { transaction in
            try Self.checkContainer(container, in: transaction)
            let members = try Self.allDevelopers(in: transaction).compactMap { developer in
                try Self.role(of: developer.id, in: container, transaction).map {
                    Team.Member(developer: DeveloperSummary(developer), role: $0)
                }
            }
            var team = Team(members: members.sorted { $0.developer.email < $1.developer.email }, invitations: [])
            guard showsInvitations else { return team }
            team.invitations = try Self.invitations(in: transaction).filter { $1.expires > now }
                .sorted { $0.1.created < $1.1.created }.compactMap { key, invitation in
                    guard case .team(container, let role) = invitation.purpose else { return nil }
                    return Team.Invitation(
                        id: Self.invitationID(key), email: invitation.email ?? "", role: role,
                        expires: invitation.expires)
                }
            return team
        }
    }

    /// Gives a member another role. It holds from the next request on. What somebody invited who may do so no more is
    /// taken back.
    /// - Throws: `notFound` if the developer is not in the team; `conflict` for owners, who are admins everywhere.
    public func setRole(
        _ role: TeamRole, of developerID: String, in container: ContainerIdentifier
    ) async throws(CloudError) {
        try await changingDevelopers { transaction in
            try Self.checkIsNoOwner(developerID, in: transaction)
            let key = DirectoryKey.membership(of: developerID, in: container)
            guard var membership: TeamMembership = try transaction.value(at: key) else { throw Self.notInTeam }
            membership.role = role
            transaction.set(key, membership)
            guard !DeveloperAct.changeTeam.isAllowed(to: role, in: nil) else { return }
            try Self.clearInvitations(to: container, by: developerID, in: transaction)
        }
    }

    /// Takes a member out of a team, with the open invitations they made, or an invitation back. It holds from the next
    /// request on.
    /// - Parameter id: a developer's, or an invitation's.
    /// - Throws: as ``setRole(_:of:in:)``.
    public func removeFromTeam(
        _ id: String, of container: ContainerIdentifier
    ) async throws(CloudError) {
        try await changingDevelopers { transaction in
            let invitation = try Self.invitations(in: transaction).first { key, invitation in
                invitation.purpose.place == container && Self.invitationID(key) == id
            }
            if let invitation {
                transaction.clear(invitation.0)
                return
            }
            try Self.checkIsNoOwner(id, in: transaction)
            let key = DirectoryKey.membership(of: id, in: container)
            guard try transaction.get(key) != nil else { throw Self.notInTeam }
            transaction.clear(key)
            try Self.clearInvitations(to: container, by: id, in: transaction)
        }
    }

    // MARK: - Helpers

    private static let notInTeam = CloudError(
        .notFound, "the team has no member and no invitation with this identifier")

    /// The first digits of the hash under which an invitation lies.
    private static func invitationID(_ key: Key) -> String {
        Hex.encode(Array(key.bytes.dropFirst().prefix(ServiceLimits.tokenIDLength)))
    }

    /// What a developer is in a container's team; nil for nothing, and where there is no such container.
    private static func role(
        of developerID: String, in container: ContainerIdentifier, _ transaction: any ReadTransaction
    ) throws -> TeamRole? {
        guard try transaction.get(DirectoryKey.container(container)) != nil,
            let developer: Developer = try transaction.value(at: DirectoryKey.developer(id: developerID))
        else { return nil }
        if developer.isOwner { return .admin }
        let membership: TeamMembership? = try transaction.value(
            at: DirectoryKey.membership(of: developerID, in: container))
        return membership?.role
    }

    private static func checkIsNoOwner(_ id: String, in transaction: any ReadTransaction) throws {
        let developer: Developer? = try transaction.value(at: DirectoryKey.developer(id: id))
        guard developer?.isOwner != true else {
            throw CloudError(.conflict, "owners of the server are members of every team")
        }
    }
}
