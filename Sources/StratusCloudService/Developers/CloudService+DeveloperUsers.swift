import StratusCloudModel
import StratusCloudStore

/// What developers see of the people who use an app: what these made visible there, and nothing else.
extension CloudService {
    /// Those of some people who may be found, by user record name.
    public func discoverableUsers(
        named names: [String], in context: CloudContext
    ) async throws(CloudError) -> [String: UserIdentity] {
        try await reading(.directory) { transaction in
            let found = try Self.find(names.map { .userRecordName($0) }, in: context, transaction)
            return Dictionary(found.map { ($0.userRecordName, $0) }) { first, _ in first }
        }
    }

    /// Those who let themselves be found in a context, by user record name.
    /// - Parameter name: where the page before ended.
    /// - Returns: at most ``FigureLimits/listedUsers``, and where to go on; nil at the end.
    public func discoverableUsers(
        after name: String?, in context: CloudContext
    ) async throws(CloudError) -> (users: [UserIdentity], next: String?) {
        var range = DirectoryKey.discoverableUsers(in: context)
        if let name {
            guard Names.isUserRecordName(name) else {
                throw CloudError(.badRequest, "'after' must be a user record name")
            }
            range.lower = DirectoryKey.discoverableUser(name, in: context).next
        }
        let rest = range
        return try await reading(.directory) { transaction in
            let found = try transaction.entries(in: rest, limit: FigureLimits.listedUsers)
                .map { try DiscoverableUser(stored: $0.value).userRecordName }
            let users = try Self.find(found.map { .userRecordName($0) }, in: context, transaction)
            return (users, found.count == FigureLimits.listedUsers ? found.last : nil)
        }
    }

    /// The person who may be found by an address, as every user of the app finds them, or the test account that has it.
    /// - Throws: `notFound` for who may not be found and for who is not there, alike; `throttled` as for every user.
    public func userRecordName(
        findableBy email: String, in context: CloudContext, for developer: DeveloperCaller
    ) async throws(CloudError) -> String {
        let address = EmailAddress.normalized(email)
        if context.environment == .development,
            let account = try await testAccounts(of: context.container).first(where: { $0.email == address })
        {
            return account.userRecordName
        }
        let caller = try await caller(of: developer, in: context, .public, isAboutRecords: false)
        guard let user = try await discoverUsers([.emailAddress(address)], as: caller).first else {
            throw CloudError(.notFound, "no discoverable user has this e-mail address")
        }
        return user.userRecordName
    }
}

extension UserIdentity {
    /// Both names; nil without any.
    public var fullName: String? {
        let name = [givenName, familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? nil : name
    }
}
