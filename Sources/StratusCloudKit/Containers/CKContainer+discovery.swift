import Foundation

// Deprecated at Apple, where nobody is found any more; here it works.
extension CKContainer {
    /// Everybody of the address book that the cloud keeps who wants to be found.
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        try await client().allIdentities()
    }

    /// The person with an e-mail address; nil if nobody is found.
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await identity(CKUserIdentity.LookupInfo(emailAddress: email))
    }

    /// The person with a phone number; nil if nobody is found.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        try await identity(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }

    /// The person of a user record; nil if nobody is found.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await identity(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// The people with some e-mail addresses.
    public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String: CKUserIdentity] {
        try await identities(emails) { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// The people with some phone numbers.
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] {
        try await identities(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// The people of some user records.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        try await identities(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    /// Everybody of the address book that the cloud keeps who wants to be found.
    @preconcurrency
    public func discoverAllIdentities(completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void)
    {
        Completion.run({ try await self.allUserIdentitiesFromContacts() }, completionHandler)
    }

    /// The person with an e-mail address.
    @preconcurrency
    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.optional({ try await self.userIdentity(forEmailAddress: email) }, completionHandler)
    }

    /// The person with a phone number.
    @preconcurrency
    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.optional({ try await self.userIdentity(forPhoneNumber: phoneNumber) }, completionHandler)
    }

    /// The person of a user record.
    @preconcurrency
    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.optional({ try await self.userIdentity(forUserRecordID: userRecordID) }, completionHandler)
    }

    /// The people with some e-mail addresses.
    @preconcurrency
    public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Completion.run({ try await self.userIdentities(forEmailAddresses: emails) }, completionHandler)
    }

    /// The people with some phone numbers.
    @preconcurrency
    public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Completion.run({ try await self.userIdentities(forPhoneNumbers: phoneNumbers) }, completionHandler)
    }

    /// The people of some user records.
    @preconcurrency
    public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        Completion.run({ try await self.userIdentities(forUserRecordIDs: userRecordIDs) }, completionHandler)
    }

    private func identity(_ info: CKUserIdentity.LookupInfo) async throws -> CKUserIdentity? {
        try await client().identities(for: [info]).first?.1
    }

    private func identities<Key: Hashable>(
        _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: CKUserIdentity] {
        let infos = keys.map(info)
        let found = Dictionary(try await client().identities(for: infos)) { first, _ in first }
        var people: [Key: CKUserIdentity] = [:]
        for (key, info) in zip(keys, infos) { people[key] = found[info] }
        return people
    }
}
