import StratusTestSupport

/// Steps that change records.
extension LeakWorld {
    /// One operation, as the owner or as a participant: what became of it.
    func modify(_ operation: JSON, in zone: String, by person: Int) async throws -> JSON {
        let answer =
            try await person == LeakRules.owner
            ? owner.modify([operation], zone: zone)
            : people.database("shared", of: person).modify([operation], in: place(zone))
        guard answer.status == 200, answer.records.count == 1 else { throw LeakViolation("\(answer)") }
        return answer.records[0]
    }

    private static func isSaved(_ item: JSON) -> Bool {
        item["recordChangeTag"].isPresent && !item["serverErrorCode"].isPresent
    }

    mutating func create(
        in zone: String, below parent: String?, by person: Int, file: Bool, mention: String?
    ) async throws {
        let name = Unique.name("rec")
        // Only the owner adds files and mentions, so that these are where others do not see them.
        let isOwn = person == LeakRules.owner
        var item = LeakRules.Item(parent: parent, secret: Unique.name("secret"))
        var fields: JSON = ["title": ["value": .string(item.secret)], "kind": ["value": "all"]]
        if isOwn, let mention {
            item.mentions = mention
            fields["mention"] = Fields.typed("REFERENCE", ["recordName": .string(mention), "action": "NONE"])
        }
        if isOwn, file {
            let bytes = Unique.name("bytes")
            item.file = bytes
            fields["file"] = Fields.typed(
                "ASSETID", try await owner.upload(Array(bytes.utf8), "Item", name, zone: zone))
        }
        var operation = Change.make("create", name, type: "Item", fields)
        if let parent { operation["record"]["parent"] = ["recordName": .string(parent)] }
        let allowed = rules.mayCreate(person, below: parent, in: zone)
        let result = try await modify(operation, in: zone, by: person)
        try demand(Self.isSaved(result) == allowed, "creating below \(parent ?? "-") by \(person): \(result)")
        guard allowed else { return }
        let before = rules
        rules.zones[zone]?.items[name] = item
        added(name, to: zone)
        tell([name], in: zone, before: before)
    }

    mutating func edit(_ number: Int, in zone: String, by person: Int) async throws {
        guard let name = record(number, zone) else { return }
        let secret = Unique.name("secret")
        let result = try await modify(
            Change.forceUpdate("Item", name, ["title": ["value": .string(secret)]]), in: zone, by: person)
        let allowed = rules.writes(person, name, in: zone)
        try demand(Self.isSaved(result) == allowed, "editing \(name) by \(person): \(result)")
        guard allowed else { return }
        rules.zones[zone]?.items[name]?.secret = secret
        tell([name], in: zone, before: rules)
    }

    mutating func move(_ number: Int, below parent: Int?, in zone: String) async throws {
        guard let name = record(number, zone) else { return }
        let parent = parent.flatMap { record($0, zone) }
        var operation = Change.forceUpdate("Item", name, [:])
        operation["record"]["parent"] = parent.map { ["recordName": .string($0)] } ?? .null
        let allowed = parent.map { rules.mayMove(name, below: $0, in: zone) } ?? true
        let result = try await modify(operation, in: zone, by: LeakRules.owner)
        try demand(Self.isSaved(result) == allowed, "moving \(name) below \(parent ?? "-"): \(result)")
        guard allowed else { return }
        let before = rules
        rules.zones[zone]?.items[name]?.parent = parent
        tell([name], in: zone, before: before)
    }

    mutating func delete(_ number: Int, in zone: String) async throws {
        guard let name = record(number, zone), rules.children(of: name, in: zone).isEmpty else { return }
        let result = try await modify(Change.forceDelete(name), in: zone, by: LeakRules.owner)
        try demand(result["deleted"] == true, "deleting \(name): \(result)")
        let before = rules
        rules.zones[zone]?.items[name] = nil
        if let share = before.zones[zone]?.shares.first(where: { $0.value.root == name })?.key {
            rules.zones[zone]?.shares[share] = nil
            ended(share, in: zone)
        }
        tell([name], in: zone, before: before)
    }
}
