import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// An account that developers made up, to see their app as others see it. It can sign in to one container, in
/// development, and to nothing else.
public struct TestAccount: Hashable, Sendable {
    /// 32 hexadecimal digits.
    public var id: String
    /// The address to sign in with; no mail ever reaches it.
    public var email: String
    /// The name of the account in development.
    public var userRecordName: String
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64

    init(_ account: Account, named userRecordName: String) {
        id = account.id
        email = account.email
        self.userRecordName = userRecordName
        created = account.created
    }
}

extension CloudService {
    /// Makes a test account.
    /// - Parameter email: an address that ends with ``TestAccountName/ending``, a name that nobody can own; nil makes one up.
    /// - Returns: the account and its password, which is told this once.
    /// - Throws: `badRequest` for another address, or beyond ``TestAccountName/limit``; `exists` if it is taken, `notFound` if there is
    ///   no such container.
    public func createTestAccount(
        email: String?, in container: ContainerIdentifier
    ) async throws(CloudError) -> (account: TestAccount, password: String) {
        let context = CloudContext(container: container, environment: .development)
        try await checkContainer(context)
        let address = try TestAccountName.address(email, container, environment.random)
        let password = OneTimeCode(environment.random).text
        let account = try await createAccount(
            email: address, password: password, profile: ProfileChange(), testOf: container)
        do {
            let name = try await userRecordName(of: account, in: context)
            return (TestAccount(account, named: name), password)
        } catch {
            throw cloudError(from: error)
        }
    }

    /// - Throws: `badRequest` if a container has as many test accounts as it may.
    static func checkTestAccounts(of container: ContainerIdentifier, in transaction: any ReadTransaction) throws {
        let range = DirectoryKey.testAccounts(of: container)
        guard try transaction.entries(in: range, limit: TestAccountName.limit).count < TestAccountName.limit else {
            throw CloudError(.badRequest, "a container has at most \(TestAccountName.limit) test accounts")
        }
    }

    /// The test accounts of a container, by address.
    public func testAccounts(of container: ContainerIdentifier) async throws(CloudError) -> [TestAccount] {
        let context = CloudContext(container: container, environment: .development)
        return try await reading(.directory) { transaction in
            let ids = try transaction.entries(in: DirectoryKey.testAccounts(of: container), limit: .max)
                .compactMap { DirectoryKey.accountID(ofTestAccount: $0.key) }
            return try ids.compactMap { id -> TestAccount? in
                guard let account: Account = try transaction.value(at: DirectoryKey.account(id: id)),
                    let name = try transaction.get(DirectoryKey.user(of: id, in: context))
                else { return nil }
                return TestAccount(account, named: String(decoding: name, as: UTF8.self))
            }
        }.sorted { $0.email < $1.email }
    }

    /// Removes a test account with its private database. It is signed out everywhere when this returns.
    /// - Throws: `notFound` if the container has no such test account.
    public func removeTestAccount(_ id: String, of container: ContainerIdentifier) async throws(CloudError) {
        let context = CloudContext(container: container, environment: .development)
        guard let known = try await testAccounts(of: container).first(where: { $0.id == id }) else {
            throw CloudError(.notFound, "the container has no test account '\(id.prefix(64))'")
        }
        do {
            try await directory.change { transaction in
                try Discoverability.withdraw(id, in: context, transaction)
                transaction.clear(DirectoryKey.account(email: known.email))
                transaction.clear(DirectoryKey.account(id: id))
                transaction.clear(DirectoryKey.profile(of: id))
                transaction.clear(DirectoryKey.accountSessions(of: id))
                transaction.clear(DirectoryKey.user(of: id, in: context))
                transaction.clear(DirectoryKey.account(ofUser: known.userRecordName, in: context))
                transaction.clear(DirectoryKey.testAccount(id, of: container))
            }
        } catch {
            throw cloudError(from: error)
        }
        try await wipe(.privateDatabase(of: known.userRecordName, in: context))
    }

    /// Whom requests come from that a developer makes in the place of a test account.
    /// - Throws: `accessDenied`, in the same words, for every name but those of the container's test accounts.
    public func caller(
        actingAs userRecordName: String, in context: CloudContext
    ) async throws(CloudError) -> Caller {
        let isTest = try await reading(.directory) { transaction in
            guard context.environment == .development,
                let id = try transaction.get(DirectoryKey.account(ofUser: userRecordName, in: context))
            else { return false }
            return try transaction.get(
                DirectoryKey.testAccount(String(decoding: id, as: UTF8.self), of: context.container)) != nil
        }
        guard isTest else { throw CloudError(.accessDenied, "this is not a test account of the container") }
        return try paying(Caller(context: context, principal: .user(userRecordName)), userRecordName)
    }
}

/// What test accounts are called.
public enum TestAccountName {
    /// Test accounts of one container.
    public static let limit = 100
    /// A domain that is reserved for tests (RFC 6761): so no test account has the address of somebody who may want an
    /// account of their own.
    public static let ending = ".test"

    static func address(
        _ wanted: String?, _ container: ContainerIdentifier, _ random: RandomSource
    ) throws(CloudError) -> String {
        guard let wanted, !wanted.isEmpty else {
            let host = container.rawValue.dropFirst("iCloud.".utf8.count).lowercased().replacing("_", with: "-")
            return "\(Hex.encode(random.bytes(4)))@\(host)\(ending)"
        }
        let address = EmailAddress.normalized(wanted)
        guard address.hasSuffix(ending), EmailAddress.isPlausible(address) else {
            throw CloudError(.badRequest, "the address of a test account must end with '\(ending)'")
        }
        return address
    }
}

extension DirectoryKey {
    static func testAccount(_ id: String, of container: ContainerIdentifier) -> Key {
        key(.testAccount, container.rawValue, id)
    }

    static func testAccounts(of container: ContainerIdentifier) -> KeyRange {
        KeyRange(prefix: key(.testAccount, container.rawValue))
    }

    static func accountID(ofTestAccount key: Key) -> String? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard decoder.string() != nil else { return nil }
        return decoder.string()
    }
}
