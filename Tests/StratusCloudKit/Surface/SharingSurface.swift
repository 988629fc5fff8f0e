import CloudKit

/// Sharing as programs spell it. Compiled, not run.
enum SharingSurface {
    static func shares(_ root: CKRecord, _ zoneID: CKRecordZone.ID, _ coder: NSCoder) -> [CKShare?] {
        let share = CKShare(rootRecord: root)
        share[CKShare.SystemFieldKey.title] = "Trip"
        share[CKShare.SystemFieldKey.thumbnailImageData] = Data()
        share[CKShare.SystemFieldKey.shareType] = "org.example.trip"
        share.publicPermission = .none
        share.allowsAccessRequests = true
        let url: URL? = share.url
        print(url as Any, CKShareTitleKey, CKShareTypeKey, CKShareThumbnailImageDataKey)
        return [
            share, CKShare(rootRecord: root, shareID: CKRecord.ID(recordName: "s", zoneID: zoneID)),
            CKShare(recordZoneID: zoneID), CKShare(coder: coder),
        ]
    }

    /// The unarchiver's initializer does not fail, a coder's does.
    static func unarchived(_ data: Data, _ coder: NSCoder) throws -> CKShare? {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let share = CKShare(coder: unarchiver)
        print(share.url as Any, share.currentUserParticipant?.permission == .readWrite)
        let record: CKRecord
        record = CKShare(coder: unarchiver)
        print(record.recordType == CKRecord.SystemType.share)
        let optional = Data?(data).flatMap { _ in return CKShare(coder: unarchiver) }
        guard let optional, let other = CKShare(coder: coder) else { return nil }
        return optional.isEqual(other) ? other : optional
    }

    static func participants(_ share: CKShare) {
        let owner: CKShare.Participant = share.owner
        for participant in share.participants where participant != owner && participant.role == .privateUser {
            let status: CKShare.ParticipantAcceptanceStatus = participant.acceptanceStatus
            let permission: CKShare.Participant.Permission = participant.permission
            print(status == CKShare.Participant.AcceptanceStatus.pending, permission == .readOnly)
            print(participant.userIdentity.lookupInfo?.emailAddress as Any, participant.isApprovedRequester)
            print(participant.dateAddedToShare as Any, participant.participantID)
            participant.permission = .readWrite
            participant.role = CKShare.ParticipantRole.administrator
            share.removeParticipant(participant)
        }
        let once = CKShare.Participant.oneTimeURLParticipant()
        share.addParticipant(once)
        let id: CKShare.Participant.ID = once.participantID
        print(share.oneTimeURL(for: id) as Any, share.currentUserParticipant?.permission == .readWrite)
        share.denyRequesters(share.requesters)
        share.blockRequesters(share.requesters)
        share.unblockIdentities(share.blockedIdentities)
        let requester: CKShare.AccessRequester? = share.requesters.first
        let blocked: CKShare.BlockedIdentity? = share.blockedIdentities.first
        print(requester?.participantLookupInfo as Any, requester?.userIdentity as Any, blocked?.userIdentity as Any)
    }

    static func values(_ metadata: CKShare.Metadata) -> [Int] {
        let share: CKShare = metadata.share
        print(metadata.containerIdentifier, metadata.ownerIdentity.nameComponents as Any, share)
        print(metadata.hierarchicalRootRecordID as Any, metadata.rootRecord as Any, metadata.rootRecordID)
        let roles: [CKShare.ParticipantRole] = [.unknown, .owner, .administrator, .privateUser, .publicUser]
        let types: [CKShare.ParticipantType] = [.unknown, .owner, .privateUser, .publicUser, metadata.participantType]
        let statuses: [CKShare.ParticipantAcceptanceStatus] = [
            .unknown, .pending, .accepted, .removed, metadata.participantStatus,
        ]
        let permissions: [CKShare.ParticipantPermission] = [
            .unknown, .none, .readOnly, .readWrite, metadata.participantPermission,
        ]
        let role: CKShare.Participant.Role = metadata.participantRole
        let type: CKShare.Participant.ParticipantType = share.owner.type
        return roles.map(\.rawValue) + types.map(\.rawValue) + statuses.map(\.rawValue) + permissions.map(\.rawValue)
            + [role.rawValue, type.rawValue]
    }

