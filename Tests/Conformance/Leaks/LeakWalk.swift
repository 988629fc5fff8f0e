import StratusTestSupport
import StratusWorkers

/// Every endpoint as one person, against the rules. Changes nothing.
struct LeakWalk: Sendable {
    let world: LeakWorld
    let person: Int
    let notes: LeakNotes

    var rules: LeakRules { world.rules }
    var isOwner: Bool { person == LeakRules.owner }
    /// Where the person finds the owner's zones.
    var scope: String { isOwner ? "private" : "shared" }

    func walk() async throws {
        try await zonesAndDatabase()
        for zone in world.zones {
            try await lookups(zone)
            try await queries(zone)
            try await changes(zone)
            try await refusedWrites(zone)
            try await assets(zone)
            try await keys(zone)
            try await refusedKeys(zone)
            try await refusedByAdministrators(zone)
        }
        try await addresses()
        try await links()
        try await refusedLinks()
        try await invitations()
        try await subscriptions()
        try await users()
        try await devices()
        try await files()
        if !isOwner { try await otherDatabases() }
    }

    /// Asks, and looks through the whole answer for what the person may not see.
    @discardableResult
    func ask(_ action: String, _ body: JSON, in scope: String? = nil) async throws -> Answer {
        notes.walked(action)
        let sent = body.text
        let answer = try await world.people.database(scope ?? self.scope, of: person).post(action, body)
        try demand(answer.status < 500, "person \(person): \(answer)")
        let visits = ["records/resolve", "records/accept", "records/invitations"].contains(action)
        try clean(answer.text, world.secrets(from: person, sent: sent, visiting: visits), "\(answer)")
        return answer
    }

    func clean(
        _ text: String, _ secrets: [(text: String, what: String)], _ shown: @autoclosure () -> String
    ) throws {
        guard !isOwner else { return }
        for secret in secrets where text.contains(secret.text) {
            throw LeakViolation("person \(person) is told \(secret.what): \(shown())")
        }
    }

    // MARK: - Zones

    private func zonesAndDatabase() async throws {
        let expected = Set(world.zones.filter { rules.seesZone(person, $0) })
        // Zones for listening are shared with everybody.
        func names(_ zones: [JSON]) -> Set<String> {
            Set(zones.filter { $0["deleted"] != true }.compactMap { $0["zoneID"]["zoneName"].string })
                .intersection(world.zones)
        }
        let listed = try await ask("zones/list", [:])
        try demand(names(listed.zones) == expected, "person \(person) lists \(listed)")
        let ids = JSON.array(world.zones.map { ["zoneID": world.place($0)] })
        let found = try await ask("zones/lookup", ["zones": .array(world.zones.map { world.place($0) })])
        for (zone, item) in zip(world.zones, found.zones) {
            try demand(
                item["serverErrorCode"].string == (expected.contains(zone) ? nil : "ZONE_NOT_FOUND"),
                "person \(person) looks \(zone) up: \(item)")
        }
        let database = try await ask("changes/database", ["resultsLimit": 200])
        try demand(names(database.zones) == expected, "person \(person) follows the database: \(database)")
        let former = try await ask("zones/changes", ["resultsLimit": 200])
        try demand(names(former.zones) == expected, "person \(person) follows zones: \(former)")
        guard !isOwner else { return }
        // Only owners make and delete zones; to delete one that is not shared is to leave nothing.
        let made = try await ask(
            "zones/modify",
            ["operations": .array([["operationType": "create", "zone": ["zoneID": world.place("New")]]])])
        try demand(made.zones.first?["serverErrorCode"] == "BAD_REQUEST", "\(made)")
        for (zone, id) in zip(world.zones, ids.array ?? []) where !expected.contains(zone) {
            let deleted = try await ask("zones/modify", ["operations": [["operationType": "delete", "zone": id]]])
            try demand(deleted.zones.first?["serverErrorCode"] == "ZONE_NOT_FOUND", "\(deleted)")
        }
    }

    // MARK: - Links and subscriptions

