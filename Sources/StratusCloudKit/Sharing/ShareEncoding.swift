import Foundation
import StratusCloudModel

/// Translates a share into what is sent.
struct ShareEncoding {
    let recordID: CKRecord.ID
    let names: IdentityNames

    /// What differs from what the server has; nil if nothing does.
    func input(_ state: ShareState, _ content: ShareState.Content) throws -> ShareInput? {
        guard content.hasOwner || !(state.base?.hasOwner ?? true) else { throw refusal("cannot be without its owner") }
        var input = ShareInput()
        if let root = state.rootRecordID {
            input.forRecord = ShareInput.Root(recordName: root.recordName)
        }
        let base = state.base
        if content.publicPermission != base?.publicPermission {
            input.publicPermission = try permission(content.publicPermission)
        }
        if content.participants != base?.participants ?? [] {
            input.participants = try participants(of: content, base).map(participant)
        }
        if content.allowsAccessRequests != base?.allowsAccessRequests ?? false {
            input.denyAccessRequests = !content.allowsAccessRequests
        }
        if content.requesters != base?.requesters ?? [] {
            input.requesters = content.requesters.compactMap { userName($0.userIdentity) }
        }
        if content.blocked != base?.blocked ?? [] {
            input.blocked = content.blocked.compactMap { userName($0.userIdentity) }
        }
        return input == ShareInput() ? nil : input
    }

    /// All but the owner. Somebody who is blocked is still named: the server knows whom to block by their part.
    private func participants(
        of content: ShareState.Content, _ base: ShareState.Content?
    ) -> [CKShareParticipant.Values] {
        let blocked = (base?.participants ?? []).filter { known in
            content.blocked.contains { $0.userIdentity.isSamePerson(as: known.identity) }
                && !content.participants.contains { $0.participantID == known.participantID }
        }
        return (content.participants + blocked).filter { $0.role != .owner }
    }

    private func participant(_ values: CKShareParticipant.Values) throws -> ShareParticipantInput {
        let lookup =
            values.identity.lookupInfo?.lookup(names) ?? userName(values.identity).map { .userRecordName($0) }
        return ShareParticipantInput(
            participantID: values.isKnown ? values.participantID : nil, lookup: lookup, role: try role(values.role),
            permission: try permission(values.permission))
    }

    private func userName(_ identity: CKUserIdentity) -> String? {
        guard let recordID = identity.userRecordID else { return nil }
        return recordID.recordName == CKCurrentUserDefaultName ? names.currentUser : recordID.recordName
    }

    private func permission(_ permission: CKShare.ParticipantPermission) throws -> SharePermission {
        switch permission {
        case .none: .none
        case .readOnly: .readOnly
        case .readWrite: .readWrite
        case .unknown: throw refusal("gives an unknown permission")
        }
    }

    private func role(_ role: CKShare.ParticipantRole) throws -> ShareRole {
        switch role {
        case .owner: .owner
        case .administrator: .administrator
        case .privateUser: .user
        case .publicUser: .publicUser
        case .unknown: throw refusal("has a participant of an unknown role")
        }
    }

    private func refusal(_ what: String) -> NSError {
        .cloudKit(.invalidArguments, "The share '\(recordID.recordName)' \(what).")
    }
}
