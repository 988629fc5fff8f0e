import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What people do with their own accounts, in sessions that are good for nothing else.
extension CloudService {
    /// Signs a person in to look after their account. The session is a new one whatever the browser had before.
    /// - Parameters:
    ///   - source: the network address of the attempt, for limiting guesses.
    ///   - agent: what the browser calls itself, for the person's list of sessions.
    /// - Returns: what the browser has to keep; valid for ``ServiceLimits/accountSessionLifetime``.
    /// - Throws: as ``signIn(email:password:staySignedIn:isDiscoverable:context:source:)``.
    public func beginAccountSession(
        email: String, password: String, source: String?, agent: String? = nil
    ) async throws(CloudError) -> String {
        let account = try await provenAccount(email: email, password: password, source: source)
        let (id, session) = newAccountSession(for: account, agent)
        let now = environment.now()
        try await writing(.directory) { transaction in
            try Self.makeRoom(for: account, at: now, in: transaction)
            transaction.set(id.key, session)
        }
        return id.text
    }

    /// The person of a session; nil if there is none, or no longer.
    public func accountHolder(session text: String) async throws(CloudError) -> AccountHolder? {
        guard let id = AccountSessionID(text) else { return nil }
        let now = environment.now()
        let account = try await reading(.directory) { transaction -> Account? in
            guard let session: AccountSession = try transaction.value(at: id.key),
                let account: Account = try transaction.value(at: DirectoryKey.account(id: id.accountID)),
                session.isLive(for: account, at: now)
            else { return nil }
            return account
        }
        return account.map { AccountHolder($0, id, seals) }
    }

    /// What a person's account is, and which apps it is used in.
    public func accountOverview(for holder: AccountHolder) async throws(CloudError) -> AccountOverview {
        let (account, current, now) = (holder.account, holder.session, environment.now())
        let contexts = try await listContainers().flatMap { container in
            CloudEnvironment.allCases.map { CloudContext(container: container, environment: $0) }
        }
        let backups = try await deviceBackups(of: holder)
        return try await reading(.directory) { transaction in
            let profile = try Profile.read(of: account.id, in: transaction)
            let names = try transaction.get(contexts.map { DirectoryKey.user(of: account.id, in: $0) })
            let found = Set(try Discoverability.all(of: account.id, in: transaction).map(\.context))
            return AccountOverview(
                email: account.email, givenName: profile.givenName, familyName: profile.familyName,
                apps: zip(contexts, names).filter { $0.1 != nil }.map { context, _ in
                    AccountOverview.App(context: context, isDiscoverable: found.contains(context))
                }, consoles: try Self.consoles(of: account.id, in: transaction),
                sessions: try Self.sessions(of: account, current: current, at: now, in: transaction),
                appPasswords: try Self.appPasswords(of: account.id, in: transaction), deviceBackups: backups)
        }
    }

    /// Lets a person be found in an app that they use, or no longer.
    /// - Throws: `notFound` for an app that the person never signed in to.
    public func setDiscoverable(
        _ isDiscoverable: Bool, in context: CloudContext, for holder: AccountHolder
    ) async throws(CloudError) {
        let key = DirectoryKey.user(of: holder.account.id, in: context)
        guard let name = try await reading(.directory, { try $0.get(key) }) else {
            throw CloudError(.notFound, "you have not signed in to '\(context.container)'")
        }
        do {
            try await setDiscoverable(
                isDiscoverable, holder.account, named: String(decoding: name, as: UTF8.self), in: context)
        } catch {
            throw cloudError(from: error)
        }
    }

    /// Gives an account another password. All its sessions, of apps and browsers, end.
    /// - Returns: a new session, for the browser that asked.
    /// - Throws: `authenticationFailed` for a wrong current password, which counts as a failed sign-in; `throttled` after
    ///   ``ServiceLimits/failedSignIns`` of those; `badRequest` for a new password outside the limits or equal to the
    ///   current one.
    public func changePassword(
        from current: String, to new: String, for holder: AccountHolder, source: String?, agent: String? = nil
    ) async throws(CloudError) -> String {
        try Password.check(new)
        let account = try await provenAccount(
            email: holder.email, password: current, source: source, refusal: Self.currentPasswordIsWrong)
        guard account.id == holder.account.id, new != current else {
            throw CloudError(.badRequest, "the new password is the same as the current one")
        }
        let changed = try await setPassword(new, of: account)
        let (id, session) = newAccountSession(for: changed, agent)
        try await writing(.directory) { $0.set(id.key, session) }
        if let source { await noteSignIn(of: account.id, from: source) }
        return id.text
    }

    /// Signs a person out of the browser they are in.
    public func endAccountSession(of holder: AccountHolder) async throws(CloudError) {
        try await writing(.directory) { $0.clear(holder.session.key) }
    }

    /// Signs a person out of everything: all apps, devices and browsers.
    public func endAllSessions(of holder: AccountHolder) async throws(CloudError) {
        do {
            _ = try await renew(holder.account) { _ in }
        } catch {
            throw cloudError(from: error)
        }
    }

    // MARK: - Helpers

    /// Changes an account and voids all sessions made before.
    /// - Throws: `authenticationFailed` if its password was changed since the account was read.
    func renew(
        _ known: Account, _ change: @escaping @Sendable (inout Account) -> Void
    ) async throws -> Account {
        let account = try await directory.change { transaction in
            let key = DirectoryKey.account(id: known.id)
            guard var account: Account = try transaction.value(at: key), account.passwordHash == known.passwordHash
            else { throw CloudError(.authenticationFailed, "the password was changed meanwhile; sign in again") }
            change(&account)
            account.sessionEpoch += 1
            transaction.set(key, account)
            transaction.clear(DirectoryKey.accountSessions(of: account.id))
            transaction.clear(DirectoryKey.appPasswords(of: account.id))
            // Somebody who knew the password may have signed in from one of them.
            transaction.clear(DirectoryKey.knownNetworks(of: account.id))
            return account
        }
        try await endListeners(of: account.id)
        return account
    }

    private func newAccountSession(for account: Account, _ agent: String?) -> (AccountSessionID, AccountSession) {
        let now = environment.now()
        let id = AccountSessionID(
            accountID: account.id, secret: environment.random.bytes(AccountSessionID.secretLength))
        return (
            id,
            AccountSession(
                accountID: account.id, created: now, expires: now + ServiceLimits.accountSessionLifetime,
                accountEpoch: account.sessionEpoch, agent: ClientAgent.bounded(agent))
        )
    }

    /// Forgets sessions of an account that are over, and the oldest if there are too many.
    private static func makeRoom(
        for account: Account, at now: Int64, in transaction: any WriteTransaction
    ) throws {
        let range = DirectoryKey.accountSessions(of: account.id)
        var live: [(key: Key, created: Int64)] = []
        for entry in try transaction.entries(in: range, limit: ServiceLimits.accountSessions + 1) {
            let session = try AccountSession(stored: entry.value)
            if session.isLive(for: account, at: now) {
                live.append((entry.key, session.created))
            } else {
                transaction.clear(entry.key)
            }
        }
        live.sort { $0.created < $1.created }
        for old in live.dropLast(ServiceLimits.accountSessions - 1) { transaction.clear(old.key) }
    }
}
