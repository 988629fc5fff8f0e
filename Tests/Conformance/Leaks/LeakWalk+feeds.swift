import StratusTestSupport

/// Feeds from their beginning, and files.
extension LeakWalk {
    func changes(_ zone: String) async throws {
        let place = world.place(zone)
        let expected: Set<String>? = rules.seesZone(person, zone) ? rules.visible(to: person, in: zone) : nil
        let page = try await ask("changes/zone", ["zones": [["zoneID": place]], "resultsLimit": 200])
        try check(page.zones.first ?? .absent, expected, zone)
        if let token = page.zones.first?["syncToken"].string { notes.give(token, of: zone, to: person) }
        let former = try await ask("records/changes", ["zoneID": place, "resultsLimit": 200])
        try check(former.json, expected, zone)
        // The feed of public databases is none of the person's own.
        let open = try await ask("changes/records", ["resultsLimit": 200])
        try demand(open.code == "BAD_REQUEST", "person \(person) follows all records: \(open)")
        // Somebody else's token is nothing, wherever it is used.
        guard let stolen = notes.token(of: zone, besides: person) else { return }
        for zone in [place, world.place("Never")] {
            let foreign = try await ask("changes/zone", ["zones": [["zoneID": zone, "syncToken": .string(stolen)]]])
            let item = foreign.zones.first ?? .absent
            try demand(
                item["serverErrorCode"] == "BAD_REQUEST" && item["extensionErrorCode"] == "CHANGE_TOKEN_EXPIRED",
                "person \(person), a foreign token: \(foreign)")
        }
    }

    private func check(_ page: JSON, _ expected: Set<String>?, _ zone: String) throws {
        guard let expected else {
            return try demand(page["serverErrorCode"] == "ZONE_NOT_FOUND", "person \(person) follows \(zone): \(page)")
        }
        let records = page.records
        try demand(
            page["moreComing"] == false && Set(records.map(\.name)) == expected, "person \(person) follows: \(page)")
        for record in records {
            let name = record.name
            if !isOwner, rules.isRoot(name, in: zone), !rules.isWhole(zone) {
                try demand(!record["parent"].isPresent, "the parent of a root: \(record)")
            }
            if rules.zones[zone]?.shares[name] != nil { try checkPeople(in: record, name, zone) }
        }
    }

    // MARK: - Files

    func assets(_ zone: String) async throws {
        let content = rules.zones[zone]
        func upload(_ name: String) async throws -> String? {
            let answer = try await ask(
                "assets/upload",
                [
                    "tokens": [["recordType": "Item", "recordName": .string(name), "fieldName": "file"]],
                    "zoneID": world.place(zone),
                ])
            return answer.code ?? answer.json["tokens"][0]["serverErrorCode"].string
        }
        let expected =
            rules.writesZone(person, zone) ? nil : rules.seesZone(person, zone) ? "ACCESS_DENIED" : "ZONE_NOT_FOUND"
        let refused = try await upload("never")
        try demand(refused == expected, "person \(person) uploads to \(zone): \(refused ?? "-")")
        guard !isOwner else { return }
        if let hidden = content?.items.keys.sorted().first(where: { !rules.sees(person, $0, in: zone) }) {
            let other = try await upload(hidden)
            try demand(other == refused, "person \(person) uploads to what they do not see: \(other ?? "-")")
        }
        for (name, item) in content?.items ?? [:] where item.file != nil && !rules.sees(person, name, in: zone) {
            func rereference(_ name: String) async throws -> String? {
                let answer = try await ask(
                    "assets/rereference",
                    [
                        "assets": [["recordName": .string(name), "fieldName": "file"]], "zoneID": world.place(zone),
                        "targetZoneID": world.place(zone),
                    ])
                return answer.code ?? answer.json["assets"][0]["serverErrorCode"].string
            }
            let code = try await rereference(name)
            let never = try await rereference("never")
            try demand(code != nil && code == never, "person \(person) refers to the file of \(name): \(code ?? "-")")
        }
    }

    /// Addresses that were given before serve those who still see the record, and nobody else.
    func addresses() async throws {
        for address in notes.addresses(of: person) {
            let item = rules.zones[address.zone]?.items[address.name]
            let serves = item?.file == address.bytes && rules.sees(person, address.name, in: address.zone)
            let answer = try await Database.transfer("GET", address.url)
            let text = String(decoding: answer.body, as: UTF8.self)
            if serves {
                try demand(
                    answer.status == 200 && text == address.bytes, "the file of \(address.name): \(answer.status)")
            } else {
                try demand(
                    answer.status != 200 && !text.contains(address.bytes),
                    "person \(person) still fetches the file of \(address.name): \(answer.status)")
            }
        }
    }
}
