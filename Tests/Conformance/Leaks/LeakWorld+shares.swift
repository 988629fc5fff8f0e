import StratusTestSupport

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
    /// - Parameter manager: who does it.
    func update(
        _ name: String, in zone: String, by manager: Int = LeakRules.owner, _ change: (inout [JSON]) -> Void
    ) async throws -> JSON {
        try await save(name, in: zone, by: manager) { share in
            var participants = (share["participants"].array ?? []).filter { $0["type"] != "OWNER" }
            change(&participants)
            return ["participants": .array(participants)]
        }
    }

    /// Saves a share with other members than it has.
    func save(
        _ name: String, in zone: String, by manager: Int, _ members: (JSON) -> JSON
    ) async throws -> JSON {
        let share = try await found(name, in: zone, by: manager)
        let saved = try await modify(Shares.update(share, members(share)), in: zone, by: manager)
        guard !saved["serverErrorCode"].isPresent else { throw LeakViolation("saving \(name) by \(manager): \(saved)") }
        return saved
    }

    /// A share as who manages it sees it.
    func found(_ name: String, in zone: String, by manager: Int) async throws -> JSON {
        if manager == LeakRules.owner { return try await owner.find(name, zone: zone) }
        let records = try await people.database("shared", of: manager).lookup([name], in: place(zone))
        guard let record = records.first, record.name == name else {
            throw LeakViolation("\(name) as \(manager) sees it: \(records)")
        }
        return record
    }

    /// Who says something about a person: the owner and the administrators, by turns.
    func manager(of share: LeakRules.Share, besides person: Int) -> Int {
        let administrators = share.members.filter {
            $0.key != person && $0.value.kind == .administrator && $0.value.hasAccepted
        }
        let all = [LeakRules.owner] + administrators.keys.sorted()
        return all[person % all.count]
    }

    func isEntry(of person: Int, _ participant: JSON) -> Bool {
        let identity = participant["userIdentity"]
        return identity["userRecordName"].string == people.name(person)
            || identity["lookupInfo"]["userRecordName"].string == people.name(person)
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
            // Only the owner appoints administrators.
            let manager = kind == .administrator ? LeakRules.owner : manager(of: share, besides: person)
            _ = try await update(name, in: zone, by: manager) { $0.append(invitation) }
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
        rules.zones[zone]?.shares[name]?.requesters.remove(person)
        tell([name], in: zone, before: before)
    }

    mutating func use(_ number: Int, by person: Int) async throws {
        guard let (zone, name, guid) = pickLink(number) else { return }
        guard let share = rules.zones[zone]?.shares[name], share.members[person] == nil else { return }
        let result = try await accept(guid, by: person)
        let allowed = !share.blocked.contains(person)
        try demand(
            (result["participantStatus"] == "ACCEPTED") == allowed, "using a one-time link by \(person): \(result)")
        guard allowed else { return }
        let before = rules
        rules.zones[zone]?.shares[name]?.members[person] = LeakRules.Member(
            kind: .guest, writes: share.oneTime[guid] ?? false, hasAccepted: true, link: guid)
        rules.zones[zone]?.shares[name]?.oneTime[guid] = nil
        rules.zones[zone]?.shares[name]?.requesters.remove(person)
        usedUp(guid, name, in: zone)
        tell([name], in: zone, before: before)
    }

    mutating func permit(_ person: Int, in number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), let member = share.members[person],
            [.user, .guest].contains(member.kind)
        else { return }
        let entry = { [self] in isEntry(of: person, $0) }
        let manager = manager(of: share, besides: person)
        _ = try await update(name, in: zone, by: manager) { participants in
            for index in participants.indices where entry(participants[index]) {
                participants[index]["permission"] = member.writes ? "READ_ONLY" : "READ_WRITE"
            }
        }
        rules.zones[zone]?.shares[name]?.members[person]?.writes.toggle()
        tell([name], in: zone, before: rules)
    }

    mutating func remove(_ person: Int, from number: Int) async throws {
        guard let (zone, name, share) = pickShare(number), let member = share.members[person] else { return }
        let entry = { [self] in isEntry(of: person, $0) }
        let manager = member.kind == .administrator ? LeakRules.owner : manager(of: share, besides: person)
        _ = try await update(name, in: zone, by: manager) { participants in participants.removeAll(where: entry) }
        let before = rules
        rules.takeOut(person, of: name, in: zone, isOwnWish: false)
        tell([name], in: zone, before: before)
    }

    mutating func open(_ number: Int, _ writes: Bool?) async throws {
        guard let (zone, name, share) = pickShare(number), share.open != writes else { return }
        let record = try await owner.find(name, zone: zone)
        let permission: JSON = .string(writes.map { $0 ? "READ_WRITE" : "READ_ONLY" } ?? "NONE")
        let answer = try await owner.modify([Shares.update(record, ["publicPermission": permission])], zone: zone)
        try demand(answer.records.first?["publicPermission"] == permission, "\(answer)")
        let before = rules
        rules.zones[zone]?.shares[name]?.open = writes
        for (person, member) in share.members {
            if member.kind == .publicUser {
                rules.zones[zone]?.shares[name]?.members[person]?.writes = writes == true
                if writes == nil { rules.takeOut(person, of: name, in: zone, isOwnWish: false) }
            } else if share.open == nil, !member.hasAccepted, member.kind == .user {
                // Whoever has the link needs no invitation any more.
                rules.takeOut(person, of: name, in: zone, isOwnWish: false)
            }
        }
        if share.open == nil { rules.zones[zone]?.shares[name]?.oneTime = [:] }
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
        rules.takeOut(person, of: name, in: zone, isOwnWish: true)
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