    private func links() async throws {
        let all = rules.zones.flatMap { zone, content in content.shares.map { (zone: zone, name: $0, share: $1) } }
        let body = JSON.array(
            all.map { ["value": .string($0.share.guid), "shouldFetchRootRecord": true] } + [["value": "nothing"]])
        let answer = try await ask("records/resolve", ["shortGUIDs": body], in: "public")
        let results = answer.json["results"].array ?? []
        try demand(results.count == all.count + 1, "\(answer)")
        try demand(results.last?["serverErrorCode"] == "NOT_FOUND", "\(answer)")
        for (link, result) in zip(all, results) {
            let expected = rules.acceptance(person, link.share)
            try demand(
                result["participantStatus"].string == expected
                    && result["serverErrorCode"].string == (expected == nil ? "ACCESS_DENIED" : nil),
                "person \(person) resolves \(link.name), \(expected ?? "not for them"): \(result)")
            try checkPeople(in: result["share"], link.name, link.zone)
            guard expected == nil else { continue }
            // Nor does a link that is not for somebody let them in.
            let refused = try await ask(
                "records/accept", ["shortGUIDs": [["value": .string(link.share.guid)]]], in: "public")
            try demand(refused.json["results"][0]["serverErrorCode"] == "ACCESS_DENIED", "\(refused)")
        }
        for used in world.used where rules.zones[used.zone]?.shares[used.share]?.members[person] == nil && !isOwner {
            guard let share = rules.zones[used.zone]?.shares[used.share] else { continue }
            let refused = try await ask("records/accept", ["shortGUIDs": [["value": .string(used.guid)]]], in: "public")
            // It leads back who used it, as long as they are in, and then nobody anywhere.
            let isKept = share.members.values.contains { $0.link == used.guid }
            try demand(
                refused.json["results"][0]["serverErrorCode"] == (isKept ? "ACCESS_DENIED" : "NOT_FOUND"),
                "person \(person) used a one-time link again (\(share.root ?? "zone")): \(refused)")
        }
    }

    /// Who stands in a share record: all for who says who does; for others the owner and themselves.
    func checkPeople(in share: JSON, _ name: String, _ zone: String) throws {
        guard let participants = share["participants"].array else { return }
        // Who came or went last is not in it, either, nor which administrator changed it.
        try demand(
            rules.manages(person, name, in: zone)
                || share["modified"]["userRecordName"].string == world.people.name(LeakRules.owner),
            "person \(person) sees who changed \(name): \(share)")
        let names = Set(participants.compactMap { $0["userIdentity"]["userRecordName"].string })
        var allowed: Set = [world.people.name(LeakRules.owner), world.people.name(person)]
        if rules.manages(person, name, in: zone) {
            for (other, member) in rules.zones[zone]?.shares[name]?.members ?? [:] where member.hasAccepted {
                allowed.insert(world.people.name(other))
            }
            try demand(names.union([world.people.name(person)]) == allowed, "\(name) as a manager sees it: \(share)")
        }
        try demand(names.isSubset(of: allowed), "person \(person) sees who is in \(name): \(share)")
        let known = rules.manages(person, name, in: zone) ? rules.zones[zone]?.shares[name] : nil
        for (member, expected) in [("requesters", known?.requesters ?? []), ("blocked", known?.blocked ?? [])] {
            let names = (share[member].array ?? []).compactMap { $0["userRecordName"].string }
            try demand(
                names.sorted() == expected.map { world.people.name($0) }.sorted(),
                "person \(person) sees \(member) of \(name): \(share)")
        }
    }

