import StratusCloudModel
import StratusCloudStore

/// App passwords as their person, and the operator, look after them.
extension CloudService {
    /// Makes an app password for a person.
    /// - Returns: the password, which is shown this once and not stored.
    /// - Throws: `badRequest` for a name that is empty, too long or taken, and beyond
    ///   ``ServiceLimits/appPasswordsPerAccount``.
    public func createAppPassword(
        named name: String, in environment: CloudEnvironment, mayDeleteBackups: Bool = false, for holder: AccountHolder
    ) async throws(CloudError) -> String {
        try await createAppPassword(named: name, in: environment, mayDeleteBackups, of: holder.account)
    }

    /// Makes an app password for the account of an address, for the operator.
    /// - Throws: as ``createAppPassword(named:in:mayDeleteBackups:for:)``; `notFound` if there is no such account.
    public func createAppPassword(
        named name: String, in environment: CloudEnvironment, mayDeleteBackups: Bool = false, email: String
    ) async throws(CloudError) -> String {
        try await createAppPassword(
            named: name, in: environment, mayDeleteBackups, of: try await existingAccount(email))
    }

    /// Lists the app passwords of the account of an address, the oldest first, for the operator.
    /// - Throws: `notFound` if there is no such account.
    public func listAppPasswords(email: String) async throws(CloudError) -> [AppPasswordSummary] {
        let account = try await existingAccount(email)
        return try await reading(.directory) { try Self.appPasswords(of: account.id, in: $0) }
    }

    /// Revokes an app password of a person. The next request that comes with it is refused.
    /// - Throws: `notFound` if the account has none of this name.
    public func deleteAppPassword(named name: String, of holder: AccountHolder) async throws(CloudError) {
        try await deleteAppPassword(named: name, of: holder.account)
    }

    /// Revokes an app password of the account of an address, for the operator.
    /// - Throws: `notFound` if there is no such account, or it has none of this name.
    public func deleteAppPassword(named name: String, email: String) async throws(CloudError) {
        try await deleteAppPassword(named: name, of: try await existingAccount(email))
    }

    static func appPasswords(
        of accountID: String, in transaction: any ReadTransaction
    ) throws -> [AppPasswordSummary] {
        try transaction.allValues(AppPassword.self, in: DirectoryKey.appPasswords(of: accountID))
            .sorted { ($0.created, $0.name) < ($1.created, $1.name) }.map(AppPasswordSummary.init)
    }

    // MARK: - Helpers

    private func existingAccount(_ email: String) async throws(CloudError) -> Account {
        let found: Account?
        do {
            found = try await account(email: EmailAddress.normalized(email))
        } catch {
            throw cloudError(from: error)
        }
        guard let found else { throw CloudError(.notFound, "no account has the e-mail address '\(email.prefix(64))'") }
        return found
    }

    private func createAppPassword(
        named text: String, in environment: CloudEnvironment, _ mayDeleteBackups: Bool, of known: Account
    ) async throws(CloudError) -> String {
        let name = try Self.appPasswordName(text)
        guard known.testOf == nil || environment == .development else {
            throw CloudError(.badRequest, "a test account has app passwords for development only")
        }
        let secret = AppPasswordSecret.make(self.environment.random)
        let password = AppPassword(
            name: name, environment: environment, mayDeleteBackups: mayDeleteBackups, created: now,
            hash: appPasswordHash(secret, known.id) ?? [])
        try await writing(.directory) { transaction in
            let account: Account? = try transaction.value(at: DirectoryKey.account(id: known.id))
            // A new password revokes all of them, also one that is being made.
            guard account?.sessionEpoch == known.sessionEpoch else {
                throw CloudError(.authenticationFailed, "the password was changed meanwhile; sign in again")
            }
            let others = try Self.appPasswords(of: known.id, in: transaction)
            guard !others.contains(where: { $0.name == name }) else {
                throw CloudError(.badRequest, "there is already an app password named '\(name)'")
            }
            guard others.count < ServiceLimits.appPasswordsPerAccount else {
                throw CloudError(
                    .badRequest,
                    "an account has at most \(ServiceLimits.appPasswordsPerAccount) app passwords; delete one first")
            }
            transaction.set(DirectoryKey.appPassword(password.hash, of: known.id), password)
        }
        return secret
    }

    private func deleteAppPassword(named name: String, of account: Account) async throws(CloudError) {
        do {
            try await directory.change { transaction in
                let range = DirectoryKey.appPasswords(of: account.id)
                let entries = try transaction.entries(in: range, limit: .max)
                guard let entry = try entries.first(where: { try AppPassword(stored: $0.value).name == name }) else {
                    throw CloudError(.notFound, "the account has no app password named '\(name.prefix(64))'")
                }
                transaction.clear(entry.key)
            }
        } catch {
            throw cloudError(from: error)
        }
    }

    private static func appPasswordName(_ text: String) throws(CloudError) -> String {
        let start = text.drop { $0.isWhitespace }
        let name = start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
        guard !name.isEmpty else { throw CloudError(.badRequest, "the app password needs a name") }
        guard name.utf8.count <= ServiceLimits.appPasswordNameLength else {
            throw CloudError(
                .badRequest, "the name has more than \(ServiceLimits.appPasswordNameLength) bytes")
        }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CloudError(.badRequest, "the name has control characters")
        }
        return name
    }
}
