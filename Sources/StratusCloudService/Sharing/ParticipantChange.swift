import StratusCloudModel

/// Makes the participants of a share what a request says.
struct ParticipantChange {
    let owner: String
    /// Whether the caller may appoint administrators, and dismiss them.
    let isOwner: Bool
    let now: Int64
    let makeID: () -> String
    var oneTimeGUIDs: [String]

    mutating func apply(_ inputs: [ShareParticipantInput], to whole: inout WholeShare) throws(CloudError) {
        guard inputs.count <= Self.longestList else {
            throw CloudError(
                .badRequest,
                "the request names \(inputs.count) participants, which is more than a share can have",
                extensionCode: .tooManyParticipants)
        }
        let former = KnownParticipants(whole.participants)
        var kept: [StoredParticipant] = []
        var used: Set<UInt64> = []
        var invited: Set<UserLookup> = []
        for input in inputs where !isOwnerEntry(input) {
            let lookup = normalized(input.lookup)
            if let known = try find(input, lookup, in: former) {
                guard used.insert(known.number).inserted else { continue }
                kept.append(try changed(known, by: input))
            } else {
                // Whoever stands there twice is invited once: a second invitation would outlive the first.
                if let lookup, !invited.insert(lookup).inserted { continue }
                kept.append(try made(input, lookup, in: &whole.share))
            }
        }
        if whole.participants.contains(where: { !used.contains($0.number) && $0.role == .administrator }) {
            try checkOwner("dismiss")
        }
        whole.participants = kept.sorted { $0.number < $1.number }
        try checkCount(whole)
    }

    /// All that a share can have, and the owner.
    private static let longestList = ModelLimits.participantsPerShare + ModelLimits.publicParticipantsPerShare

    private func isOwnerEntry(_ input: ShareParticipantInput) -> Bool {
        input.role == .owner || input.participantID == owner || input.lookup == .userRecordName(owner)
    }

    /// As invitations are compared.
    private func normalized(_ lookup: UserLookup?) -> UserLookup? {
        switch lookup {
        case .emailAddress(let text)?: .emailAddress(EmailAddress.normalized(text))
        case .phoneNumber(let text)?: .phoneNumber(PhoneNumber.normalized(text) ?? "")
        default: lookup
        }
    }

    private func find(
        _ input: ShareParticipantInput, _ lookup: UserLookup?, in former: KnownParticipants
    ) throws(CloudError) -> StoredParticipant? {
        if let id = input.participantID {
            if let known = former.byID[id] { return known }
            guard lookup != nil else {
                throw CloudError(.badRequest, "the share has no participant '\(id.prefix(64))'")
            }
        }
        guard let lookup else { return nil }
        if let known = former.byLookup[lookup] { return known }
        guard case .userRecordName(let name) = lookup else { return nil }
        return former.byUser[name]
    }

    private func changed(
        _ known: StoredParticipant, by input: ShareParticipantInput
    ) throws(CloudError) -> StoredParticipant {
        var participant = known
        let role = known.role == .publicUser ? known.role : input.role
        if role != known.role {
            try checkOwner("appoint or dismiss")
            participant.role = role
        }
        if input.permission != known.permission, known.role != .publicUser {
            if known.role == .administrator { try checkOwner("change") }
            participant.permission = input.permission
        }
        return participant
    }

    private mutating func made(
        _ input: ShareParticipantInput, _ lookup: UserLookup?, in share: inout StoredShare
    ) throws(CloudError) -> StoredParticipant {
        guard input.role == .user || input.role == .administrator else {
            throw CloudError(.badRequest, "new participants must be of type USER or ADMINISTRATOR")
        }
        if input.role == .administrator { try checkOwner("appoint") }
        guard share.publicPermission == .none else {
            throw CloudError(.badRequest, "participants can only be added to shares whose publicPermission is NONE")
        }
        switch lookup {
        case .emailAddress(let text)?:
            guard !text.isEmpty, text.utf8.count <= ServiceLimits.emailLength else {
                throw CloudError(
                    .badRequest, "a participant's emailAddress has 1 to \(ServiceLimits.emailLength) bytes")
            }
            guard EmailAddress.isPlausible(text) else {
                throw CloudError(.badRequest, "a participant's emailAddress, '\(text)', is not an e-mail address")
            }
        case .phoneNumber("")?:
            throw CloudError(.badRequest, "a participant's phoneNumber is not an international phone number")
        case .userRecordName(let name)?:
            guard Names.isUserRecordName(name) else {
                throw CloudError(.badRequest, "a participant's userRecordName is not a user record name")
            }
            if share.isBlocked(name) { throw CloudError(.badRequest, "a participant is blocked from the share") }
        case .contactHash?: throw CloudError(.badRequest, "participants cannot be invited by a hash")
        default: break
        }
        var participant = StoredParticipant(
            number: share.nextParticipant, participantID: makeID(), lookup: lookup, role: input.role,
            permission: input.permission, added: now)
        share.nextParticipant += 1
        if lookup == nil {
            guard let guid = oneTimeGUIDs.popLast() else { throw CloudError(.internalError, "internal error") }
            participant.oneTimeGUID = guid
        }
        if case .userRecordName(let name)? = lookup,
            let index = share.requesters.firstIndex(where: { $0.userRecordName == name })
        {
            share.requesters.remove(at: index)
            participant.isApprovedRequester = true
        }
        return participant
    }

    private func checkOwner(_ verb: String) throws(CloudError) {
        guard isOwner else {
            throw CloudError(.accessDenied, "only the owner of a share can \(verb) its administrators")
        }
    }

    private func checkCount(_ whole: WholeShare) throws(CloudError) {
        let invited = whole.participants.count { $0.role != .publicUser } + 1
        guard invited <= ModelLimits.participantsPerShare else {
            throw CloudError(
                .badRequest,
                "the share would have \(invited) participants with its owner, which is more than the maximum of "
                    + "\(ModelLimits.participantsPerShare)", extensionCode: .tooManyParticipants)
        }
    }
}

/// The participants of a share by all that a request may name them by: a list of thousands is compared with thousands.
private struct KnownParticipants {
    let byID: [String: StoredParticipant]
    let byLookup: [UserLookup: StoredParticipant]
    let byUser: [String: StoredParticipant]

    init(_ participants: [StoredParticipant]) {
        byID = Self.index(participants) { $0.participantID }
        byLookup = Self.index(participants) { $0.lookup }
        byUser = Self.index(participants) { $0.user?.userRecordName }
    }

    private static func index<Name: Hashable>(
        _ participants: [StoredParticipant], by name: (StoredParticipant) -> Name?
    ) -> [Name: StoredParticipant] {
        Dictionary(participants.compactMap { entry in name(entry).map { ($0, entry) } }) { first, _ in first }
    }
}
