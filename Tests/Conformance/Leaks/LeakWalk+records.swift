import StratusTestSupport

/// Records, by name, by query and in what cannot be done to them.
extension LeakWalk {
    private func names(_ zone: String) -> [String] { (rules.zones[zone]?.names ?? []) + ["never"] }

    private func outcome(_ act: LeakTable.Act, _ name: String, _ zone: String) -> String? {
        // The owner has no such record, which nobody else can tell from one that they do not see.
        if isOwner, name == "never" { return act == .makeOver ? nil : "NOT_FOUND" }
        return rules.outcome(act, person, name, in: zone)
    }

    func lookups(_ zone: String) async throws {
        let names = names(zone)
        let items = JSON.array(names.map { ["recordName": .string($0)] })
        let answer = try await ask("records/lookup", ["records": items, "zoneID": world.place(zone)])
        try demand(answer.records.count == names.count, "\(answer)")
        for (name, record) in zip(names, answer.records) {
            notes.met(rules.standing(person, name, in: zone, former: world.former[person].contains(zone)))
            let expected = outcome(.lookUp, name, zone)
            try demand(
                record["serverErrorCode"].string == expected && (expected != nil || record.name == name),
                "person \(person) looks \(name) up, \(expected ?? "seen"): \(record)")
            guard expected == nil else { continue }
            try check(record, name, zone)
        }
        // Keys that nobody may ask for are not there.
        let keys = try await ask(
            "records/lookup",
            [
                "records": items, "zoneID": world.place(zone),
                "desiredKeys": ["cloudkit.title", "___parent", "___share", "parent", "participants", "nothing"],
            ])
        for (name, record) in zip(names, keys.records) where outcome(.lookUp, name, zone) == nil {
            let fields = Set(record["fields"].object?.keys.map { $0 } ?? [])
            try demand(fields.isSubset(of: ["cloudkit.title"]), "person \(person) gets keys: \(record)")
        }
    }

    /// A record as the person sees it.
    private func check(_ record: JSON, _ name: String, _ zone: String) throws {
        if let item = rules.zones[zone]?.items[name] {
            try demand(record.value("title").string == item.secret, "\(name): \(record)")
            let hidesParent = !isOwner && rules.isRoot(name, in: zone) && !rules.isWhole(zone)
            try demand(
                record["parent"]["recordName"].string == (hidesParent ? nil : item.parent),
                "person \(person) sees what is above \(name): \(record)")
            if let bytes = item.file, let url = record.value("file")["downloadURL"].string {
                notes.give(LeakNotes.Address(person: person, zone: zone, name: name, bytes: bytes, url: url))
            }
        } else if let share = rules.zones[zone]?.shares[name] {
            try demand(record.value("cloudkit.title").string == share.title, "\(name): \(record)")
            try demand(record["participants"].array != nil, "\(name): \(record)")
            try checkPeople(in: record, name, zone)
        }
    }

    // MARK: - Queries

    private func query(_ zone: String, filters: [JSON], sorts: [JSON] = [], limit: Int = 50) async throws -> [JSON]? {
        var found: [JSON] = []
        var marker: JSON = .absent
        var turns = PageTurns()
        while true {
            var query: JSON = ["recordType": "Item", "filterBy": .array(filters)]
            if !sorts.isEmpty { query["sortBy"] = .array(sorts) }
            var body: JSON = ["query": query, "zoneID": world.place(zone), "resultsLimit": .int(limit)]
            body["continuationMarker"] = marker
            let answer = try await ask("records/query", body)
            guard answer.status == 200 else {
                try demand(answer.code == "ZONE_NOT_FOUND", "\(answer)")
                return nil
            }
            marker = answer.json["continuationMarker"]
            // A page that is not full, but is followed by another, would tell of records that are not shown.
            try demand(!marker.isPresent || answer.records.count == limit, "\(answer)")
            found += answer.records
            guard marker.isPresent else { return found }
            try turns.turn(to: marker.string)
        }
    }

    func queries(_ zone: String) async throws {
        let items = rules.zones[zone]?.items ?? [:]
        let all = Condition.filter("kind", "EQUALS", "all")
        let expected = Set(items.keys.filter { rules.sees(person, $0, in: zone) })
        for (sorts, limit) in [([], 2), ([Condition.sort("title")], 50)] {
            let found = try await query(zone, filters: [all], sorts: sorts, limit: limit)
            try demand((found == nil) == !rules.seesZone(person, zone), "person \(person) asks for \(zone)")
            try demand(Set((found ?? []).map(\.name)) == expected, "person \(person) in \(zone): \(found ?? [])")
            try demand((found ?? []).count == expected.count, "twice: \(found ?? [])")
        }
        guard !isOwner, rules.seesZone(person, zone) else { return }
        for (name, item) in items where !rules.sees(person, name, in: zone) {
            // Neither content nor place of what is not seen can be guessed and confirmed.
            let guesses = [
                Condition.filter("title", "EQUALS", .string(item.secret)),
                Condition.filter("title", "BEGINS_WITH", .string(String(item.secret.prefix(20)))),
                [
                    "systemFieldName": "___parent", "comparator": "EQUALS",
                    "fieldValue": ["value": ["recordName": .string(name), "action": "VALIDATE"], "type": "REFERENCE"],
                ],
            ]
            for guess in guesses {
                let found = try await query(zone, filters: [guess]) ?? []
                try demand(found.isEmpty, "person \(person) finds out about \(name) by \(guess): \(found)")
            }
        }
        let everywhere = try await ask("records/query", ["query": ["recordType": "Item"], "zoneWide": true])
        try demand(everywhere.records.isEmpty, "\(everywhere)")
    }

