import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What the operator does: containers, accounts, tokens, keys. None of these calls is reachable without the operator's
/// rights; the rooms that offer them see to that.
extension CloudService {
    /// Makes a container; its two environments are there at once.
    /// - Throws: `exists` if there is one of that name, `tryAgainLater` while one of that name is being deleted.
    public func createContainer(_ identifier: ContainerIdentifier) async throws(CloudError) {
        try await reopenContexts(of: identifier)
        let entry = ContainerEntry(identifier: identifier, created: environment.now())
        try await administer { transaction in
            let key = DirectoryKey.container(identifier)
            guard try transaction.get(key) == nil else {
                throw CloudError(.exists, "container '\(identifier)' already exists")
            }
            try ContainerDeletion.check(identifier, in: transaction)
            transaction.set(key, entry)
        }
    }

    /// All containers by name.
    public func listContainers() async throws(CloudError) -> [ContainerIdentifier] {
        try await reading(.directory) { transaction in
            try transaction.allValues(ContainerEntry.self, in: DirectoryKey.containers).map(\.identifier)
        }
    }

    /// Makes an account.
    /// - Throws: `badRequest` for an implausible address or a password outside the limits, `exists` if the address is
    ///   taken; for the profile as ``updateProfile(email:_:)``.
    public func createAccount(
        email: String, password: String, profile: ProfileChange = ProfileChange()
    ) async throws(CloudError) {
        _ = try await createAccount(email: email, password: password, profile: profile, testOf: nil)
    }

    func createAccount(
        email: String, password: String, profile: ProfileChange, testOf container: ContainerIdentifier?
    ) async throws(CloudError) -> Account {
        let email = EmailAddress.normalized(email)
        guard EmailAddress.isPlausible(email) else {
            throw CloudError(.badRequest, "'\(email)' is not an e-mail address")
        }
        try Password.check(password)
        let hash: String
        do {
            hash = try await passwords.hash(password)
        } catch {
            throw cloudError(from: error)
        }
        let account = Account(
            id: Hex.encode(environment.random.bytes(16)), email: email, passwordHash: hash,
            created: environment.now(), sessionEpoch: 1, testOf: container)
        try await administer { transaction in
            let key = DirectoryKey.account(email: email)
            guard try transaction.get(key) == nil else {
                throw CloudError(.exists, "an account with the e-mail address '\(email)' already exists")
            }
            transaction.set(key, Array(account.id.utf8))
            transaction.set(DirectoryKey.account(id: account.id), account)
            if let container {
                // In the transaction that makes it: two at once must not pass the limit together.
                try Self.checkTestAccounts(of: container, in: transaction)
                transaction.set(DirectoryKey.testAccount(account.id, of: container), [])
            }
            try Self.write(profile, of: account, in: transaction)
        }
        return account
    }

    /// The e-mail addresses of all accounts, in alphabetical order.
    public func listAccounts() async throws(CloudError) -> [String] {
        try await reading(.directory) { transaction in
            try transaction.allValues(Account.self, in: DirectoryKey.accounts).map(\.email)
        }.sorted()
    }

    /// Makes an API token: 64 hexadecimal digits, shown once and stored as a hash.
    /// - Parameters:
    ///   - signInCallback: an address to go to after signing in; nil posts a message to the opening window.
    ///   - allowedOrigins: origins such as `https://app.example` that browsers may use it from; empty allows any.
    /// - Throws: `notFound` if there is no such container, `badRequest` for a callback or origin that is none.
    public func createAPIToken(
        for context: CloudContext, name: String, signInCallback: String? = nil, allowedOrigins: [String] = []
    ) async throws(CloudError) -> String {
        try checkLabel(name)
        if let signInCallback { try SignInCallback.check(signInCallback) }
        try checkOrigins(allowedOrigins)
        let token = environment.random.bytes(32)
        let entry = APIToken(
            name: name, context: context, signInCallback: signInCallback, allowedOrigins: allowedOrigins,
            created: environment.now())
        try await administer { transaction in
            try Self.checkContainer(context.container, in: transaction)
            transaction.set(DirectoryKey.token(SHA256.hash(token)), entry)
        }
        return Hex.encode(token)
    }

    /// Registers the public half of a server-to-server key and returns its identifier, 64 hexadecimal digits.
    /// - Throws: `badRequest` unless `publicKeyPEM` is a P-256 key, `notFound` if there is no such container.
    public func registerServerKey(
        for context: CloudContext, name: String, publicKeyPEM: String
    ) async throws(CloudError) -> String {
        try checkLabel(name)
        guard let key = try? P256PublicKey(pem: publicKeyPEM), let pem = try? key.pem() else {
            throw CloudError(.badRequest, "the public key must be a PEM of an ECDSA key on the curve P-256")
        }
        let id = environment.random.token()
        let entry = ServerKey(
            name: name, context: context, publicKeyPEM: pem, userRecordName: environment.random.userRecordName(),
            created: environment.now())
        try await administer { transaction in
            try Self.checkContainer(context.container, in: transaction)
            transaction.set(DirectoryKey.serverKey(id), entry)
        }
        return id
    }

    /// The user record name that an account has in a context; made if it has none yet.
    public func userRecordName(email: String, in context: CloudContext) async throws(CloudError) -> String {
        do {
            guard try await directory.hasContainer(context.container) else {
                throw CloudError(.notFound, "container '\(context.container)' does not exist")
            }
            guard let account = try await account(email: EmailAddress.normalized(email)) else {
                throw CloudError(.notFound, "no account has the e-mail address '\(email)'")
            }
            return try await userRecordName(of: account, in: context)
        } catch {
            throw cloudError(from: error)
        }
    }

    // MARK: - Helpers

    private func administer(
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) async throws(CloudError) {
        do {
            try await directory.change(body)
        } catch {
            throw cloudError(from: error)
        }
    }

    func checkOrigins(_ origins: [String]) throws(CloudError) {
        guard origins.count <= ServiceLimits.originsPerToken else {
            throw CloudError(.badRequest, "a token can have at most \(ServiceLimits.originsPerToken) origins")
        }
        for origin in origins { try SignInCallback.checkOrigin(origin) }
    }

    private func checkLabel(_ name: String) throws(CloudError) {
        guard name.utf8.count <= ServiceLimits.labelLength else {
            throw CloudError(.badRequest, "the name has more than \(ServiceLimits.labelLength) bytes")
        }
    }

    static func checkContainer(
        _ identifier: ContainerIdentifier, in transaction: any ReadTransaction
    ) throws {
        guard try transaction.get(DirectoryKey.container(identifier)) != nil else {
            throw CloudError(.notFound, "container '\(identifier)' does not exist")
        }
    }
}