    private func subscriptions() async throws {
        guard !isOwner else { return }
        let listed = try await ask("subscriptions/list", [:])
        let names = (listed.json["subscriptions"].array ?? []).compactMap { $0["subscriptionID"].string }
        try demand(names == ["ear\(person)"], "\(listed)")
        let other = person == 1 ? "ear2" : "ear1"
        let found = try await ask("subscriptions/lookup", ["subscriptions": [["subscriptionID": .string(other)]]])
        try demand(found.json["subscriptions"][0]["serverErrorCode"] == "NOT_FOUND", "\(found)")
        // Queries and zones of others cannot be watched, whether they are shared or not.
        for zone in world.zones {
            for watch in [Watch.zone("z", zone), Watch.query("q", "Item")] {
                let refused = try await ask(
                    "subscriptions/modify",
                    [
                        "operations": [
                            ["operationType": "create", "subscription": watch.merging(["zoneID": world.place(zone)])]
                        ]
                    ])
                try demand(refused.json["subscriptions"][0]["serverErrorCode"] == "BAD_REQUEST", "\(refused)")
            }
        }
    }

    /// The owner's zones are in no other database.
    private func otherDatabases() async throws {
        for zone in world.zones {
            let lookup: JSON = ["records": .array((rules.zones[zone]?.names ?? []).map { ["recordName": .string($0)] })]
            for scope in ["private", "public"] {
                let refused = try await ask("records/lookup", lookup.merging(["zoneID": world.place(zone)]), in: scope)
                try demand(refused.code == "BAD_REQUEST", "\(scope): \(refused)")
            }
            let own = try await ask(
                "records/lookup", lookup.merging(["zoneID": ["zoneName": .string(zone)]]), in: "private")
            try demand(own.records.allSatisfy { $0["serverErrorCode"] == "ZONE_NOT_FOUND" }, "\(own)")
        }
    }
}

/// What walks find out, beside that all is well.
final class LeakNotes: Sendable {
    /// An address that somebody was given for a file.
    struct Address: Sendable {
        let person: Int
        let zone: String
        let name: String
        let bytes: String
        let url: String
    }

    private struct State {
        var actions: Set<String> = []
        var standings: Set<LeakRules.Standing> = []
        var addresses: [String: Address] = [:]
        /// Tokens of zones' feeds, by person and zone.
        var tokens: [String: String] = [:]
        /// What was done once and is enough.
        var done: Set<String> = []
        /// Addresses of devices, by person.
        var devices: [Int: (token: String, address: String)] = [:]
    }

    private let state = Lock(State())

    var actions: Set<String> { state.withLock { $0.actions } }
    var standings: Set<LeakRules.Standing> { state.withLock { $0.standings } }

    /// Whether everybody was there, and these actions were tried.
    func covers(_ wanted: Set<String>) -> Bool {
        standings == Set(LeakRules.Standing.allCases) && actions.isSuperset(of: wanted)
    }

    func walked(_ action: String) { state.withLock { _ = $0.actions.insert(action) } }
    func met(_ standing: LeakRules.Standing) { state.withLock { _ = $0.standings.insert(standing) } }

    /// Whether something is asked for the first time.
    func isFirst(_ what: String) -> Bool { state.withLock { $0.done.insert(what).inserted } }

    func give(device token: String, _ address: String, to person: Int) {
        state.withLock { $0.devices[person] = (token, address) }
    }

    /// The devices of all others.
    func devices(besides person: Int) -> [(token: String, address: String)] {
        state.withLock { state in state.devices.filter { $0.key != person }.map(\.value) }
    }

    func give(_ address: Address) {
        state.withLock { $0.addresses["\(address.person) \(address.zone) \(address.name)"] = address }
    }

    func addresses(of person: Int) -> [Address] {
        state.withLock { state in state.addresses.values.filter { $0.person == person } }
    }

    func give(_ token: String, of zone: String, to person: Int) {
        state.withLock { $0.tokens["\(zone) \(person)"] = token }
    }

    /// A token that somebody else was given.
    func token(of zone: String, besides person: Int) -> String? {
        state.withLock { state in
            let others = state.tokens.filter { $0.key.hasPrefix(zone) && $0.key != "\(zone) \(person)" }
                .sorted { $0.key < $1.key }
            // By turns, so that participants try those of participants as well as the owner's.
            return (others.first { $0.key > "\(zone) \(person)" } ?? others.first)?.value
        }
    }
}
