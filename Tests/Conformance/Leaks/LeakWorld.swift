import StratusTestSupport

/// A history in a running server, and beside it what the rules say of it.
struct LeakWorld: Sendable {
    let people: LeakPeople
    /// The zones that may be shared, and one that never is.
    let zones: [String]
    var rules = LeakRules()
    /// Records, shares and one-time links in the order in which they were made: their names are others each time, and a
    /// history must be the same when it comes again.
    private(set) var records: [String: [String]] = [:]
    private(set) var shares: [(zone: String, name: String)] = []
    private(set) var links: [(zone: String, share: String, guid: String)] = []
    /// Names that a person could once see: that these are gone is no secret.
    private(set) var witnessed = Array(repeating: Set<String>(), count: LeakPlan.people)
    /// Zones that a person was in.
    private(set) var former = Array(repeating: Set<String>(), count: LeakPlan.people)
    /// Zones of which a person must hear.
    var told: [Int: Set<String>] = [:]
    /// One-time links that were used, with who used them.
    private(set) var used: [(guid: String, zone: String, share: String)] = []

    init(_ people: LeakPeople) async throws {
        self.people = people
        let owner = people.database("private", of: LeakRules.owner)
        var zones: [String] = []
        for _ in 0...LeakPlan.sharedZones { zones.append(try await owner.makeZone("Leak")) }
        self.zones = zones
        for zone in zones { rules.zones[zone] = LeakRules.Zone() }
        // What is never shared.
        try await create(in: zones[LeakPlan.sharedZones], below: nil, by: LeakRules.owner, file: true, mention: nil)
    }

    var owner: Database { people.database("private", of: LeakRules.owner) }

    /// The zone as participants name it.
    func place(_ zone: String) -> JSON {
        ["zoneName": .string(zone), "ownerRecordName": .string(people.name(LeakRules.owner))]
    }

    /// Takes everything away.
    func remove() async throws {
        for zone in zones { _ = try await owner.zone("delete", zone) }
    }

    // MARK: - Steps

    mutating func carryOut(_ step: LeakStep) async throws {
        do {
            try await perform(step)
        } catch let violation as LeakViolation {
            throw LeakViolation("\(step): \(violation)")
        }
        for person in 1..<LeakPlan.people {
            for zone in zones where rules.seesZone(person, zone) {
                former[person].insert(zone)
                witnessed[person].insert(zone)
                for name in rules.visible(to: person, in: zone) {
                    witnessed[person].insert(name)
                    if let mention = rules.zones[zone]?.items[name]?.mentions { witnessed[person].insert(mention) }
                }
            }
        }
    }

    private mutating func perform(_ step: LeakStep) async throws {
        switch step {
        case .create(let zone, let parent, let by, let file, let mention):
            let zone = zones[zone]
            try await create(
                in: zone, below: parent.flatMap { record($0, zone) }, by: by, file: file,
                mention: mention.flatMap { record($0, zone) })
        case .edit(let zone, let record, let by): try await edit(record, in: zones[zone], by: by)
        case .move(let zone, let record, let parent): try await move(record, below: parent, in: zones[zone])
        case .delete(let zone, let record): try await delete(record, in: zones[zone])
        case .share(let zone, let record): try await share(record, in: zones[zone])
        case .invite(let share, let person, let kind): try await invite(person, as: kind, to: share)
        case .accept(let share, let person): try await accept(share, by: person)
        case .use(let link, let person): try await use(link, by: person)
        case .permit(let share, let person): try await permit(person, in: share)
        case .remove(let share, let person): try await remove(person, from: share)
        case .open(let share, let writes): try await open(share, writes)
        case .leave(let share, let person): try await leave(share, by: person)
        case .stop(let share): try await stop(share)
        case .takeRequests(let share, let person): try await takeRequests(share, person)
        case .ask(let share, let person): try await ask(share, by: person)
        case .approve(let share, let person): try await approve(person, in: share)
        case .deny(let share, let person): try await deny(person, in: share)
        case .block(let share, let person): try await block(person, in: share)
        case .unblock(let share, let person): try await unblock(person, in: share)
        case .decline(let share, let person): try await decline(share, by: person)
        case .mail(let share, let person): try await mail(person, of: share)
        case .keys(let share): try await writeKeys(of: share)
        case .prove(let share, let person): try await prove(share, by: person)
        }
    }