    // MARK: - Writes that come to nothing

    private func modify(_ operations: [JSON], _ zone: String) async throws -> [JSON] {
        let answer = try await ask(
            "records/modify",
            ["operations": .array(operations), "zoneID": world.place(zone), "atomic": false])
        try demand(answer.records.count == operations.count, "\(answer)")
        return answer.records
    }

    func refusedWrites(_ zone: String) async throws {
        let names = names(zone).filter { !isOwner || $0 != "never" }
        func expect(_ act: LeakTable.Act, _ operations: [JSON]) async throws {
            for (name, item) in zip(names, try await modify(operations, zone)) {
                let expected = outcome(act, name, zone)
                try demand(
                    item["serverErrorCode"].string == expected,
                    "person \(person) tries to \(act) \(name), \(expected ?? "done"): \(item)")
                guard item["serverRecord"].isPresent else { continue }
                try demand(rules.sees(person, name, in: zone), "\(item)")
                if !isOwner, rules.isRoot(name, in: zone), !rules.isWhole(zone) {
                    try demand(!item["serverRecord"]["parent"].isPresent, "the parent of a root: \(item)")
                }
                try checkPeople(in: item["serverRecord"], name, zone)
            }
        }
        try await expect(.change, names.map { Change.make("update", $0, tag: "?", [:]) })
        try await expect(.delete, names.map { Change.make("delete", $0, tag: "?") })
        // What may be made under a name that is free is made in steps.
        let taken = names.filter { $0 != "never" }
        for (name, item) in zip(taken, try await modify(taken.map { Change.create("Item", $0) }, zone)) {
            let expected = outcome(.makeOver, name, zone)
            try demand(
                item["serverErrorCode"].string == expected, "person \(person) makes \(name), \(expected ?? ""): \(item)"
            )
        }
        guard !isOwner else { return }
        // To who sees the zone, what they do not see is deleted as what never was.
        let hidden = names.filter { !rules.sees(person, $0, in: zone) }
        for item in try await modify(hidden.map { Change.forceDelete($0) }, zone) {
            let isDeleted = item["deleted"] == true
            try demand(isDeleted == rules.seesZone(person, zone), "person \(person) deletes: \(item)")
        }
        try await manage(zone)
        try await hang(zone)
    }

    /// Changes of share records with the right tag, by those who may not.
    private func manage(_ zone: String) async throws {
        for (name, share) in rules.zones[zone]?.shares ?? [:]
        where rules.sees(person, name, in: zone) && !rules.manages(person, name, in: zone) {
            let found = try await ask(
                "records/lookup", ["records": [["recordName": .string(name)]], "zoneID": world.place(zone)])
            guard let record = found.records.first else { throw LeakViolation("\(found)") }
            let changes: [JSON] = [
                ["publicPermission": share.open == true ? "READ_ONLY" : "READ_WRITE"],
                ["participants": [Shares.invite("eve@example.org")]], ["denyAccessRequests": false],
            ]
            for change in changes {
                let item = try await modify([Shares.update(record, change)], zone)[0]
                try demand(item["serverErrorCode"] == "ACCESS_DENIED", "person \(person) manages \(name): \(item)")
            }
        }
    }

    /// Records below what is not seen, beside what is shared, and out of it.
    private func hang(_ zone: String) async throws {
        let content = rules.zones[zone]
        let hidden = content?.items.keys.sorted().first { !rules.sees(person, $0, in: zone) }
        var operations = [Change.create("cloudkit.share", "Share-\(person)")]
        operations[0]["record"]["forRecord"] = ["recordName": .string(content?.items.keys.min() ?? "never")]
        if let hidden { operations.append(Shares.child("child-\(person)", of: hidden)) }
        if !rules.isWhole(zone) { operations.append(Change.create("Item", "alone-\(person)")) }
        // A record that is seen goes nowhere else, whoever may write it.
        let seen = content?.items.keys.sorted().first { rules.sees(person, $0, in: zone) }
        if let seen, let hidden { operations.append(Shares.child(seen, of: hidden)) }
        for item in try await modify(operations, zone) {
            try demand(
                ["ACCESS_DENIED", "ZONE_NOT_FOUND"].contains(item["serverErrorCode"].string),
                "person \(person) in \(zone): \(item)")
        }
    }
}
