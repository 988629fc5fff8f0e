import StratusTestSupport

/// A person's device that follows the owner's zones: what it has is what the feeds told it.
struct LeakFollower: Sendable {
    let person: Int
    private var known: [String: Set<String>] = [:]
    private var tokens: [String: String] = [:]

    init(person: Int) { self.person = person }

    mutating func follow(_ world: LeakWorld) async throws {
        for zone in world.zones { try await follow(zone, world) }
    }

    private mutating func follow(_ zone: String, _ world: LeakWorld) async throws {
        let database = world.people.database("shared", of: person)
        guard world.rules.seesZone(person, zone) else {
            // Neither with a token.
            let page = try await database.page(world.place(zone), since: tokens[zone])
            try demand(page["serverErrorCode"] == "ZONE_NOT_FOUND", "person \(person) goes on: \(page)")
            known[zone] = nil
            tokens[zone] = nil
            return
        }
        var told: Set<String> = []
        var records = known[zone] ?? []
        var turns = PageTurns(from: tokens[zone])
        while true {
            let page = try await database.page(world.place(zone), since: tokens[zone])
            if page["serverErrorCode"].isPresent {
                guard page["extensionErrorCode"] == "CHANGE_TOKEN_EXPIRED", tokens[zone] != nil else {
                    throw LeakViolation("person \(person): \(page)")
                }
                try turns.beginAnew()
                (records, told, tokens[zone]) = ([], [], nil)
                continue
            }
            for record in page.records {
                try demand(told.insert(record.name).inserted, "person \(person) is told twice of \(record)")
                if record["deleted"] == true {
                    let isKnown = records.remove(record.name) != nil || world.witnessed[person].contains(record.name)
                    try demand(isKnown, "person \(person) is told that \(record.name) went, which they never saw")
                } else {
                    records.insert(record.name)
                }
            }
            tokens[zone] = page["syncToken"].string
            guard page["moreComing"] == true else { break }
            try turns.turn(to: tokens[zone])
        }
        let expected = world.rules.visible(to: person, in: zone)
        try demand(
            records == expected, "person \(person) has \(records.symmetricDifference(expected)) wrong in \(zone)")
        known[zone] = records
    }
}
