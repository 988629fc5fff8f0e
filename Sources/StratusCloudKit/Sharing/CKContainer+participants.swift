import Foundation

// People to be invited. Whoever does not want to be found by others is invited by the word for them alone.
extension CKContainer {
    /// The person with an e-mail address, to be invited.
    public func shareParticipant(forEmailAddress emailAddress: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
    }

    /// The person with a phone number, to be invited.
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }

    /// The person of a user record, to be invited.
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// People to be invited.
    public func shareParticipants(
        for lookupInfos: [CKUserIdentity.LookupInfo]
    ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
        byName(try await client().shareParticipants(for: lookupInfos))
    }

    /// The people with some e-mail addresses, to be invited.
    public func shareParticipants(
        forEmailAddresses emailAddresses: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(emailAddresses) { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// The people with some phone numbers, to be invited.
    public func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        try await participants(phoneNumbers) { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// The people of some user records, to be invited.
    public func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
        try await participants(userRecordIDs) { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    /// The person with an e-mail address, to be invited.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.shareParticipant(forEmailAddress: emailAddress) }, completionHandler)
    }

    /// The person with a phone number, to be invited.
    @preconcurrency
    public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.shareParticipant(forPhoneNumber: phoneNumber) }, completionHandler)
    }

    /// The person of a user record, to be invited.
    @preconcurrency
    public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.shareParticipant(forUserRecordID: userRecordID) }, completionHandler)
    }

    /// The people with some e-mail addresses, to be invited.
    @preconcurrency
    public func fetchShareParticipants(
        forEmailAddresses emailAddresses: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.shareParticipants(forEmailAddresses: emailAddresses) }, completionHandler)
    }

    /// The people with some phone numbers, to be invited.
    @preconcurrency
    public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler:
            @escaping @Sendable (Result<[String: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.shareParticipants(forPhoneNumbers: phoneNumbers) }, completionHandler)
    }

    /// The people of some user records, to be invited.
    @preconcurrency
    public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.shareParticipants(forUserRecordIDs: userRecordIDs) }, completionHandler)
    }

    private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        try onlyItem(try await client().shareParticipants(for: [info]))
    }

    private func participants<Key: Hashable>(
        _ keys: [Key], _ info: (Key) -> CKUserIdentity.LookupInfo
    ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
        let results = try await client().shareParticipants(for: keys.map(info))
        return byName(zip(keys, results).map { ($0, $1.1) })
    }
}
