import StratusCloudModel
import StratusCloudStore

/// The cloud account that a developer has shown to be theirs, by its password. The address alone shows nothing: whoever
/// has the same one as a developer sees nothing of the account's.
public struct LinkedAccount: Hashable, Sendable {
    /// The address to sign in to the account with.
    public var email: String
    /// When it was linked, in milliseconds since 1970-01-01 UTC.
    public var since: Int64
}

extension CloudService {
    /// The account whose private and shared databases the developer has in the console; nil if there is none, or if it has
    /// signed out everywhere since it was linked, which a change of its password does, too.
    public func linkedAccount(of developer: DeveloperCaller) async throws(CloudError) -> LinkedAccount? {
        try await reading(.directory) { transaction in
            try Self.linkedAccount(of: developer.id, in: transaction).map { account, link in
                LinkedAccount(email: account.email, since: link.since)
            }
        }
    }

    /// Makes an account the developer's own in the console, in the place of the one before.
    /// - Parameter source: the network address of the attempt, for limiting guesses.
    /// - Throws: `authenticationFailed`, in the same words and after the same work whether the account or the password is
    ///   wrong; `throttled` after ``ServiceLimits/failedSignIns`` failures, or when too many passwords wait; `badRequest`
    ///   for a test account.
    public func linkAccount(
        email: String, password: String, to developer: DeveloperCaller, source: String?
    ) async throws(CloudError) -> LinkedAccount {
        let account = try await provenAccount(email: email, password: password, source: source)
        guard account.testOf == nil else {
            throw CloudError(.badRequest, "this is a test account; act as it in its container instead")
        }
        let link = AccountLink(accountID: account.id, accountEpoch: account.sessionEpoch, since: environment.now())
        try await changingDevelopers { transaction in
            guard try transaction.get(DirectoryKey.developer(id: developer.id)) != nil else {
                throw CloudError(.notFound, "the developer no longer exists")
            }
            // Void from the beginning if the password was changed meanwhile.
            transaction.set(DirectoryKey.accountLink(of: developer.id), link)
        }
        return LinkedAccount(email: account.email, since: link.since)
    }

    /// Leaves the developer without an account, as before one was linked; nothing happens without one.
    public func unlinkAccount(of developer: DeveloperCaller) async throws(CloudError) {
        try await changingDevelopers { $0.clear(DirectoryKey.accountLink(of: developer.id)) }
    }

    /// The account that is linked to a developer, as long as it counts.
    static func linkedAccount(
        of developerID: String, in transaction: any ReadTransaction
    ) throws -> (account: Account, link: AccountLink)? {
        guard let link: AccountLink = try transaction.value(at: DirectoryKey.accountLink(of: developerID)),
            let account: Account = try transaction.value(at: DirectoryKey.account(id: link.accountID)),
            link.accountEpoch == account.sessionEpoch
        else { return nil }
        return (account, link)
    }

    /// Takes a person's account from a developer: what is private there is no longer theirs to see in the console.
    /// - Throws: `notFound` if it is not linked to a developer with that address.
    public func unlinkConsole(of developer: String, for holder: AccountHolder) async throws(CloudError) {
        let email = EmailAddress.normalized(developer)
        try await changingDevelopers { transaction in
            guard let known = try Self.developer(email: email, in: transaction),
                let (account, _) = try Self.linkedAccount(of: known.id, in: transaction),
                account.id == holder.account.id
            else { throw CloudError(.notFound, "your account is not linked to a developer '\(email)'") }
            transaction.clear(DirectoryKey.accountLink(of: known.id))
        }
    }

    /// The developers whose own account it is, by address.
    static func consoles(of accountID: String, in transaction: any ReadTransaction) throws -> [Person.Console] {
        try allDevelopers(in: transaction).compactMap { developer in
            guard let (account, link) = try linkedAccount(of: developer.id, in: transaction), account.id == accountID
            else { return nil }
            return Person.Console(developer: developer.email, since: link.since)
        }
        .sorted { $0.developer < $1.developer }
    }

    /// Forgets which developers an account is linked to.
    static func unlinkAll(from accountID: String, in transaction: any WriteTransaction) throws {
        for entry in try transaction.entries(in: DirectoryKey.accountLinks, limit: .max)
        where try AccountLink(stored: entry.value).accountID == accountID {
            transaction.clear(entry.key)
        }
    }
}

/// That an account is a developer's own. Like a session it ends when the account signs out everywhere.
struct AccountLink: StoredValue, Hashable {
    static let format: UInt8 = 1

    var accountID: String
    /// The account's number of sessions when it was linked: under another one the link is void.
    var accountEpoch: UInt64
    /// Milliseconds since 1970-01-01 UTC.
    var since: Int64

    init(accountID: String, accountEpoch: UInt64, since: Int64) {
        self.accountID = accountID
        self.accountEpoch = accountEpoch
        self.since = since
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            accountID: try reader.string(), accountEpoch: try reader.unsigned(), since: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(accountID)
        writer.write(unsigned: accountEpoch)
        writer.write(signed: since)
    }
}

extension DirectoryKey {
    static func accountLink(of developerID: String) -> Key { key(.accountLink, developerID) }
    static var accountLinks: KeyRange { KeyRange(prefix: Key([Tag.accountLink.rawValue])) }
}