    func record(_ number: Int, _ zone: String) -> String? {
        let names = (records[zone] ?? []).filter { rules.zones[zone]?.items[$0] != nil }
        return names.isEmpty ? nil : names[number % names.count]
    }

    func pickShare(_ number: Int) -> (zone: String, name: String, share: LeakRules.Share)? {
        guard !shares.isEmpty else { return nil }
        let (zone, name) = shares[number % shares.count]
        return rules.zones[zone]?.shares[name].map { (zone, name, $0) }
    }

    /// One of the one-time links that nobody has used.
    func pickLink(_ number: Int) -> (zone: String, share: String, guid: String)? {
        let open = links.filter { rules.zones[$0.zone]?.shares[$0.share]?.oneTime[$0.guid] != nil }
        return open.isEmpty ? nil : open[number % open.count]
    }

    mutating func added(_ record: String, to zone: String) { records[zone, default: []].append(record) }
    mutating func offered(_ guid: String, _ share: String, in zone: String) { links.append((zone, share, guid)) }
    mutating func made(_ share: String, in zone: String) { shares.append((zone, share)) }
    mutating func ended(_ share: String, in zone: String) { shares.removeAll { $0 == (zone, share) } }
    mutating func usedUp(_ guid: String, _ share: String, in zone: String) { used.append((guid, zone, share)) }

    /// Notes who must hear of a change of some records.
    mutating func tell(_ names: [String], in zone: String, before: LeakRules) {
        // What came in or left is told in both shares, to those who are there and to those who were.
        let shares = names.flatMap { [before.share(of: $0, in: zone), rules.share(of: $0, in: zone)] }.compactMap(
            \.self)
        for share in shares {
            for person in 1..<LeakPlan.people
            where before.member(person, share, in: zone) != nil || rules.member(person, share, in: zone) != nil {
                told[person, default: []].insert(zone)
            }
        }
    }

    // MARK: - What nobody else may see

    /// What must not stand in what a person is answered, with what it is.
    /// - Parameters:
    ///   - sent: what the person said themselves.
    ///   - visiting: whether the person looks at links: whoever one is for sees what is shared before they come in.
    func secrets(from person: Int, sent: String, visiting: Bool = false) -> [(text: String, what: String)] {
        var secrets: [(String, String)] = []
        func add(_ text: String?, _ what: String) {
            if let text, !sent.contains(text), !witnessed[person].contains(text) { secrets.append((text, what)) }
        }
        for (zone, content) in rules.zones {
            let invitations = visiting ? content.shares.values.filter { rules.acceptance(person, $0) != nil } : []
            let roots = Set(invitations.compactMap(\.root))
            let mentions = Set(roots.compactMap { content.items[$0]?.mentions })
            if !rules.seesZone(person, zone), invitations.isEmpty { add(zone, "zone \(zone)") }
            for (name, item) in content.items where !rules.sees(person, name, in: zone) && !roots.contains(name) {
                if mentions.contains(name) {
                    secrets.append((item.secret, "\(name)'s content"))
                    continue
                }
                add(name, "the name of \(name)")
                secrets.append((item.secret, "\(name)'s content"))
                if let file = item.file { secrets.append((file, "\(name)'s file")) }
            }
            for (name, share) in content.shares {
                let isIn = rules.acceptance(person, share) != nil
                if !isIn { add(share.title, "the title of \(name)") }
                if !isIn { add(share.guid, "the link of \(name)") }
                if rules.member(person, name, in: zone) == nil { add(share.keys.envelope, "the keys of \(name)") }
                if person != LeakRules.owner {
                    for (kept, what) in [(share.keys.handovers, "handover"), (share.keys.proofs, "proof")] {
                        for (other, text) in kept where other != person { add(text, "\(other)'s \(what) of \(name)") }
                    }
                }
                guard !rules.manages(person, name, in: zone) else { continue }
                for guid in share.oneTime.keys { add(guid, "a one-time link of \(name)") }
            }
        }
        if person != LeakRules.owner { for (text, what) in people.files.secrets { add(text, what) } }
        for other in 1..<LeakPlan.people where other != person && !managesWhereInvited(person, other) {
            add(people.email(other), "the address of person \(other)")
        }
        return secrets
    }

    /// Whether somebody sees whom an owner invited.
    private func managesWhereInvited(_ person: Int, _ other: Int) -> Bool {
        person == LeakRules.owner
            || rules.zones.contains { zone, content in
                content.shares.contains { $0.value.members[other] != nil && rules.manages(person, $0.key, in: zone) }
            }
    }
}
