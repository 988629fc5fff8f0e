import TestSupport

/// Steps that change who takes part.
extension LeakWorld {
    mutating func share(_ number: Int?, in zone: String) async throws {
        let title = Unique.name("title")
        var name = "cloudkit.zoneshare"
        var operations: [JSON] = []
        let allowed: Bool
        let root = number.flatMap { record($0, zone) }
        if number != nil {
            guard let root else { return }
            name = Unique.name("Share")
            operations = [Change.forceUpdate("Item", root, [:]), Shares.create(name, for: root)]
            allowed = rules.isFree(root, in: zone)
        } else {
            operations = [Shares.create(name)]
            allowed = rules.zones[zone]?.shares.isEmpty == true
        }
        operations[operations.count - 1]["record"]["fields"] = ["cloudkit.title": ["value": .string(title)]]
        let answer = try await owner.modify(operations, zone: zone)
        let share = answer.records.last ?? .absent
        try demand(share["shortGUID"].isPresent == allowed, "sharing \(root ?? zone): \(answer)")
        guard allowed, let guid = share["shortGUID"].string else { return }
        rules.zones[zone]?.shares[name] = LeakRules.Share(root: root, guid: guid, title: title)
        made(name, in: zone)
    }

    /// Saves a share with other participants than it has.
    private func update(
        _ name: String, in zone: String, _ change: (inout [JSON]) -> Void
    ) async throws -> JSON {
        let share = try await owner.find(name, zone: zone)
        var participants = (share["participants"].array ?? []).filter { $0["type"] != "OWNER" }
        change(&participants)
        let answer = try await owner.modify(
            [Shares.update(share, ["participants": .array(participants)])], zone: zone)
        guard let saved = answer.records.first, !saved["serverErrorCode"].isPresent else {
            throw LeakViolation("saving \(name): \(answer)")
        }
        return saved
    }

    private func isEntry(of person: Int, _ participant: JSON) -> Bool {
        let identity = participant["userIdentity"]
        return identity["userRecordName"].string == people.name(person)
            || identity["lookupInfo"]["emailAddress"].string == people.email(person)
    }

    mutating func invite(_ person: Int, as kind: LeakStep.Invitation, to number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.open == nil, share.members[person] == nil else {
            return
        }
        let before = rules
        if kind == .oneTime {
            guard share.oneTime.count < 3 else { return }
            let writes = share.oneTime.isEmpty
            let saved = try await update(name, in: zone) {
                $0.append(["type": "USER", "permission": writes ? "READ_WRITE" : "READ_ONLY"])
            }
            let links = (saved["participants"].array ?? []).compactMap { $0["oneTimeShortGUID"].string }
            guard let link = links.first(where: { share.oneTime[$0] == nil }) else {
                throw LeakViolation("no one-time link: \(saved)")
            }
            rules.zones[zone]?.shares[name]?.oneTime[link] = writes
            offered(link, name, in: zone)
        } else {
            let invitation = Shares.invite(
                people.email(person), kind == .reader ? "READ_ONLY" : "READ_WRITE",
                as: kind == .administrator ? "ADMINISTRATOR" : "USER")
            _ = try await update(name, in: zone) { $0.append(invitation) }
            rules.zones[zone]?.shares[name]?.members[person] = LeakRules.Member(
                kind: kind == .administrator ? .administrator : .user, writes: kind != .reader, hasAccepted: false)
        }
        tell([name], in: zone, before: before)
    }

    private func accept(_ guid: String, by person: Int) async throws -> JSON {
        try await people.database("public", of: person).link("accept", guid)
    }

    mutating func accept(_ number: Int, by person: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let result = try await accept(share.guid, by: person)
        let allowed = rules.acceptance(person, share) != nil
        try demand((result["participantStatus"] == "ACCEPTED") == allowed, "accepting \(name) by \(person): \(result)")
        guard allowed, share.members[person]?.hasAccepted != true else { return }
        let before = rules
        let known = share.members[person]
        rules.zones[zone]?.shares[name]?.members[person] = LeakRules.Member(
            kind: known?.kind ?? .publicUser, writes: known?.writes ?? (share.open == true), hasAccepted: true)
        tell([name], in: zone, before: before)
    }

