import Foundation
import StratusCloudModel

/// Translates what came about a share.
struct ShareDecoding {
    let names: IdentityNames

    /// - Parameter secrets: what the links of one's own share need for encrypted values.
    func state(_ details: ShareDetails, shortGUID: String?, _ secrets: ShareSecrets? = nil) -> ShareState {
        var participants = details.participants
        for entry in [details.currentUserParticipant, details.owner] {
            guard let entry, !participants.contains(where: { $0.participantID == entry.participantID }) else {
                continue
            }
            participants.insert(entry, at: entry.role == .owner ? 0 : participants.endIndex)
        }
        let content = ShareState.Content(
            publicPermission: CKShare.ParticipantPermission(details.publicPermission),
            participants: participants.map(values), allowsAccessRequests: !details.denyAccessRequests,
            requesters: details.requesters.map { CKShareAccessRequester(identity($0)) },
            blocked: details.blocked.map { CKShareBlockedIdentity(identity($0)) })
        var state = ShareState(
            content, currentUserID: details.currentUserParticipant?.participantID,
            url: shortGUID.flatMap { names.shareLinks.url(of: $0) }, links: names.shareLinks)
        if let secrets { state.adopt(secrets) }
        return state
    }

    private func values(_ participant: ShareParticipant) -> CKShareParticipant.Values {
        CKShareParticipant.Values(
            participantID: participant.participantID, identity: identity(participant.identity),
            role: CKShare.ParticipantRole(participant.role),
            permission: CKShare.ParticipantPermission(participant.permission),
            acceptance: CKShare.ParticipantAcceptanceStatus(participant.acceptance),
            isApprovedRequester: participant.isApprovedRequester,
            dateAdded: participant.added.map { Timestamp(milliseconds: $0).date },
            oneTimeShortGUID: participant.oneTimeShortGUID, isKnown: true)
    }

    func identity(_ identity: ShareIdentity) -> CKUserIdentity {
        CKUserIdentity(
            lookupInfo: identity.lookupInfo.flatMap { CKUserIdentity.LookupInfo($0) },
            nameComponents: PersonNameComponents(given: identity.givenName, family: identity.familyName),
            userRecordID: identity.userRecordName.map { names.userID($0) })
    }

    /// What a link leads to.
    /// - Parameters:
    ///   - secret: what stands behind the link's `#`.
    ///   - decoding: translates the records.
    func metadata(_ link: ShareLink, _ secret: LinkSecret?, _ decoding: RecordDecoding) throws -> CKShareMetadata {
        guard let share = try decoding.record(link.share) as? CKShare else {
            throw NSError.cloudKit(.internalError, "The answer has another record in the place of the share.")
        }
        // The link that brought the user here is the one that they would give on.
        if let secret, share.url == names.shareLinks.url(of: link.request.shortGUID) {
            share.adopt(ShareSecrets(link: secret))
        }
        let zoneID = names.zoneID(link.zoneID)
        return CKShareMetadata(
            CKShareMetadata.Values(
                shortGUID: link.request.shortGUID, secret: secret, containerIdentifier: link.context.container.rawValue,
                ownerIdentity: identity(link.owner),
                rootRecordID: link.rootRecordName.map { CKRecord.ID(recordName: $0, zoneID: zoneID) },
                role: CKShare.ParticipantRole(link.role),
                acceptance: CKShare.ParticipantAcceptanceStatus(link.acceptance),
                permission: CKShare.ParticipantPermission(link.permission)),
            share: share, rootRecord: try link.rootRecord.map { try decoding.record($0) })
    }
}

extension PersonNameComponents {
    /// nil where there is no name.
    init?(given: String?, family: String?) {
        guard given != nil || family != nil else { return nil }
        self.init()
        givenName = given
        familyName = family
    }
}

extension CKShare.ParticipantPermission {
    init(_ permission: SharePermission) {
        switch permission {
        case .none: self = .none
        case .readOnly: self = .readOnly
        case .readWrite: self = .readWrite
        }
    }
}

extension CKShare.ParticipantRole {
    init(_ role: ShareRole) {
        switch role {
        case .owner: self = .owner
        case .administrator: self = .administrator
        case .user: self = .privateUser
        case .publicUser: self = .publicUser
        }
    }
}

extension CKShare.ParticipantAcceptanceStatus {
    init(_ acceptance: ShareAcceptance) {
        switch acceptance {
        case .invited: self = .pending
        case .accepted: self = .accepted
        case .removed: self = .removed
        }
    }
}
