extension Database {
    /// The record of a zone that is named with its owner.
    public func lookup(_ names: [String], in zone: JSON) async throws -> [JSON] {
        try await lookup(names, ["zoneID": zone]).records
    }

    /// Changes records of a zone that is named with its owner.
    public func modify(_ operations: [JSON], in zone: JSON) async throws -> Answer {
        try await modify(operations, ["zoneID": zone])
    }

    /// A page of the changes of a zone that is named with its owner.
    public func page(_ zone: JSON, since token: String? = nil) async throws -> JSON {
        var item: JSON = ["zoneID": zone]
        if let token { item["syncToken"] = .string(token) }
        let answer = try await post("changes/zone", ["zones": [item]])
        guard answer.status == 200, answer.zones.count == 1 else { throw UnexpectedAnswer(answer) }
        return answer.zones[0]
    }

    /// `records/resolve`, `records/accept` or `records/requestAccess` of one link.
    public func link(_ action: String, _ shortGUID: String, _ members: JSON = [:]) async throws -> JSON {
        let item: JSON = ["value": .string(shortGUID)]
        let answer = try await post("records/\(action)", ["shortGUIDs": [item.merging(members)]])
        guard answer.status == 200, answer.json["results"].array?.count == 1 else { throw UnexpectedAnswer(answer) }
        return answer.json["results"][0]
    }

    /// Saves a root with what shares it, and gives both back.
    public func share(
        root: String, in zone: String, with participants: [JSON] = [], open permission: String = "NONE"
    ) async throws -> (root: JSON, share: JSON) {
        let answer = try await modify(
            [
                Change.forceUpdate("Folder", root, Fields.untyped(["title": "Root"])),
                Shares.create("Share-\(root)", for: root, with: participants, open: permission),
            ], zone: zone)
        guard answer.status == 200, answer.records.count == 2,
            answer.records.allSatisfy({ $0["recordChangeTag"].isPresent && !$0["serverErrorCode"].isPresent })
        else { throw UnexpectedAnswer(answer) }
        return (answer.records[0], answer.records[1])
    }
}

/// Sharing dictionaries.
public enum Shares {
    /// The operation that makes a share; of a whole zone without a root.
    public static func create(
        _ name: String, for root: String? = nil, with participants: [JSON] = [], open permission: String = "NONE"
    ) -> JSON {
        var operation = Change.create("cloudkit.share", name)
        if let root { operation["record"]["forRecord"] = ["recordName": .string(root)] }
        operation["record"]["publicPermission"] = .string(permission)
        operation["record"]["participants"] = .array(participants)
        return operation
    }

    /// The operation that changes members of a share that the server gave.
    public static func update(_ share: JSON, _ members: JSON) -> JSON {
        var operation = Change.update(share, [:])
        operation["record"] = operation["record"].merging(members)
        return operation
    }

    /// Somebody to be invited.
    public static func invite(_ email: String, _ permission: String = "READ_WRITE", as type: String = "USER") -> JSON {
        [
            "type": .string(type), "permission": .string(permission), "acceptanceStatus": "INVITED",
            "userIdentity": ["lookupInfo": ["emailAddress": .string(email)]],
        ]
    }

    /// A record below another.
    public static func child(_ name: String, of parent: String, _ kind: String = "forceUpdate") -> JSON {
        var change = Change.make(kind, name, type: "Item", Fields.untyped(["title": .string(name)]))
        change["record"]["parent"] = ["recordName": .string(parent)]
        return change
    }
}
