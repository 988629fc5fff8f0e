import StratusCloudModel

/// Sharing dictionaries as clients send them.
extension JSONReader {
    /// What a record says of a share beside its fields; nil for a record that says nothing of the kind.
    func shareInput() throws(CloudError) -> ShareInput? {
        var input = ShareInput()
        if let root = member("forRecord") {
            input.forRecord = ShareInput.Root(
                recordName: try root.required("recordName").string(),
                recordChangeTag: try root.text("recordChangeTag"))
        }
        input.publicPermission = try member("publicPermission").map { (word) throws(CloudError) in
            try word.sharePermission()
        }
        if let list = member("participants") {
            var participants: [ShareParticipantInput] = []
            for element in try list.elements() { participants.append(try element.shareParticipantInput()) }
            input.participants = participants
        }
        input.denyAccessRequests = try flag("denyAccessRequests")
        input.requesters = try people("requesters")
        input.blocked = try people("blocked")
        return input == ShareInput() ? nil : input
    }

    private func people(_ name: StaticString) throws(CloudError) -> [String]? {
        guard let list = member(name) else { return nil }
        var names: [String] = []
        for element in try list.elements() {
            names.append(try (element.member("userIdentity") ?? element).required("userRecordName").string())
        }
        return names
    }

    private func shareParticipantInput() throws(CloudError) -> ShareParticipantInput {
        try requireObject()
        let id = try text("participantId")
        let identity = member("userIdentity")
        var lookup = try identity?.member("lookupInfo").map { (info) throws(CloudError) in try info.userLookup() }
        if lookup == nil, let name = try identity?.text("userRecordName") { lookup = .userRecordName(name) }
        return ShareParticipantInput(
            participantID: id, lookup: lookup,
            role: try member("type").map { (word) throws(CloudError) in try word.shareRole() } ?? .user,
            permission: try member("permission").map { (word) throws(CloudError) in try word.sharePermission() }
                ?? .readOnly)
    }

    func sharePermission() throws(CloudError) -> SharePermission {
        guard let permission = SharePermission(rawValue: try string().uppercased()) else {
            throw refusal("must be NONE, READ_ONLY or READ_WRITE")
        }
        return permission
    }

    func shareRole() throws(CloudError) -> ShareRole {
        switch try string().uppercased() {
        case "USER", "PRIVATE_USER": return .user
        case let word:
            guard let role = ShareRole(rawValue: word) else {
                throw refusal("must be OWNER, ADMINISTRATOR, USER or PUBLIC_USER")
            }
            return role
        }
    }

    func shareAcceptance() throws(CloudError) -> ShareAcceptance {
        switch try string().uppercased() {
        case "INVITED", "PENDING": return .invited
        case let word:
            guard let acceptance = ShareAcceptance(rawValue: word) else {
                throw refusal("must be INVITED, ACCEPTED or REMOVED")
            }
            return acceptance
        }
    }
}