    static func container(_ container: CKContainer, _ url: URL, _ infos: [CKUserIdentity.LookupInfo]) async throws {
        let metadata = try await container.shareMetadata(for: url)
        let metadatas: [URL: Result<CKShare.Metadata, any Error>] = try await container.shareMetadatas(for: [url])
        let share: CKShare = try await container.accept(metadata)
        let shares: [CKShare.Metadata: Result<CKShare, any Error>] = try await container.accept([metadata])
        let asked: [URL: Result<Void, any Error>] = try await container.requestShareAccess(for: [url])
        let one = try await container.shareParticipant(forEmailAddress: "ada@example.org")
        let two = try await container.shareParticipant(forPhoneNumber: "+49301234567")
        let three = try await container.shareParticipant(forUserRecordID: CKRecord.ID(recordName: "_a"))
        let some: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] =
            try await container.shareParticipants(for: infos)
        let byMail: [String: Result<CKShare.Participant, any Error>] =
            try await container.shareParticipants(forEmailAddresses: ["ada@example.org"])
        let byPhone = try await container.shareParticipants(forPhoneNumbers: ["+49301234567"])
        let byRecord: [CKRecord.ID: Result<CKShare.Participant, any Error>] =
            try await container.shareParticipants(forUserRecordIDs: [])
        print(metadatas, share, shares, asked, one, two, three, some, byMail, byPhone, byRecord)
    }

    static func handlers(_ container: CKContainer, _ url: URL, _ metadata: CKShare.Metadata) {
        container.fetchShareMetadata(with: url) { metadata, error in print(metadata as Any, error as Any) }
        container.fetchShareMetadatas(for: [url]) { result in print(result) }
        container.accept(metadata) { share, error in print(share as Any, error as Any) }
        container.accept([metadata]) { result in print(result) }
        container.fetchShareParticipant(withEmailAddress: "a") { one, error in print(one as Any, error as Any) }
        container.fetchShareParticipant(withPhoneNumber: "a") { one, error in print(one as Any, error as Any) }
        container.fetchShareParticipant(withUserRecordID: CKRecord.ID(recordName: "_a")) { one, error in
            print(one as Any, error as Any)
        }
        container.fetchShareParticipants(forEmailAddresses: ["a"]) { result in print(result) }
        container.fetchShareParticipants(forPhoneNumbers: ["a"]) { result in print(result) }
        container.fetchShareParticipants(forUserRecordIDs: []) { result in print(result) }
    }

    static func operations(_ url: URL, _ metadata: CKShare.Metadata, _ info: CKUserIdentity.LookupInfo) -> [CKOperation]
    {
        let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
        fetch.shareURLs = [url]
        fetch.shouldFetchRootRecord = true
        fetch.rootRecordDesiredKeys = ["title"]
        fetch.perShareMetadataResultBlock = { url, result in print(url, result) }
        fetch.fetchShareMetadataResultBlock = { result in print(result) }
        fetch.perShareMetadataBlock = { url, metadata, error in print(url, metadata as Any, error as Any) }
        fetch.fetchShareMetadataCompletionBlock = { error in print(error as Any) }
        let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
        accept.shareMetadatas = [metadata]
        accept.perShareResultBlock = { metadata, result in print(metadata, result) }
        accept.acceptSharesResultBlock = { result in print(result) }
        accept.perShareCompletionBlock = { metadata, share, error in print(metadata, share as Any, error as Any) }
        accept.acceptSharesCompletionBlock = { error in print(error as Any) }
        let people = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [info])
        people.userIdentityLookupInfos = [info]
        people.perShareParticipantResultBlock = { info, result in print(info, result) }
        people.fetchShareParticipantsResultBlock = { result in print(result) }
        people.shareParticipantFetchedBlock = { participant in print(participant) }
        people.fetchShareParticipantsCompletionBlock = { error in print(error as Any) }
        let ask = CKShareRequestAccessOperation(shareURLs: [url])
        ask.shareURLs = [url]
        ask.perShareAccessRequestResultBlock = { url, result in print(url, result) }
        ask.shareAccessRequestResultBlock = { result in print(result) }
        return [
            fetch, accept, people, ask, CKFetchShareMetadataOperation(), CKAcceptSharesOperation(),
            CKFetchShareParticipantsOperation(), CKShareRequestAccessOperation(),
        ]
    }

    static func options() -> CKAllowedSharingOptions {
        let options = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: [.readOnly, .readWrite],
            allowedParticipantAccessOptions: [.anyoneWithLink, .specifiedRecipientsOnly])
        options.allowedParticipantPermissionOptions = CKSharingParticipantPermissionOption.any
        options.allowedParticipantAccessOptions = CKSharingParticipantAccessOption.any
        options.allowsParticipantsToInviteOthers = true
        options.allowsAccessRequests = true
        return CKAllowedSharingOptions.standard
    }
}