    mutating func use(_ number: Int, by person: Int) async throws {
        guard let (zone, name, guid) = pickLink(number) else { return }
        guard let share = rules.zones[zone]?.shares[name], share.members[person] == nil else { return }
        let result = try await accept(guid, by: person)
        try demand(result["participantStatus"] == "ACCEPTED", "using a one-time link by \(person): \(result)")
        let before = rules
        rules.zones[zone]?.shares[name]?.members[person] = LeakRules.Member(
            kind: .guest, writes: share.oneTime[guid] ?? false, hasAccepted: true)
        rules.zones[zone]?.shares[name]?.oneTime[guid] = nil
        usedUp(guid, name, in: zone)
        tell([name], in: zone, before: before)
    }

    mutating func permit(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), let member = share.members[person],
            [.user, .guest].contains(member.kind)
        else { return }
        let entry = { [self] in isEntry(of: person, $0) }
        _ = try await update(name, in: zone) { participants in
            for index in participants.indices where entry(participants[index]) {
                participants[index]["permission"] = member.writes ? "READ_ONLY" : "READ_WRITE"
            }
        }
        rules.zones[zone]?.shares[name]?.members[person]?.writes.toggle()
        tell([name], in: zone, before: rules)
    }

    mutating func remove(_ person: Int, from number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), share.members[person] != nil else { return }
        let entry = { [self] in isEntry(of: person, $0) }
        _ = try await update(name, in: zone) { participants in participants.removeAll(where: entry) }
        let before = rules
        rules.zones[zone]?.shares[name]?.members[person] = nil
        tell([name], in: zone, before: before)
    }

    mutating func open(_ number: Int, _ writes: Bool?) async throws {
        guard let (zone, name, share) = pickShare(number), share.open != writes else { return }
        let record = try await owner.find(name, zone: zone)
        let permission: JSON = .string(writes.map { $0 ? "READ_WRITE" : "READ_ONLY" } ?? "NONE")
        let answer = try await owner.modify([Shares.update(record, ["publicPermission": permission])], zone: zone)
        try demand(answer.records.first?["publicPermission"] == permission, "\(answer)")
        let before = rules
        var changed = share
        changed.open = writes
        for (person, member) in share.members {
            if member.kind == .publicUser {
                changed.members[person]?.writes = writes == true
                if writes == nil { changed.members[person] = nil }
            } else if share.open == nil, !member.hasAccepted, member.kind == .user {
                // Whoever has the link needs no invitation any more.
                changed.members[person] = nil
            }
        }
        if share.open == nil { changed.oneTime = [:] }
        rules.zones[zone]?.shares[name] = changed
        tell([name], in: zone, before: before)
    }

    mutating func leave(_ number: Int, by person: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let result = try await modify(Change.forceDelete(name), in: zone, by: person)
        // To who sees the zone, but not the share, there is nothing to delete.
        try demand(
            (result["deleted"] == true) == rules.seesZone(person, zone), "leaving \(name) by \(person): \(result)")
        guard share.members[person]?.hasAccepted == true else { return }
        let before = rules
        rules.zones[zone]?.shares[name]?.members[person] = nil
        tell([name], in: zone, before: before)
    }

    mutating func stop(_ number: Int) async throws {
        guard let (zone, name, share) = pickShare(number) else { return }
        let result = try await modify(Change.forceDelete(name), in: zone, by: LeakRules.owner)
        try demand(result["deleted"] == true, "stopping \(name): \(result)")
        let before = rules
        rules.zones[zone]?.shares[name] = nil
        ended(name, in: zone)
        tell([name] + (share.root.map { [$0] } ?? []), in: zone, before: before)
    }
}
