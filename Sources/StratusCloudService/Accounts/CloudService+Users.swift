import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// The caller as a container's users see them: with names and e-mail address only if they may be found there, which
    /// a server-to-server key may not.
    /// - Throws: `authenticationRequired` for anonymous callers.
    public func currentUser(as caller: Caller) async throws(CloudError) -> UserIdentity {
        let name = try Authorization.userRecordName(of: caller)
        let key = DirectoryKey.discoverableUser(name, in: caller.context)
        return try await reading(.directory) { transaction in
            var user = UserIdentity(userRecordName: name)
            guard let found: DiscoverableUser = try transaction.value(at: key) else { return user }
            let profile = try Profile.read(of: found.accountID, in: transaction)
            let account: Account? = try transaction.value(at: DirectoryKey.account(id: found.accountID))
            (user.givenName, user.familyName) = (profile.givenName, profile.familyName)
            user.lookupInfo = account.map { .emailAddress($0.email) }
            return user
        }
    }

    /// Throws unless the caller is a person.
    /// - Throws: `authenticationRequired` for anonymous callers; `accessDenied` for server-to-server keys.
    public func requirePerson(_ caller: Caller) throws(CloudError) { _ = try Authorization.person(caller) }

    /// The name an account has in a context, made with its `Users` records on first use.
    /// - Throws: `accessDenied` for a test account anywhere but in its container's development.
    func userRecordName(of account: Account, in context: CloudContext) async throws -> String {
        guard account.testOf.map({ context == CloudContext(container: $0, environment: .development) }) ?? true else {
            throw CloudError(.accessDenied, "this test account belongs to another container, or only to development")
        }
        let key = DirectoryKey.user(of: account.id, in: context)
        let known = try await store.read(.directory) { try $0.get(key) }
        let name: String
        if let known {
            name = String(decoding: known, as: UTF8.self)
        } else {
            let proposed = environment.random.userRecordName()
            // Another request may have been quicker; the transaction decides.
            name = try await store.write(.directory) { transaction in
                if let existing = try transaction.get(key) { return String(decoding: existing, as: UTF8.self) }
                transaction.set(key, Array(proposed.utf8))
                transaction.set(DirectoryKey.account(ofUser: proposed, in: context), Array(account.id.utf8))
                return proposed
            }
        }
        // Again each time: a crash may have come between the name and its records.
        try await makeUserRecords(name, in: context)
        return name
    }

    func makeUserRecords(_ name: String, in context: CloudContext) async throws {
        let origin = changeOrigin
        let now = origin.now
        let key = Keyspace.record(zone: .default, name: name)
        let databases: [(DatabaseScope, Partition)] = [
            (.public, .publicDatabase(of: context)), (.private, .privateDatabase(of: name, in: context)),
        ]
        for (scope, partition) in databases {
            if try await store.read(partition, { try $0.get(key) != nil }) { continue }
            try await store.write(partition) { transaction in
                guard try transaction.get(key) == nil else { return }
                var header = try ZoneHeader.default(in: transaction)
                let version = header.version
                header.version += 1
                let stamp = RecordStamp(timestamp: now, userRecordName: name)
                let record = StoredRecord(
                    recordName: name, recordType: SystemRecordType.users, version: header.version, fields: [:],
                    created: stamp, modified: stamp)
                transaction.setRecord(record, stored: record.stored, in: .default)
                try ZoneChange.record(
                    &header, after: version, in: scope, named: ZoneID.defaultZoneName, by: origin, transaction)
            }
        }
    }
}
