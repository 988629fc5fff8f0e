import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `users/discover` with lookups: those of the people who may be found in this container, in the order asked, each
    /// with the lookup that found them.
    ///
    /// Who has no account here and who does not want to be found are left out alike, after the same work.
    /// - Throws: `authenticationRequired` for anonymous callers, `throttled` for more people than
    ///   ``RequestRates/people`` allows, `badRequest` for more than ``ServiceConfiguration/operationsPerRequest`` at once.
    public func discoverUsers(_ lookups: [UserLookup], as caller: Caller) async throws(CloudError) -> [UserIdentity] {
        let userRecordName = try Authorization.userRecordName(of: caller)
        guard lookups.count <= operationLimit(for: caller) else {
            throw CloudError(
                .badRequest,
                "Your request contains \(lookups.count) lookups which is more than the maximum number of lookups in "
                    + "a single request (\(operationLimit(for: caller)))")
        }
        try throttle.admitPeople(lookups.count, of: userRecordName, in: caller.context, at: environment.now())
        return try await reading(.directory) { transaction in
            try Self.find(lookups, in: caller.context, transaction)
        }
    }

    /// `users/discover` without lookups: those of the caller's address book who may be found.
    public func discoverAllUsers(as caller: Caller) async throws(CloudError) -> [UserIdentity] {
        try await contacts(replacing: nil, as: caller).users
    }

    /// `users/lookup/contacts`: those of the caller's address book who may be found in this container.
    ///
    /// The service never sees the addresses and numbers of an address book, only their hashes with the context's salt,
    /// which this call tells.
    /// - Parameter hashes: the address book from now on, at most ``ModelLimits/contactsPerUser``; nil leaves the one
    ///   that is kept.
    /// - Throws: as ``discoverUsers(_:as:)``; `accessDenied` for server-to-server keys with an address book, which
    ///   would outlive them.
    public func contacts(
        replacing hashes: [[UInt8]]?, as caller: Caller
    ) async throws(CloudError) -> Contacts {
        let userRecordName =
            hashes == nil ? try Authorization.userRecordName(of: caller) : try Authorization.person(caller)
        let context = caller.context
        guard hashes?.count ?? 0 <= ModelLimits.contactsPerUser else {
            throw CloudError(
                .badRequest, "the address book has more than the maximum of \(ModelLimits.contactsPerUser) hashes")
        }
        try throttle.admitPeople(hashes?.count ?? 0, of: userRecordName, in: context, at: environment.now())
        let key = DirectoryKey.addressBook(of: userRecordName, in: context)
        if hashes == nil, let found = try await reading(.directory, { try Self.contacts(at: key, context, $0) }) {
            return found
        }
        let proposed = environment.random.bytes(ContactSalt.length)
        return try await writing(.directory) { transaction in
            let salt = try ContactSalt.make(of: context, proposed, in: transaction)
            if let hashes { transaction.set(key, AddressBook(hashes)) }
            return try Self.contacts(at: key, context, transaction) ?? Contacts(users: [], salt: salt.bytes)
        }
    }

    /// Lets an account be found in a context by those who know its e-mail address or phone number, or no longer.
    /// - Throws: `notFound` if there is no such container or account.
    public func setDiscoverable(
        _ isDiscoverable: Bool, email: String, in context: CloudContext
    ) async throws(CloudError) {
        let userRecordName = try await userRecordName(email: email, in: context)
        do {
            guard let account = try await account(email: EmailAddress.normalized(email)) else { return }
            try await setDiscoverable(isDiscoverable, account, named: userRecordName, in: context)
        } catch {
            throw cloudError(from: error)
        }
    }

    func setDiscoverable(
        _ isDiscoverable: Bool, _ account: Account, named userRecordName: String, in context: CloudContext
    ) async throws {
        let proposed = environment.random.bytes(ContactSalt.length)
        try await store.write(.directory) { transaction in
            guard isDiscoverable else {
                try Discoverability.withdraw(account.id, in: context, transaction)
                return
            }
            try Discoverability.allow(
                account, try Profile.read(of: account.id, in: transaction), named: userRecordName, in: context,
                salt: try ContactSalt.make(of: context, proposed, in: transaction), transaction)
        }
    }

    // MARK: - Looking up

    private static func contacts(
        at key: Key, _ context: CloudContext, _ transaction: any ReadTransaction
    ) throws -> Contacts? {
        guard let salt = try ContactSalt.read(of: context, in: transaction) else { return nil }
        let book: AddressBook? = try transaction.value(at: key)
        let users = try find((book?.hashes ?? []).map { .contactHash($0) }, in: context, transaction)
        return Contacts(users: users, salt: salt.bytes)
    }

    static func find(
        _ lookups: [UserLookup], in context: CloudContext, _ transaction: any ReadTransaction
    ) throws -> [UserIdentity] {
        // Without a salt nobody in this context may be found yet; any will do.
        let salt = try ContactSalt.read(of: context, in: transaction) ?? ContactSalt(bytes: [])
        let values = try transaction.get(lookups.map { key(of: $0, in: context, salt) })
        let found = try zip(lookups, values).compactMap { lookup, value in
            try value.map { (lookup, try DiscoverableUser(stored: $0)) }
        }
        let profiles = try transaction.get(found.map { DirectoryKey.profile(of: $0.1.accountID) })
        return try zip(found, profiles).map { found, stored in
            let profile = try stored.map { try Profile(stored: $0) }
            return UserIdentity(
                userRecordName: found.1.userRecordName, givenName: profile?.givenName,
                familyName: profile?.familyName, lookupInfo: found.0)
        }
    }

    /// The key that leads to a person who may be found; what cannot be anybody's gets one that leads nowhere.
    private static func key(of lookup: UserLookup, in context: CloudContext, _ salt: ContactSalt) -> Key {
        switch lookup {
        case .emailAddress(let text):
            DirectoryKey.discoverableUser(hash: salt.hash(EmailAddress.normalized(text)), in: context)
        case .phoneNumber(let text):
            DirectoryKey.discoverableUser(hash: salt.hash(PhoneNumber.normalized(text) ?? ""), in: context)
        case .contactHash(let hash):
            DirectoryKey.discoverableUser(hash: hash, in: context)
        case .userRecordName(let name):
            DirectoryKey.discoverableUser(name.utf8.count <= ModelLimits.nameLength ? name : "", in: context)
        }
    }
}
