import StratusCloudModel

/// Sharing dictionaries.
extension JSONWriter {
    /// The members that a share record has beside those of every record.
    mutating func shareMembers(_ details: ShareDetails) {
        key("publicPermission")
        string(details.publicPermission.rawValue)
        key("participants")
        beginArray()
        for participant in details.participants { shareParticipant(participant) }
        endArray()
        key("owner")
        shareParticipant(details.owner)
        if let own = details.currentUserParticipant {
            key("currentUserParticipant")
            shareParticipant(own)
        }
        key("denyAccessRequests")
        boolean(details.denyAccessRequests)
        for (name, people) in [("requesters", details.requesters), ("blocked", details.blocked)]
            as [(StaticString, [ShareIdentity])]
        {
            key(name)
            beginArray()
            for person in people { shareIdentity(person) }
            endArray()
        }
    }

    mutating func shareParticipant(_ participant: ShareParticipant) {
        beginObject()
        key("participantId")
        string(participant.participantID)
        key("userIdentity")
        shareIdentity(participant.identity)
        key("type")
        string(participant.role.rawValue)
        key("permission")
        string(participant.permission.rawValue)
        key("acceptanceStatus")
        string(participant.acceptance.rawValue)
        optional(WireNames.oneTimeShortGUID, participant.oneTimeShortGUID)
        if participant.isApprovedRequester {
            key("isApprovedRequester")
            boolean(true)
        }
        if let added = participant.added {
            key("dateAddedToShare")
            integer(added)
        }
        endObject()
    }

    mutating func shareIdentity(_ identity: ShareIdentity) {
        beginObject()
        optional("userRecordName", identity.userRecordName)
        if identity.givenName != nil || identity.familyName != nil {
            key("nameComponents")
            beginObject()
            optional("givenName", identity.givenName)
            optional("familyName", identity.familyName)
            endObject()
        }
        if let lookup = identity.lookupInfo {
            key("lookupInfo")
            userLookup(lookup)
        }
        endObject()
    }

    /// What a client says of a share record beside its fields.
    mutating func shareInput(_ input: ShareInput) {
        if let root = input.forRecord {
            key("forRecord")
            beginObject()
            optional("recordName", root.recordName)
            optional("recordChangeTag", root.recordChangeTag)
            endObject()
        }
        optional("publicPermission", input.publicPermission?.rawValue)
        if let participants = input.participants {
            key("participants")
            beginArray()
            for participant in participants {
                beginObject()
                optional("participantId", participant.participantID)
                if let lookup = participant.lookup {
                    key("userIdentity")
                    beginObject()
                    key("lookupInfo")
                    userLookup(lookup)
                    endObject()
                }
                optional("type", participant.role.rawValue)
                optional("permission", participant.permission.rawValue)
                endObject()
            }
            endArray()
        }
        optional("denyAccessRequests", input.denyAccessRequests)
        for (name, people) in [("requesters", input.requesters), ("blocked", input.blocked)]
            as [(StaticString, [String]?)]
        {
            guard let people else { continue }
            key(name)
            beginArray()
            for person in people {
                beginObject()
                optional("userRecordName", person)
                endObject()
            }
            endArray()
        }
    }
}
