/// One thing that people change about a share, as a page or a command offers it.
public enum ShareEdit: Hashable, Sendable {
    /// Invites somebody.
    case invite(UserLookup, ShareRole, SharePermission)
    /// Makes a link that lets in the first who uses it.
    case addOneTimeLink(SharePermission)
    /// Says what a participant may do, and as what; nil leaves the role.
    case setPermission(participantID: String, SharePermission, ShareRole? = nil)
    /// Takes a participant out, or an invitation back.
    case remove(participantID: String)
    /// Says what everybody may do who has the link, and whether those who were not invited may ask for access; nil leaves
    /// it as it is.
    case setAccess(public: SharePermission? = nil, requests: Bool? = nil)
    /// Lets somebody in who asked for access.
    case approve(userRecordName: String, SharePermission)
    /// Sends away somebody who asked for access.
    case deny(userRecordName: String)
    /// Lets somebody who takes part or asked neither in nor ask again.
    case block(userRecordName: String)
    /// Undoes ``block(userRecordName:)``.
    case unblock(userRecordName: String)

    /// What the web services take for it.
    /// - Parameter details: The share as its editor sees it; nil for a share that is being created.
    /// - Throws: `badRequest` for a participant whom the share does not have, or an invitation that it has.
    public func input(for details: ShareDetails?) throws(CloudError) -> ShareInput {
        var input = ShareInput()
        switch self {
        case .invite(let lookup, let role, let permission):
            guard !(details?.participants ?? []).contains(where: { $0.identity.lookupInfo == lookup }) else {
                throw CloudError(.badRequest, "the share already has an invitation for this person")
            }
            input.participants =
                Self.inputs(details) + [ShareParticipantInput(lookup: lookup, role: role, permission: permission)]
        case .addOneTimeLink(let permission):
            input.participants = Self.inputs(details) + [ShareParticipantInput(permission: permission)]
        case .setPermission(let id, let permission, let role):
            input.participants = try Self.inputs(details, changing: id) { participant in
                var participant = participant
                participant.permission = permission
                if let role { participant.role = role }
                return participant
            }
        case .remove(let id): input.participants = try Self.inputs(details, changing: id) { _ in nil }
        case .setAccess(let permission, let requests):
            input.publicPermission = permission
            input.denyAccessRequests = requests.map { !$0 }
        case .approve(let name, let permission):
            try Self.check(name, isAmong: details?.requesters)
            input.participants =
                Self.inputs(details) + [
                    ShareParticipantInput(lookup: .userRecordName(name), permission: permission)
                ]
        case .deny(let name):
            try Self.check(name, isAmong: details?.requesters)
            input.requesters = details?.requesters.compactMap(\.userRecordName).filter { $0 != name }
        case .block(let name): input.blocked = (details?.blocked ?? []).compactMap(\.userRecordName) + [name]
        case .unblock(let name):
            try Self.check(name, isAmong: details?.blocked)
            input.blocked = details?.blocked.compactMap(\.userRecordName).filter { $0 != name }
        }
        return input
    }

    /// All participants but the owner, as they are.
    private static func inputs(_ details: ShareDetails?) -> [ShareParticipantInput] {
        (details?.participants ?? []).filter { $0.role != .owner }.map(input)
    }

    private static func input(_ participant: ShareParticipant) -> ShareParticipantInput {
        ShareParticipantInput(
            participantID: participant.participantID, lookup: participant.identity.lookupInfo, role: participant.role,
            permission: participant.permission)
    }

    private static func inputs(
        _ details: ShareDetails?, changing id: String, _ change: (ShareParticipantInput) -> ShareParticipantInput?
    ) throws(CloudError) -> [ShareParticipantInput] {
        let participants = (details?.participants ?? []).filter { $0.role != .owner }
        guard participants.contains(where: { $0.participantID == id }) else {
            throw CloudError(.badRequest, "the share has no participant '\(id.prefix(64))'")
        }
        return participants.compactMap { participant in
            participant.participantID == id ? change(input(participant)) : input(participant)
        }
    }

    private static func check(_ name: String, isAmong people: [ShareIdentity]?) throws(CloudError) {
        guard people?.contains(where: { $0.userRecordName == name }) == true else {
            throw CloudError(.badRequest, "the share has no such person '\(name.prefix(64))'")
        }
    }
}
