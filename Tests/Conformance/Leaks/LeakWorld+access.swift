import StratusTestSupport

/// Steps about those who ask, those who are kept out, and those who say no.
extension LeakWorld {
    /// Lets people ask, or no longer.
    mutating func takeRequests(_ number: Int, _ person: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let manager = manager(of: share, besides: person)
        _ = try await save(name, in: zone, by: manager) { _ in ["denyAccessRequests": .bool(share.takesRequests)] }
        rules.zones[zone]?.shares[name]?.takesRequests.toggle()
        tell([name], in: zone, before: rules)
    }

    /// The same for every link.
    static func answerToAsking(_ guid: String) -> JSON {
        ["shortGUID": ["value": .string(guid), "shouldFetchRootRecord": false]]
    }

    /// The answer says nothing; what came of it is seen by who manages the share.
    mutating func ask(_ number: Int, by person: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let answer = try await people.database("public", of: person).link("requestAccess", share.guid)
        try demand(answer == Self.answerToAsking(share.guid), "asking says something: \(answer)")
        // Only who may not come in has to ask.
        guard share.takesRequests, rules.acceptance(person, share) == nil, !share.blocked.contains(person),
            !share.requesters.contains(person)
        else { return }
        rules.zones[zone]?.shares[name]?.requesters.insert(person)
        tell([name], in: zone, before: rules)
    }

    mutating func approve(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.open == nil, share.requesters.contains(person),
            share.members[person] == nil
        else { return }
        let entry: JSON = [
            "type": "USER", "permission": "READ_ONLY",
            "userIdentity": ["lookupInfo": ["userRecordName": .string(people.name(person))]],
        ]
        let manager = manager(of: share, besides: person)
        _ = try await update(name, in: zone, by: manager) { $0.append(entry) }
        let before = rules
        rules.zones[zone]?.shares[name]?.requesters.remove(person)
        rules.zones[zone]?.shares[name]?.members[person] = LeakRules.Member(
            kind: .user, writes: false, hasAccepted: false)
        tell([name], in: zone, before: before)
    }

    mutating func deny(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.requesters.contains(person) else { return }
        let user = people.name(person)
        _ = try await save(name, in: zone, by: manager(of: share, besides: person)) { share in
            ["requesters": .array((share["requesters"].array ?? []).filter { $0["userRecordName"].string != user })]
        }
        rules.zones[zone]?.shares[name]?.requesters.remove(person)
        tell([name], in: zone, before: rules)
    }

    mutating func block(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), !share.blocked.contains(person) else { return }
        let member = share.members[person]
        guard share.requesters.contains(person) || member?.hasAccepted == true else { return }
        let manager = member?.kind == .administrator ? LeakRules.owner : manager(of: share, besides: person)
        let entry: JSON = ["userRecordName": .string(people.name(person))]
        _ = try await save(name, in: zone, by: manager) { ["blocked": .array(($0["blocked"].array ?? []) + [entry])] }
        let before = rules
        rules.zones[zone]?.shares[name]?.blocked.insert(person)
        rules.zones[zone]?.shares[name]?.requesters.remove(person)
        if member?.hasAccepted == true { rules.takeOut(person, of: name, in: zone, isOwnWish: false) }
        tell([name], in: zone, before: before)
    }

    mutating func unblock(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.blocked.contains(person) else { return }
        let user = people.name(person)
        _ = try await save(name, in: zone, by: manager(of: share, besides: person)) { share in
            ["blocked": .array((share["blocked"].array ?? []).filter { $0["userRecordName"].string != user })]
        }
        rules.zones[zone]?.shares[name]?.blocked.remove(person)
        tell([name], in: zone, before: rules)
    }

    mutating func decline(_ number: Int, by person: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let result = try await people.database("public", of: person).link("decline", share.guid)
        guard rules.acceptance(person, share) != nil else {
            return try demand(result["serverErrorCode"] == "ACCESS_DENIED", "declining by \(person): \(result)")
        }
        guard share.members[person] != nil else {
            return try demand(result["serverErrorCode"] == "BAD_REQUEST", "declining by \(person): \(result)")
        }
        try demand(result["participantStatus"] == "REMOVED", "declining by \(person): \(result)")
        let before = rules
        rules.takeOut(person, of: name, in: zone, isOwnWish: true)
        tell([name], in: zone, before: before)
    }

    /// Sends an invitation. Nobody hears of it who is in the share.
    mutating func mail(_ person: Int, of number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.members[person]?.hasAccepted == false else { return }
        let manager = manager(of: share, besides: person)
        let entries = try await found(name, in: zone, by: manager)["participants"].array ?? []
        let address = people.email(person)
        guard let entry = entries.first(where: { $0["userIdentity"]["lookupInfo"]["emailAddress"].string == address })
        else { return }
        let answer = try await people.database("public", of: manager).post(
            "records/invite", ["shortGUID": .string(share.guid), "participantIds": [entry["participantId"]]])
        let expected = people.mayMail(person) ? 200 : 429
        try demand(answer.status == expected, "mail to \(person) by \(manager): \(answer)")
    }
}
