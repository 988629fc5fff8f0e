import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Developers sign in, stay signed in, and go.
extension CloudService {
    /// Whether nobody owns the server yet, so that a code for the first owner is to be shown.
    public func needsConsoleSetUp() async throws(CloudError) -> Bool {
        let generation = developerGeneration
        if let known = setUpNeed.withLock({ $0 }), known.generation == generation { return known.isThere }
        let isThere = try await !reading(.directory) { try Self.allDevelopers(in: $0).contains(where: \.isOwner) }
        setUpNeed.withLock { $0 = (generation, isThere) }
        return isThere
    }

    /// Signs a developer in, whatever session the browser had before.
    /// - Parameters:
    ///   - source: the network address of the attempt, for limiting guesses.
    ///   - staysSignedIn: whether the session lasts ``DeveloperLimits/longSessionLifetime`` instead of
    ///     ``DeveloperLimits/sessionLifetime``.
    /// - Returns: the session, which the browser has to keep.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whether the address or the password is
    ///   wrong; `throttled` after ``ServiceLimits/failedSignIns`` failures, or when too many passwords wait.
    public func signInDeveloper(
        email: String, password: String, staysSignedIn: Bool = false, source: String?
    ) async throws(CloudError) -> String {
        let email = EmailAddress.normalized(email)
        let developer: Developer = try await proven(
            .developer(email), password: password, source: source,
            find: { try await self.store.read(.directory) { try Self.developer(email: email, in: $0) } })
        return try await beginSession(of: developer, isLong: staysSignedIn)
    }

    /// The developer of a session; nil if there is none, or no longer.
    public func developer(session text: String) async throws(CloudError) -> DeveloperCaller? {
        guard let id = AccountSessionID(text) else { return nil }
        let now = environment.now()
        return try await reading(.directory) { transaction in
            guard let session: DeveloperSession = try transaction.value(at: id.developerKey),
                let developer: Developer = try transaction.value(at: DirectoryKey.developer(id: id.accountID)),
                session.isLive(for: developer, at: now)
            else { return nil }
            return DeveloperCaller(developer, id, staysSignedIn: session.isLong)
        }
    }

    /// Signs a developer out of the browser they are in.
    public func endSession(of developer: DeveloperCaller) async throws(CloudError) {
        try await changingDevelopers { $0.clear(developer.session.developerKey) }
    }

    /// Gives the developer another password. All sessions end.
    /// - Returns: a new session, for the browser that asked. It is as long as the one it replaces.
    /// - Throws: `authenticationFailed` for a wrong current password, which counts as a failed sign-in; `throttled` after
    ///   ``ServiceLimits/failedSignIns`` of those; `badRequest` for a new password outside the limits.
    public func changePassword(
        of developer: DeveloperCaller, from current: String, to new: String, source: String?
    ) async throws(CloudError) -> String {
        try Password.check(new)
        let known: Developer = try await proven(
            .developer(developer.email), password: current, source: source, refusal: Self.currentPasswordIsWrong,
            find: {
                try await self.store.read(.directory) { try $0.value(at: DirectoryKey.developer(id: developer.id)) }
            })
        let changed = try await setPassword(new, of: known.id)
        return try await beginSession(of: changed, isLong: developer.staysSignedIn)
    }

    /// Grows with every change of who may do what in the console: who watches something looks again then.
    public var developerGeneration: UInt64 { developerChanges.load(ordering: .acquiring) }

    // MARK: - The operator's

    /// All developers, by address.
    public func listDevelopers() async throws(CloudError) -> [DeveloperSummary] {
        try await reading(.directory) { try Self.allDevelopers(in: $0).map(DeveloperSummary.init) }
            .sorted { $0.email < $1.email }
    }

    /// Gives a developer another password, without the current one. All sessions end, and so does the link to a cloud
    /// account: whoever has the new password has not shown that it is theirs.
    /// - Throws: `notFound` if there is no such developer, `badRequest` for a password outside the limits.
    public func setDeveloperPassword(email: String, password: String) async throws(CloudError) {
        try Password.check(password)
        let id = try await knownDeveloper(email: email).id
        _ = try await setPassword(password, of: id) { $0.clear(DirectoryKey.accountLink(of: id)) }
    }

