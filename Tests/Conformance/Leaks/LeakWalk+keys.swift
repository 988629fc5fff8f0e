import StratusTestSupport

/// What is kept with shares for encrypted values.
extension LeakWalk {
    /// Who reads what of it:
    ///
    /// | | owner | in the share | in another share of the zone | outside |
    /// |---|---|---|---|---|
    /// | to which share a record belongs | yes | of that share | no | ZONE_NOT_FOUND |
    /// | tag, state, keys | yes | yes | no | |
    /// | proofs and handovers | all | their own | none | |
    func keys(_ zone: String) async throws {
        let content = rules.zones[zone]
        let names = (content?.names ?? []) + ["never"]
        let answer = try await ask(
            "records/shares", ["zoneID": world.place(zone), "recordNames": .strings(names)])
        guard rules.seesZone(person, zone) else {
            return try demand(answer.code == "ZONE_NOT_FOUND", "person \(person) asks for shares: \(answer)")
        }
        var expected: [String: String] = [:]
        for name in names where rules.isWhole(zone) || rules.sees(person, name, in: zone) {
            // All of a zone that is shared as a whole belongs to its share, also what is not there yet.
            if let share = rules.share(of: name, in: zone) { expected[name] = share }
        }
        var told: [String: String] = [:]
        for record in answer.json["records"].array ?? [] { told[record.name] = record["shareName"].string }
        try demand(told == expected, "person \(person) is told \(told), not \(expected)")
        let shares = answer.json["shares"].array ?? []
        try demand(
            shares.compactMap { $0["shareName"].string }.sorted() == Set(expected.values).sorted(),
            "person \(person) is told of shares: \(answer)")
        for share in shares {
            guard let name = share["shareName"].string, let known = content?.shares[name] else { continue }
            try demand(
                share["keyTag"].string == known.keys.tag && share["state"].string == known.keys.state
                    && share["keys"].string == known.keys.envelope,
                "person \(person) reads keys of \(name), \(known.keys): \(share)")
            try checkMembers(of: share, known)
        }
    }

    private func checkMembers(of share: JSON, _ known: LeakRules.Share) throws {
        var told: [String: [String?]] = [:]
        var links: Set<String> = []
        for member in share["members"].array ?? [] {
            if let link = member["oneTimeShortGUID"].string { links.insert(link) }
            guard let user = member["userRecordName"].string else { continue }
            told[user] = [member["proof"].string, member["handover"].string]
        }
        let shown: Set<Int> =
            isOwner ? Set(known.keys.proofs.keys).union(known.keys.handovers.keys) : [person]
        var expected: [String: [String?]] = [:]
        for other in shown {
            expected[world.people.name(other)] = [known.keys.proofs[other], known.keys.handovers[other]]
        }
        try demand(
            told == expected && links == (isOwner ? Set(known.oneTime.keys) : []),
            "person \(person) sees who has keys: \(share)")
    }

    // MARK: - Writes that come to nothing

    func refusedKeys(_ zone: String) async throws {
        for name in Array((rules.zones[zone]?.shares ?? [:]).keys) + ["never"] {
            let isThere = rules.zones[zone]?.shares[name] != nil
            let outside =
                !rules.seesZone(person, zone)
                ? "ZONE_NOT_FOUND"
                : isThere && (isOwner || rules.member(person, name, in: zone) != nil) ? nil : "NOT_FOUND"
            func write(_ members: JSON) async throws -> String? {
                let body: JSON = ["zoneID": world.place(zone), "shareName": .string(name)]
                return try await ask("records/shareKeys", body.merging(members)).code
            }
            let keys = try await write(["keys": "AAAA", "keyTag": "?"])
            try demand(
                keys == outside ?? (isOwner ? "CONFLICT" : "ACCESS_DENIED"),
                "person \(person) writes keys of \(name): \(keys ?? "done")")
            guard outside != nil || isOwner else {
                // Nor over the right tag.
                let tag = rules.zones[zone]?.shares[name]?.keys.tag ?? ""
                let right = try await write(["keys": "AAAA", "keyTag": .string(tag)])
                try demand(right == "ACCESS_DENIED", "person \(person) writes keys of \(name): \(right ?? "done")")
                continue
            }
            let proof = try await write(["proof": "AAAA"])
            try demand(
                proof == outside ?? "ACCESS_DENIED", "person \(person) proves a key of \(name): \(proof ?? "done")")
            guard isOwner, let known = rules.zones[zone]?.shares[name] else { continue }
            let stranger = try await write([
                "keys": "AAAA", "keyTag": .string(known.keys.tag),
                "handovers": [["participantId": "nobody", "handover": "AAAA"]],
            ])
            try demand(stranger == "NOT_FOUND", "a handover to nobody: \(stranger ?? "done")")
        }
    }
}
