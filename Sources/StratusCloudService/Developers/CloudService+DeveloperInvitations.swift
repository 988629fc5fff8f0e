import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// An invitation, as those see it who have its code.
public struct DeveloperInvitation: Hashable, Sendable {
    /// What it is to.
    public var purpose: InvitationPurpose
    /// The address that an account made with it gets; nil leaves it open.
    public var email: String?
    /// Who made it.
    public var by: String
    /// When it ends, in milliseconds since 1970-01-01 UTC.
    public var expires: Int64
    /// Whether a developer has that address, who signs in to accept.
    public var isKnown: Bool
}

/// Who makes an account with an invitation.
public struct NewDeveloper: Hashable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// What others call them.
    public var name: String
    /// As ``ServiceLimits`` allow.
    public var password: String

    /// Says who.
    public init(email: String, name: String, password: String) {
        self.email = email
        self.name = name
        self.password = password
    }
}

extension CloudService {
    /// Makes a one-time code with which somebody comes to own the server, good for ``DeveloperLimits/setUpLifetime``.
    /// For the operator.
    /// - Parameters:
    ///   - email: the address that the account gets; nil leaves it open.
    ///   - by: who invites.
    /// - Throws: `badRequest` for an address that is none.
    public func inviteOwner(email: String? = nil, by: String) async throws(CloudError) -> String {
        try await invite(to: .owner, email: email, by: by, lifetime: DeveloperLimits.setUpLifetime)
    }

    /// Makes a one-time code with which somebody comes into a team, good for ``DeveloperLimits/invitationLifetime``.
    /// For the operator, and for who has the right.
    /// - Throws: `badRequest` for an address that is none, `notFound` if there is no such container, `exists` if the
    ///   address is a member's.
    public func inviteDeveloper(
        email: String, to container: ContainerIdentifier, as role: TeamRole, by: String
    ) async throws(CloudError) -> String {
        let address = EmailAddress.normalized(email)
        try await reading(.directory) { transaction in
            try Self.checkContainer(container, in: transaction)
            guard let known = try Self.developer(email: address, in: transaction) else { return }
            let membership = try transaction.get(DirectoryKey.membership(of: known.id, in: container))
            guard membership == nil, !known.isOwner else {
                throw CloudError(.exists, "'\(address)' is already in the team")
            }
        }
        return try await invite(
            to: .team(container, role), email: email, by: by, lifetime: DeveloperLimits.invitationLifetime)
    }

    /// What a code is for.
    /// - Parameter source: the network address of the attempt, for limiting guesses.
    /// - Throws: `notFound` for a code that is none, was used or is too old; `throttled` for who tries too many.
    public func invitation(code: String, source: String?) async throws(CloudError) -> DeveloperInvitation {
        let (_, invitation) = try await openInvitation(code, source)
        let isKnown = try await reading(.directory) { transaction in
            try invitation.email.map { try transaction.get(DirectoryKey.developer(email: $0)) != nil } ?? false
        }
        return DeveloperInvitation(
            purpose: invitation.purpose, email: invitation.email, by: invitation.by, expires: invitation.expires,
            isKnown: isKnown)
    }

    /// Makes a developer with an invitation, and signs them in.
    /// - Returns: the session, as ``signInDeveloper(email:password:staysSignedIn:source:)`` gives it.
    /// - Throws: as ``invitation(code:source:)``; `exists` if a developer has the address, who is to sign in first;
    ///   `badRequest` for another address than the invitation's, or a name or password outside the limits.
    public func acceptInvitation(
        code: String, as new: NewDeveloper, source: String?
    ) async throws(CloudError) -> String {
        let (key, known) = try await openInvitation(code, source)
        let email = EmailAddress.normalized(new.email.isEmpty ? known.email ?? "" : new.email)
        guard EmailAddress.isPlausible(email) else {
            throw CloudError(.badRequest, "'\(email.prefix(64))' is not an e-mail address")
        }
        guard known.email.map({ $0 == email }) ?? true else {
            throw CloudError(.badRequest, "the invitation is for another e-mail address")
        }
        try Self.checkName(new.name)
        try Password.check(new.password)
        let hash: String
        do {
            hash = try await passwords.hash(new.password)
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
        let developer = Developer(
            id: Hex.encode(environment.random.bytes(16)), email: email, name: new.name, passwordHash: hash,
            isOwner: known.purpose == .owner, created: environment.now())
        try await changingDevelopers { transaction in
            guard try Self.developer(email: email, in: transaction) == nil else {
                throw CloudError(.exists, "a developer has the e-mail address '\(email)'; sign in to accept")
            }
            guard try Self.allDevelopers(in: transaction).count < DeveloperLimits.developers else {
                throw CloudError(.badRequest, "a cloud has at most \(DeveloperLimits.developers) developers")
            }
            transaction.set(DirectoryKey.developer(email: email), Array(developer.id.utf8))
            transaction.set(DirectoryKey.developer(id: developer.id), developer)
            try Self.take(key, known, developer.id, at: developer.created, in: transaction)
        }
        return try await beginSession(of: developer)
    }

    /// Takes a developer who is there already into what an invitation is to.
    /// - Throws: as ``invitation(code:source:)``.
    public func acceptInvitation(
        code: String, as developer: DeveloperCaller, source: String?
    ) async throws(CloudError) {
        let (key, known) = try await openInvitation(code, source)
        let now = environment.now()
        try await changingDevelopers { transaction in
            let place = DirectoryKey.developer(id: developer.id)
            guard var stored: Developer = try transaction.value(at: place) else {
                throw CloudError(.notFound, "the developer no longer exists")
            }
            if known.purpose == .owner {
                stored.isOwner = true
                transaction.set(place, stored)
            }
            try Self.take(key, known, developer.id, at: now, in: transaction)
        }
    }

    // MARK: - Helpers

    private static func checkName(_ name: String) throws(CloudError) {
        guard !name.isEmpty, name.utf8.count <= DeveloperLimits.nameLength,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw CloudError(
                .badRequest, "the name must have 1 to \(DeveloperLimits.nameLength) bytes without control characters")
        }
    }