    /// Removes a developer: from all teams, with all sessions and the open invitations they made. Nothing that comes
    /// after this returns is answered.
    /// - Throws: `notFound` if there is no such developer.
    public func removeDeveloper(email: String) async throws(CloudError) {
        let developer = try await knownDeveloper(email: email)
        let containers = try await listContainers()
        try await changingDevelopers { transaction in
            transaction.clear(DirectoryKey.developer(email: developer.email))
            transaction.clear(DirectoryKey.developer(id: developer.id))
            transaction.clear(DirectoryKey.developerSessions(of: developer.id))
            transaction.clear(DirectoryKey.accountLink(of: developer.id))
            transaction.clear(DirectoryKey.knownNetworks(of: developer.id))
            try Self.clearInvitations(in: transaction) { $0.by == developer.email }
            for container in containers {
                transaction.clear(DirectoryKey.membership(of: developer.id, in: container))
            }
        }
    }

    // MARK: - Helpers

    func knownDeveloper(email: String) async throws(CloudError) -> Developer {
        let email = EmailAddress.normalized(email)
        let developer = try await reading(.directory) { try Self.developer(email: email, in: $0) }
        guard let developer else {
            throw CloudError(.notFound, "no developer has the e-mail address '\(email.prefix(64))'")
        }
        return developer
    }

    static func developer(email: String, in transaction: any ReadTransaction) throws -> Developer? {
        guard let id = try transaction.get(DirectoryKey.developer(email: email)) else { return nil }
        return try transaction.value(at: DirectoryKey.developer(id: String(decoding: id, as: UTF8.self)))
    }

    static func allDevelopers(in transaction: any ReadTransaction) throws -> [Developer] {
        try transaction.allValues(in: DirectoryKey.developers)
    }

    /// A new session for the browser.
    func beginSession(of developer: Developer, isLong: Bool = false) async throws(CloudError) -> String {
        let now = environment.now()
        let id = AccountSessionID(
            accountID: developer.id, secret: environment.random.bytes(AccountSessionID.secretLength))
        let lifetime = isLong ? DeveloperLimits.longSessionLifetime : DeveloperLimits.sessionLifetime
        let session = DeveloperSession(created: now, expires: now + lifetime, epoch: developer.sessionEpoch)
        try await writing(.directory) { transaction in
            try Self.makeRoom(for: developer, at: now, in: transaction)
            transaction.set(id.developerKey, session)
        }
        return id.text
    }

    /// Forgets sessions that are over, and the oldest if there are too many.
    private static func makeRoom(
        for developer: Developer, at now: Int64, in transaction: any WriteTransaction
    ) throws {
        let range = DirectoryKey.developerSessions(of: developer.id)
        var live: [(key: Key, created: Int64)] = []
        for entry in try transaction.entries(in: range, limit: DeveloperLimits.sessions + 1) {
            let session = try DeveloperSession(stored: entry.value)
            if session.isLive(for: developer, at: now) {
                live.append((entry.key, session.created))
            } else {
                transaction.clear(entry.key)
            }
        }
        live.sort { $0.created < $1.created }
        for old in live.dropLast(DeveloperLimits.sessions - 1) { transaction.clear(old.key) }
    }

    /// - Parameter besides: what else happens with it.
    private func setPassword(
        _ password: String, of id: String,
        besides: @escaping @Sendable (any WriteTransaction) -> Void = { _ in }
    ) async throws(CloudError) -> Developer {
        let hash: String
        do {
            hash = try await passwords.hash(password)
        } catch {
            throw Self.signInError(error) ?? cloudError(from: error)
        }
        return try await changingDevelopers { transaction in
            let key = DirectoryKey.developer(id: id)
            guard var developer: Developer = try transaction.value(at: key) else {
                throw CloudError(.notFound, "the developer no longer exists")
            }
            developer.passwordHash = hash
            developer.sessionEpoch += 1
            transaction.set(key, developer)
            transaction.clear(DirectoryKey.developerSessions(of: id))
            transaction.clear(DirectoryKey.knownNetworks(of: id))
            besides(transaction)
            return developer
        }
    }

    /// Changes who may do what in the console: it holds when this returns, and those who watch something look again
    /// whether they may.
    func changingDevelopers<Result: Sendable>(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws(CloudError) -> Result {
        let result = try await writing(.directory, body)
        developerChanges.add(1, ordering: .releasing)
        return result
    }
}
