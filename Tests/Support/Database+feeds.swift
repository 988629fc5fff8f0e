extension Database {
    /// `changes/zone` of one zone, whose members are added to by `options`.
    public func zoneChanges(_ zone: String, since token: String? = nil, _ options: JSON = [:]) async throws -> Answer {
        var item: JSON = ["zoneID": ["zoneName": .string(zone)]]
        if let token { item["syncToken"] = .string(token) }
        return try await post("changes/zone", ["zones": [item.merging(options)]])
    }

    /// The one page or error of ``zoneChanges(_:since:_:)``.
    public func zonePage(_ zone: String, since token: String? = nil, _ options: JSON = [:]) async throws -> JSON {
        let answer = try await zoneChanges(zone, since: token, options)
        guard answer.status == 200, answer.zones.count == 1 else { throw UnexpectedAnswer(answer) }
        return answer.zones[0]
    }

    /// `changes/database`
    public func databaseChanges(since token: String? = nil, _ options: JSON = [:]) async throws -> Answer {
        var body: JSON = [:]
        if let token { body["syncToken"] = .string(token) }
        return try await post("changes/database", body.merging(options))
    }

    /// The token of who knows all of a zone.
    public func syncToken(of zone: String) async throws -> String {
        var token: String?
        var turns = PageTurns()
        while true {
            let page = try await zonePage(zone, since: token)
            guard let next = page["syncToken"].string else { throw MissingToken(page: page) }
            if page["moreComing"] != true { return next }
            try turns.turn(to: next)
            token = next
        }
    }

    /// A page without a token.
    public struct MissingToken: Error {
        /// The page.
        public let page: JSON
    }
}

extension JSON {
    /// The elements of `records`.
    public var records: [JSON] { self["records"].array ?? [] }
}