    private func invite(
        to purpose: InvitationPurpose, email: String?, by: String, lifetime: Int64
    ) async throws(CloudError) -> String {
        let address = email.map(EmailAddress.normalized)
        if let address, !EmailAddress.isPlausible(address) {
            throw CloudError(.badRequest, "'\(address.prefix(64))' is not an e-mail address")
        }
        let code = OneTimeCode(environment.random)
        let now = environment.now()
        let invitation = StoredInvitation(
            purpose: purpose, email: address, by: by, created: now, expires: now + lifetime)
        try await changingDevelopers { transaction in
            try Self.makeRoom(for: purpose, at: now, in: transaction)
            transaction.set(DirectoryKey.invitation(code.hash), invitation)
        }
        return code.text
    }

    /// Forgets invitations that are over, and the oldest to the same if there are too many.
    private static func makeRoom(
        for purpose: InvitationPurpose, at now: Int64, in transaction: any WriteTransaction
    ) throws {
        var rivals: [(key: Key, created: Int64)] = []
        for (key, invitation) in try invitations(in: transaction) {
            if invitation.expires <= now {
                transaction.clear(key)
            } else if invitation.purpose.place == purpose.place {
                rivals.append((key, invitation.created))
            }
        }
        rivals.sort { $0.created < $1.created }
        for old in rivals.dropLast(DeveloperLimits.invitations - 1) { transaction.clear(old.key) }
    }

    static func invitations(in transaction: any ReadTransaction) throws -> [(Key, StoredInvitation)] {
        try transaction.entries(in: DirectoryKey.invitations, limit: .max).map {
            ($0.key, try StoredInvitation(stored: $0.value))
        }
    }

    /// Takes invitations back.
    static func clearInvitations(
        in transaction: any WriteTransaction, where matches: (StoredInvitation) -> Bool
    ) throws {
        for (key, invitation) in try invitations(in: transaction) where matches(invitation) { transaction.clear(key) }
    }

    /// Takes back what somebody invited to a team who may do so no more.
    static func clearInvitations(
        to container: ContainerIdentifier, by developerID: String, in transaction: any WriteTransaction
    ) throws {
        guard let developer: Developer = try transaction.value(at: DirectoryKey.developer(id: developerID)) else {
            return
        }
        try clearInvitations(in: transaction) { $0.purpose.place == container && $0.by == developer.email }
    }

    private func openInvitation(_ code: String, _ source: String?) async throws(CloudError) -> (Key, StoredInvitation) {
        let now = environment.now()
        var open: (Key, StoredInvitation)?
        do {
            try await checked(source.map { [.address($0)] } ?? []) {
                guard let hash = OneTimeCode(code)?.hash ?? self.invitationHash(ofTicket: code) else { return false }
                let key = DirectoryKey.invitation(hash)
                let found: StoredInvitation? = try await self.reading(.directory) { try $0.value(at: key) }
                if let found, found.expires > now { open = (key, found) }
                return open != nil
            }
        } catch is WrongGuess {
            throw Self.noInvitation
        } catch {
            throw cloudError(from: error)
        }
        guard let open else { throw Self.noInvitation }
        return open
    }

    private static let noInvitation = CloudError(
        .notFound, "this invitation has been used, has expired or does not exist; ask for a new one")

    /// Uses an invitation up.
    private static func take(
        _ key: Key, _ invitation: StoredInvitation, _ developerID: String, at now: Int64,
        in transaction: any WriteTransaction
    ) throws {
        // Somebody may have been quicker with the same code.
        guard try transaction.get(key) != nil else { throw noInvitation }
        transaction.clear(key)
        guard case .team(let container, let role) = invitation.purpose else {
            // Whoever reads an old code in a log must not come to own the server, too.
            return try clearInvitations(in: transaction) { $0.purpose == .owner && $0.email == nil }
        }
        try checkContainer(container, in: transaction)
        let place = DirectoryKey.membership(of: developerID, in: container)
        let held: TeamMembership? = try transaction.value(at: place)
        if held == nil { try checkRoom(for: developerID, in: container, transaction) }
        transaction.set(place, TeamMembership(role: max(role, held?.role ?? role), since: held?.since ?? now))
    }
}

extension CloudService {
    /// - Throws: `badRequest` if a team has as many members as it may. Owners of the server are in all teams, and count in
    ///   none.
    private static func checkRoom(
        for developerID: String, in container: ContainerIdentifier, _ transaction: any WriteTransaction
    ) throws {
        let members = try transaction.entries(in: DirectoryKey.team(of: container), limit: .max)
            .compactMap { DirectoryKey.developerID(ofMembership: $0.key) }
        guard members.count >= DeveloperLimits.members else { return }
        let rows = try transaction.get((members + [developerID]).map { DirectoryKey.developer(id: $0) })
        let developers = try rows.map { try $0.map { try Developer(stored: $0) } }
        guard developers.last??.isOwner != true else { return }
        guard developers.dropLast().count(where: { $0?.isOwner == false }) < DeveloperLimits.members else {
            throw CloudError(.badRequest, "a team has at most \(DeveloperLimits.members) members")
        }
    }
}

extension InvitationPurpose {
    /// The container whose team it is to; nil for the server.
    var place: ContainerIdentifier? {
        if case .team(let container, _) = self { container } else { nil }
    }
}
