import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

/// A cloud in which people share, and beside it what the rules say of it.
struct ShareWorld {
    let cloud: TestCloud
    var oracle = ShareOracle()
    let owner: Caller
    let people: [Caller]
    var random: SeededRandom
    private var count = 0

    static let zones = ["One", "Two", "Kept"]

    init(seed: UInt64, _ engine: Engine = .memory) async throws {
        cloud = try await TestCloud(engine)
        owner = cloud.user("a")
        people = "bcdef".map { [cloud] in cloud.user($0) }
        random = SeededRandom(seed: seed)
        for zone in Self.zones {
            try await cloud.makeZone(zone)
            oracle.zones[zone] = ShareOracle.Zone()
            for _ in 0..<3 { try await create(in: zone) }
        }
    }

    func place(_ zone: String) -> ZoneID { ZoneID(zoneName: zone, ownerRecordName: owner.authorRecordName) }

    /// What stands in a record for others not to read.
    static func secret(_ name: String) -> String { "secret of \(name)." }

    // MARK: - Steps

    mutating func step() async throws {
        let zone = Self.zones[below(2)]
        switch below(14) {
        case 0...2: try await create(in: zone)
        case 3, 4: try await move(in: zone)
        case 5: try await delete(in: zone)
        case 6: try await share(in: zone)
        case 7, 8: try await changePeople(in: zone)
        case 9, 10: try await accept(in: zone)
        case 11: try await stop(in: zone)
        case 12: try await leave(in: zone)
        default: try await open(in: zone)
        }
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    private mutating func pick(_ names: some Collection<String>) -> String? {
        let sorted = names.sorted()
        return sorted.isEmpty ? nil : sorted[below(sorted.count)]
    }

    private func save(
        _ name: String, parent: String?, in zone: String, as caller: Caller? = nil
    ) async throws -> RecordResult {
        var input = RecordInput(
            recordName: name, recordType: "Item",
            fields: [("text", FieldInput(.text(Self.secret(name)))), ("n", FieldInput(.integer(1)))])
        input.parent = parent.map { Reference(recordName: $0) }
        input.clearsParent = parent == nil && caller == nil
        let results = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(operations: [RecordOperation(.forceUpdate, input)], zoneID: place(zone)),
            in: caller == nil ? .private : .shared, as: caller ?? owner)
        return try #require(results.first)
    }

    mutating func create(in zone: String) async throws {
        count += 1
        let name = "r\(count)"
        let parent = below(3) == 0 ? nil : pick(oracle.zones[zone]?.items.keys.map { $0 } ?? [])
        if below(3) == 0 {
            let person = people[below(people.count)]
            let isWhole = oracle.zones[zone]?.shares.values.contains { $0.root == nil } ?? false
            let allowed =
                isWhole
                ? oracle.writesZone(person.authorRecordName, zone)
                : parent.map { oracle.writes(person.authorRecordName, $0, in: zone) } ?? false
            let result = try await save(name, parent: parent, in: zone, as: person)
            #expect((result.saved != nil) == allowed, "\(person.authorRecordName.prefix(2)) \(result)")
            guard result.saved != nil else { return }
        } else {
            let result = try await save(name, parent: parent, in: zone)
            #expect(result.saved != nil, "\(result)")
        }
        oracle.zones[zone]?.items[name] = ShareOracle.Item(parent: parent)
    }

    private mutating func move(in zone: String) async throws {
        guard let name = pick(oracle.zones[zone]?.items.keys.map { $0 } ?? []) else { return }
        let parent = below(4) == 0 ? nil : pick(oracle.zones[zone]?.items.keys.map { $0 } ?? [])
        let allowed = parent.map { oracle.mayMove(name, below: $0, in: zone) } ?? true
        do {
            let result = try await save(name, parent: parent, in: zone)
            // What goes round is no world of which the rules could say anything.
            try #require((result.saved != nil) == allowed, "\(name) below \(parent ?? "-"): \(result)")
            guard allowed else { return }
        } catch let error as CloudError {
            #expect(error.extensionCode == .alreadyShared && !allowed, "\(name) below \(parent ?? "-"): \(error)")
            return
        }
        oracle.zones[zone]?.items[name]?.parent = parent
    }

    private mutating func delete(in zone: String) async throws {
        let leaves = (oracle.zones[zone]?.items.keys.map { $0 } ?? []).filter {
            oracle.children(of: $0, in: zone).isEmpty
        }
        guard let name = pick(leaves) else { return }
        let results = try await cloud.modify([.make(.forceDelete, name, type: nil)], zone: zone)
        #expect(results.first?.isDeleted == true, "\(results)")
        oracle.zones[zone]?.items[name] = nil
        if let share = oracle.zones[zone]?.shares.first(where: { $0.value.root == name })?.key {
            oracle.zones[zone]?.shares[share] = nil
        }
    }

