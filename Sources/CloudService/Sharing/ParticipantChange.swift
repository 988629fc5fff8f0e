import CloudModel

/// Makes the participants of a share what a request says.
struct ParticipantChange {
    let owner: String
    /// Whether the caller may appoint administrators, and dismiss them.
    let isOwner: Bool
    let now: Int64
    let makeID: () -> String
    var oneTimeGUIDs: [String]

    /// - Returns: who is no longer among them.
    mutating func apply(_ inputs: [ShareParticipantInput], to whole: inout WholeShare) throws(CloudError)
        -> [StoredParticipant]
    {
        var kept: [StoredParticipant] = []
        var used: Set<UInt64> = []
        for input in inputs where !isOwnerEntry(input) {
            let lookup = normalized(input.lookup)
            if let known = try find(input, lookup, in: whole) {
                guard used.insert(known.number).inserted else { continue }
                kept.append(try changed(known, by: input))
            } else {
                kept.append(try made(input, lookup, in: &whole.share))
            }
        }
        let removed = whole.participants.filter { former in !kept.contains { $0.number == former.number } }
        if removed.contains(where: { $0.role == .administrator }) { try checkOwner("dismiss") }
        whole.participants = kept.sorted { $0.number < $1.number }
        try checkCount(whole)
        return removed
    }

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
        _ input: ShareParticipantInput, _ lookup: UserLookup?, in whole: WholeShare
    ) throws(CloudError) -> StoredParticipant? {
        if let id = input.participantID {
            if let known = whole.participants.first(where: { $0.participantID == id }) { return known }
            guard lookup != nil else {
                throw CloudError(.badRequest, "the share has no participant '\(id.prefix(64))'")
            }
        }
        guard let lookup else { return nil }
        return whole.participants.first { participant in
            if participant.lookup == lookup { return true }
            guard case .userRecordName(let name) = lookup else { return false }
            return participant.user?.userRecordName == name
        }
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
            throw CloudError(.badRequest, "participants are of type USER or ADMINISTRATOR when they are added")
        }
        if input.role == .administrator { try checkOwner("appoint") }
        guard share.publicPermission == .none else {
            throw CloudError(.badRequest, "participants are only added to shares whose publicPermission is NONE")
        }
        switch lookup {
        case .emailAddress(let text)?:
            guard !text.isEmpty, text.utf8.count <= ServiceLimits.emailLength else {
                throw CloudError(
                    .badRequest, "a participant's emailAddress has 1 to \(ServiceLimits.emailLength) bytes")
            }
        case .phoneNumber("")?: throw CloudError(.badRequest, "a participant's phoneNumber is not an international one")
        case .userRecordName(let name)?:
            guard Names.isUserRecordName(name) else {
                throw CloudError(.badRequest, "a participant's userRecordName is not one")
            }
            if share.isBlocked(name) { throw CloudError(.badRequest, "a participant is blocked from the share") }
        case .contactHash?: throw CloudError(.badRequest, "nobody can be invited by a hash")
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
