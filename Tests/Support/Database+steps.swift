extension Database {
    /// Saves one record and gives it back as the server has it.
    /// - Throws: ``UnexpectedAnswer`` if it was not saved.
    @discardableResult
    public func save(_ operation: JSON, zone: String? = nil) async throws -> JSON {
        let answer = try await modify([operation], zone: zone)
        guard answer.status == 200, answer.records.count == 1, let record = answer.records.first,
            record["recordChangeTag"].isPresent, !record["serverErrorCode"].isPresent
        else { throw UnexpectedAnswer(answer) }
        return record
    }

    /// The one record or error that a lookup gives.
    public func find(_ name: String, zone: String? = nil) async throws -> JSON {
        let answer = try await lookup([name], zone: zone)
        guard answer.status == 200, answer.records.count == 1 else { throw UnexpectedAnswer(answer) }
        return answer.records[0]
    }

    /// Makes a zone with a name of its own.
    public func makeZone(_ prefix: String = "Zone") async throws -> String {
        let name = Unique.name(prefix)
        let answer = try await zone("create", name)
        guard answer.status == 200, answer.zones.first?["zoneID"]["zoneName"].string == name else {
            throw UnexpectedAnswer(answer)
        }
        return name
    }

    /// All records of a query, following the markers.
    public func queryAll(
        _ type: String, filters: [JSON] = [], sorts: [JSON] = [], zone: String? = nil, _ options: JSON = [:]
    ) async throws -> [JSON] {
        var records: [JSON] = []
        var options = options
        var turns = PageTurns(from: options["continuationMarker"].string)
        while true {
            let answer = try await query(type, filters: filters, sorts: sorts, zone: zone, options)
            guard answer.status == 200 else { throw UnexpectedAnswer(answer) }
            records += answer.records
            guard let marker = answer.json["continuationMarker"].string else { return records }
            try turns.turn(to: marker)
            options["continuationMarker"] = .string(marker)
        }
    }
}