    private mutating func share(in zone: String) async throws {
        count += 1
        var input = ShareInput()
        var operations: [RecordOperation] = []
        let shareName: String
        let root: String?
        let allowed: Bool
        if zone == "Two", below(2) == 0 {
            (shareName, root) = (SystemRecordType.zoneShareName, nil)
            allowed = oracle.zones[zone]?.shares.isEmpty == true
        } else {
            guard let name = pick(oracle.zones[zone]?.items.keys.map { $0 } ?? []) else { return }
            (shareName, root) = ("Share-\(count)", name)
            input.forRecord = ShareInput.Root(recordName: name)
            operations.append(.make(.forceUpdate, name, type: "Item"))
            allowed = oracle.isFree(name, in: zone)
        }
        operations.append(
            RecordOperation(
                .create, RecordInput(recordName: shareName, recordType: SystemRecordType.share, share: Boxed(input))))
        var saved: Record?
        do {
            saved = try await cloud.modify(operations, zone: zone).last?.saved
        } catch let error as CloudError {
            #expect(error.extensionCode == .alreadyShared)
        }
        #expect((saved != nil) == allowed, "sharing \(root ?? zone)")
        guard let saved, let guid = saved.shortGUID else { return }
        oracle.zones[zone]?.shares[shareName] = ShareOracle.Share(root: root, guid: guid)
    }

    private func update(_ share: String, in zone: String, _ input: ShareInput) async throws {
        let tag = try await cloud.lookup([share], zone: zone).first?.saved?.recordChangeTag
        let results = try await cloud.modify(
            [
                RecordOperation(
                    .update, RecordInput(recordName: share, recordChangeTag: tag, share: Boxed(input)))
            ], zone: zone)
        #expect(results.first?.saved != nil, "\(results)")
    }

    private mutating func changePeople(in zone: String) async throws {
        guard let name = pick(oracle.zones[zone]?.shares.keys.map { $0 } ?? []),
            let share = oracle.zones[zone]?.shares[name],
            share.open == .none
        else { return }
        let person = people[below(people.count - 1)].authorRecordName
        var parts = share.parts
        switch (parts[person], below(3)) {
        case (nil, _): parts[person] = ShareOracle.Part(canWrite: below(2) == 0, hasAccepted: false)
        case (_?, 0): parts[person] = nil
        case (let part?, _): parts[person]?.canWrite = !part.canWrite
        }
        var input = ShareInput()
        input.participants = parts.sorted { $0.key < $1.key }.map { name, part in
            ShareParticipantInput(
                lookup: .userRecordName(name), permission: part.canWrite ? .readWrite : .readOnly)
        }
        try await update(name, in: zone, input)
        oracle.zones[zone]?.shares[name]?.parts = parts
    }

    private mutating func accept(in zone: String) async throws {
        guard let name = pick(oracle.zones[zone]?.shares.keys.map { $0 } ?? []),
            let share = oracle.zones[zone]?.shares[name]
        else { return }
        let person = people[below(people.count)]
        let user = person.authorRecordName
        let expected = oracle.standing(user, share)
        let results = try await cloud.service.acceptShareLinks([ShareLinkRequest(shortGUID: share.guid)], as: person)
        if case .link(let link)? = results.first {
            #expect(expected != nil && link.value.acceptance == .accepted, "\(results)")
        } else {
            #expect(expected == nil, "\(results)")
            return
        }
        if share.parts[user] == nil {
            oracle.zones[zone]?.shares[name]?.parts[user] = ShareOracle.Part(
                canWrite: share.open == .readWrite, isPublic: true, hasAccepted: true)
        }
        oracle.zones[zone]?.shares[name]?.parts[user]?.hasAccepted = true
    }

    private mutating func stop(in zone: String) async throws {
        guard below(2) == 0, let name = pick(oracle.zones[zone]?.shares.keys.map { $0 } ?? []) else { return }
        let results = try await cloud.modify([.make(.forceDelete, name, type: nil)], zone: zone)
        #expect(results.first?.isDeleted == true, "\(results)")
        oracle.zones[zone]?.shares[name] = nil
    }

    private mutating func leave(in zone: String) async throws {
        guard let name = pick(oracle.zones[zone]?.shares.keys.map { $0 } ?? []) else { return }
        let person = people[below(people.count)]
        let user = person.authorRecordName
        let allowed = oracle.zones[zone]?.shares[name]?.parts[user]?.hasAccepted == true
        let results = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(operations: [.make(.delete, name, type: nil, tag: "?")], zoneID: place(zone)),
            in: .shared, as: person)
        // The tag is wrong, and only who sees the share hears so.
        #expect((results.first?.error?.code == .conflict) == allowed, "\(results)")
        guard allowed else { return }
        let left = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(operations: [.make(.forceDelete, name, type: nil)], zoneID: place(zone)),
            in: .shared, as: person)
        #expect(left.first?.isDeleted == true, "\(left)")
        oracle.zones[zone]?.shares[name]?.parts[user] = nil
    }

    private mutating func open(in zone: String) async throws {
        guard let name = pick(oracle.zones[zone]?.shares.keys.map { $0 } ?? []),
            let share = oracle.zones[zone]?.shares[name]
        else { return }
        let permission = SharePermission.allCases[below(3)]
        guard permission != share.open else { return }
        var input = ShareInput()
        input.publicPermission = permission
        try await update(name, in: zone, input)
        oracle.zones[zone]?.shares[name]?.open = permission
        for (user, part) in share.parts {
            if part.isPublic {
                oracle.zones[zone]?.shares[name]?.parts[user]?.canWrite = permission == .readWrite
                if permission == .none { oracle.zones[zone]?.shares[name]?.parts[user] = nil }
            } else if share.open == .none, !part.hasAccepted {
                oracle.zones[zone]?.shares[name]?.parts[user] = nil
            }
        }
    }
}
