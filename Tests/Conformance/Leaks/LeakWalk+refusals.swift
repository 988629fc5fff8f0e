import StratusTestSupport

/// What may not be done with links, and what only owners may do.
extension LeakWalk {
    /// | with the link of a share | owner | administrator | in | invited | open to everybody | not for them |
    /// |---|---|---|---|---|---|---|
    /// | decline | BAD_REQUEST | done | done | done | BAD_REQUEST | ACCESS_DENIED |
    /// | send mail to nobody of it | BAD_REQUEST | BAD_REQUEST | ACCESS_DENIED, for all the others | | | |
    /// | ask for access | the same answer for everybody | | | | | |
    func refusedLinks() async throws {
        for (zone, content) in rules.zones {
            for (name, share) in content.shares {
                if isOwner || share.members[person] == nil || share.blocked.contains(person) {
                    let expected = rules.acceptance(person, share) == nil ? "ACCESS_DENIED" : "BAD_REQUEST"
                    let code = try await link("decline", share.guid)["serverErrorCode"]
                    try demand(code == .string(expected), "person \(person) declines \(name): \(code)")
                }
                let code = try await invite(share.guid)
                try demand(
                    code == (rules.manages(person, name, in: zone) ? "BAD_REQUEST" : "ACCESS_DENIED"),
                    "person \(person) sends mail for \(name): \(code ?? "done")")
                // Where it changes something it is a step.
                guard
                    rules.acceptance(person, share) != nil || !share.takesRequests || share.blocked.contains(person)
                        || share.requesters.contains(person)
                else { continue }
                let asked = try await link("requestAccess", share.guid)
                try demand(
                    asked == LeakWorld.answerToAsking(share.guid),
                    "person \(person) asks for \(name): \(asked)")
            }
        }
        let declined = try await link("decline", "nothing")["serverErrorCode"]
        let invited = try await invite("nothing")
        let asked = try await link("requestAccess", "nothing")
        try demand(
            declined == "NOT_FOUND" && invited == "NOT_FOUND" && asked == LeakWorld.answerToAsking("nothing"),
            "a link to nothing: \(declined) \(invited ?? "") \(asked)")
    }

    /// Who was invited and has not come hears of it, and nobody else: not who has a link for everybody, nor who was kept out.
    func invitations() async throws {
        let answer = try await ask("records/invitations", [:], in: "public")
        let results = answer.json["results"].array ?? []
        var expected: [String] = []
        for (zone, content) in rules.zones {
            for (name, share) in content.shares where share.members[person]?.hasAccepted == false {
                if share.blocked.contains(person) { continue }
                expected.append(share.guid)
                let result = results.first { $0["shortGUID"]["value"].string == share.guid } ?? .absent
                try demand(result["participantStatus"] == "INVITED", "person \(person) is invited: \(answer)")
                try checkPeople(in: result["share"], name, zone)
            }
        }
        try demand(
            results.compactMap { $0["shortGUID"]["value"].string }.sorted() == expected.sorted(),
            "person \(person) is told of invitations, not \(expected): \(answer)")
    }

    private func link(_ action: String, _ guid: String) async throws -> JSON {
        try await ask("records/\(action)", ["shortGUIDs": [["value": .string(guid)]]], in: "public").json["results"][0]
    }

    private func invite(_ guid: String) async throws -> String? {
        try await ask("records/invite", ["shortGUID": .string(guid), "participantIds": ["nobody"]], in: "public").code
    }

    // MARK: - Administrators

    /// An administrator says who takes part, but neither appoints nor dismisses administrators, nor makes owners of anybody.
    func refusedByAdministrators(_ zone: String) async throws {
        for (name, share) in rules.zones[zone]?.shares ?? [:]
        where rules.member(person, name, in: zone)?.kind == .administrator {
            let record = try await world.found(name, in: zone, by: person)
            let all = (record["participants"].array ?? []).filter { $0["type"] != "OWNER" }
            var attempts: [[JSON]] = []
            if share.open == nil {
                attempts.append(all + [Shares.invite("eve@example.org", as: "ADMINISTRATOR")])
            }
            for (index, entry) in all.enumerated() where !["PUBLIC_USER"].contains(entry["type"].string) {
                let isAdministrator = entry["type"] == "ADMINISTRATOR"
                var changed = all
                changed[index]["type"] = isAdministrator ? "USER" : "ADMINISTRATOR"
                attempts.append(changed)
                guard isAdministrator else { continue }
                changed = all
                changed[index]["permission"] = entry["permission"] == "READ_WRITE" ? "READ_ONLY" : "READ_WRITE"
                attempts.append(changed)
                attempts.append(all.filter { $0["participantId"] != entry["participantId"] })
            }
            for participants in attempts {
                try await refuse(record, ["participants": .array(participants)], zone)
            }
            for (other, member) in share.members where member.kind == .administrator && member.hasAccepted {
                let entry: JSON = ["userRecordName": .string(world.people.name(other))]
                try await refuse(record, ["blocked": .array((record["blocked"].array ?? []) + [entry])], zone)
            }
        }
    }

    private func refuse(_ share: JSON, _ members: JSON, _ zone: String) async throws {
        let answer = try await ask(
            "records/modify",
            ["operations": [Shares.update(share, members)], "zoneID": world.place(zone), "atomic": false])
        try demand(
            answer.records.first?["serverErrorCode"] == "ACCESS_DENIED",
            "administrator \(person) changes what is the owner's by \(members.text): \(answer)")
    }
}
