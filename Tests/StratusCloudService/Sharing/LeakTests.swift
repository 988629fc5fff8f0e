import Foundation
import StratusCloudModel
import StratusSeeds
import StratusTestSupport
import Testing

@testable import StratusCloudService

/// Everybody sees and does what the rules of sharing say, and nothing else: every call, as everybody, over random shares
/// and histories, against ``ShareOracle``.
@Suite("Never a leak")
struct NeverALeakTests {
    @Test("Random histories", arguments: [Engine.memory, .leveldb])
    func histories(engine: Engine) async throws {
        let seed = Seed.draw()
        for round in 0..<(engine == .memory ? 12 : 2) {
            print("sharing seed \(seed &+ UInt64(round)) on \(engine)")
            var world = try await ShareWorld(seed: seed &+ UInt64(round), engine)
            var followers = world.people.map { ShareFollower(person: $0) }
            for step in 0..<60 {
                try await world.step()
                for index in followers.indices {
                    followers[index].witness(world)
                    // One looks often, another when much has happened, and all break off a look at some time.
                    if step % 11 == index { try await followers[index].glance(world) }
                    if step % (3 + 6 * index) == 2 { try await followers[index].follow(world) }
                }
                guard step % 3 == 2 else { continue }
                for person in world.people { try await LeakWalk(world, person).walk() }
                try await LeakWalk.strangers(world)
            }
        }
    }
}

/// A participant's device: what it has is what its feeds told.
struct ShareFollower {
    let person: Caller
    private var known: [String: Set<String>] = [:]
    private var tokens: [String: String] = [:]
    private var zones: Set<String> = []
    private var token: String?
    /// What the person could have seen at some time, whether the device looked or not.
    private var witnessed: Set<String> = ["never"]
    private var witnessedZones: Set<String> = []

    init(person: Caller) { self.person = person }

    mutating func witness(_ world: ShareWorld) {
        for zone in ShareWorld.zones {
            witnessed.formUnion(world.oracle.visible(to: person.authorRecordName, in: zone).map { $0 })
        }
        witnessedZones.formUnion(visibleZones(world))
    }

    private func visibleZones(_ world: ShareWorld) -> [String] {
        ShareWorld.zones.filter { world.oracle.seesZone(person.authorRecordName, $0) }
    }

    /// Reads a page of each zone, and no more.
    mutating func glance(_ world: ShareWorld) async throws {
        for zone in visibleZones(world) { try await follow(world, zone, pages: 1) }
    }

    mutating func follow(_ world: ShareWorld) async throws {
        var turns = PageTurns(from: token)
        while true {
            let page = try await world.cloud.databaseChanges(since: token, limit: 1, in: .shared, as: person)
            token = page.syncToken
            for zone in page.zones {
                switch zone {
                case .zone(let zone): zones.insert(zone.zoneID.zoneName)
                case .deleted(let zone, _):
                    let isKnown = zones.remove(zone.zoneName) != nil || witnessedZones.contains(zone.zoneName)
                    #expect(isKnown, "gone and never there: \(zone)")
                    known[zone.zoneName] = nil
                    tokens[zone.zoneName] = nil
                case .failed(_, let error): Issue.record("\(error)")
                }
            }
            guard page.moreComing else { break }
            try turns.turn(to: token)
        }
        #expect(zones == Set(visibleZones(world)))
        for zone in zones.sorted() { try await follow(world, zone) }
    }

    private mutating func follow(_ world: ShareWorld, _ zone: String, pages: Int = .max) async throws {
        let expected = world.oracle.visible(to: person.authorRecordName, in: zone)
        var told: Set<String> = []
        var records = known[zone] ?? []
        var turns = PageTurns(from: tokens[zone])
        defer { known[zone] = records }
        for turn in 1... {
            let request = ZoneChangesRequest(zoneID: world.place(zone), syncToken: tokens[zone], resultsLimit: 2)
            let page: ZoneChangesPage
            do {
                page = try await world.cloud.service.recordChanges(request, in: .shared, as: person)
            } catch {
                guard error.extensionCode == .changeTokenExpired, tokens[zone] != nil else { throw error }
                try turns.beginAnew()
                (records, told, tokens[zone]) = ([], [], nil)
                continue
            }
            for change in page.changes {
                switch change {
                case .saved(let record):
                    #expect(told.insert(record.recordName).inserted, "told twice: \(record.recordName)")
                    records.insert(record.recordName)
                case .deleted(let name, _, _):
                    #expect(told.insert(name).inserted, "told twice: \(name)")
                    let isKnown = records.remove(name) != nil || witnessed.contains(name)
                    #expect(isKnown, "the deletion of what could never be seen: \(name)")
                }
            }
            tokens[zone] = page.syncToken
            guard page.moreComing else { break }
            if turn >= pages { return }
            try turns.turn(to: page.syncToken)
        }
        #expect(records == expected, "\(zone): \(records.symmetricDifference(expected).sorted())")
    }
}

/// Every call as one person.
struct LeakWalk {
    let world: ShareWorld
    let person: Caller
    private var oracle: ShareOracle { world.oracle }
    private var user: String { person.authorRecordName }
    private var service: CloudService { world.cloud.service }

    init(_ world: ShareWorld, _ person: Caller) {
        self.world = world
        self.person = person
    }

    func walk() async throws {
        let listed = try await service.listZones(in: .shared, as: person).map(\.zoneID.zoneName)
        #expect(Set(listed) == Set(ShareWorld.zones.filter { oracle.seesZone(user, $0) }))
        for zone in ShareWorld.zones {
            try await reads(zone)
            try await queries(zone)
            try await writes(zone)
            try await assets(zone)
        }
        try await links()
    }

    /// What no answer may hold: what stands in records that the person does not see.
    private func expectNoSecrets(_ answer: Any, _ zone: String, at location: SourceLocation = #_sourceLocation) {
        let text = "\(answer)"
        for name in oracle.zones[zone]?.items.keys.map({ $0 }) ?? [] where !oracle.sees(user, name, in: zone) {
            #expect(!text.contains(ShareWorld.secret(name)), "\(name) in \(zone)", sourceLocation: location)
        }
    }

    private func names(_ zone: String) -> [String] {
        let content = oracle.zones[zone]
        return (content?.items.keys.sorted() ?? []) + (content?.shares.keys.sorted() ?? []) + ["never"]
    }

    private func reads(_ zone: String) async throws {
        let names = names(zone)
        let results = try await service.lookupRecords(
            LookupRecordsRequest(
                items: names.map { LookupRecordsRequest.Item(recordName: $0) }, zoneID: world.place(zone)),
            in: .shared, as: person)
        expectNoSecrets(results, zone)
        for (name, result) in zip(names, results) {
            if oracle.sees(user, name, in: zone) {
                #expect(result.saved?.recordName == name, "\(zone) \(name) \(result)")
                let isRoot = oracle.zones[zone]?.shares.values.contains { $0.root == name } ?? false
                if isRoot { #expect(result.saved?.parent == nil) }
                if let details = result.saved?.shareDetails?.value {
                    let others = details.participants.compactMap(\.identity.userRecordName)
                    #expect(Set(others) == [world.owner.authorRecordName, user])
                }
            } else {
                let code: CloudError.Code = oracle.seesZone(user, zone) ? .notFound : .zoneNotFound
                #expect(result.error?.code == code, "\(zone) \(name) \(result)")
            }
        }
        let looked = try await service.lookupZones([world.place(zone)], in: .shared, as: person)
        if case .zone? = looked.first {
            #expect(oracle.seesZone(user, zone))
        } else {
            #expect(!oracle.seesZone(user, zone))
        }
        // The owner's own database is nobody else's.
        await Self.expectRefused(.badRequest) {
            _ = try await service.lookupRecords(
                LookupRecordsRequest(items: [.init(recordName: "r1")], zoneID: world.place(zone)), in: .private,
                as: person)
        }
    }

    private func queries(_ zone: String) async throws {
        for sorts in [[], [Sort(.named("text"))]] {
            var found: Set<String> = []
            var marker: String?
            var turns = PageTurns()
            do {
                while true {
                    var request = QueryRecordsRequest(query: Query(recordType: "Item", sorts: sorts))
                    request.zoneID = world.place(zone)
                    request.resultsLimit = 2
                    request.continuationMarker = marker
                    let page = try await service.queryRecords(request, in: .shared, as: person)
                    expectNoSecrets(page, zone)
                    // A page that is not full, but is followed by another, would tell of records that are not shown.
                    #expect(page.continuationMarker == nil || page.records.count == 2)
                    found.formUnion(page.records.map(\.recordName))
                    marker = page.continuationMarker
                    guard let marker else { break }
                    try turns.turn(to: marker)
                }
                let items = oracle.visible(to: user, in: zone).filter { oracle.zones[zone]?.items[$0] != nil }
                #expect(found == items, "\(zone)")
            } catch let error as CloudError {
                #expect(!oracle.seesZone(user, zone), "\(error)")
            }
        }
    }

    /// Asks for changes that fail for their tag, if not before.
    private func writes(_ zone: String) async throws {
        for name in names(zone) {
            for kind in [RecordOperation.Kind.update, .delete] {
                let result = try await service.modifyRecords(
                    ModifyRecordsRequest(
                        operations: [.make(kind, name, type: nil, tag: "?")], zoneID: world.place(zone)),
                    in: .shared, as: person
                ).first
                expectNoSecrets(result as Any, zone)
                let isRoot = oracle.zones[zone]?.shares.values.contains { $0.root == name } ?? false
                let isShare = oracle.zones[zone]?.shares[name] != nil
                let expected: CloudError.Code
                if !oracle.seesZone(user, zone) {
                    expected = .zoneNotFound
                } else if !oracle.sees(user, name, in: zone) {
                    expected = .notFound
                } else if isShare {
                    // All may leave; nobody but the owner changes the share.
                    expected = .conflict
                } else if !oracle.writes(user, name, in: zone) || isRoot && kind == .delete {
                    expected = .accessDenied
                } else {
                    expected = .conflict
                }
                #expect(result?.error?.code == expected, "\(zone) \(kind) \(name) \(String(describing: result))")
            }
        }
        // Over what is not seen nothing can be made, nor beside what is shared.
        for name in names(zone) where !oracle.sees(user, name, in: zone) {
            let result = try await service.modifyRecords(
                ModifyRecordsRequest(
                    operations: [.make(.create, name, type: "Item")], zoneID: world.place(zone)), in: .shared,
                as: person
            ).first
            expectNoSecrets(result as Any, zone)
            if name == "never", oracle.zones[zone]?.shares.values.contains(where: { $0.root == nil }) == true {
                continue
            }
            #expect(result?.error?.serverRecord == nil)
            #expect(
                result?.error?.code == (oracle.seesZone(user, zone) ? .accessDenied : .zoneNotFound),
                "\(zone) \(name) \(String(describing: result))")
        }
        if oracle.zones[zone]?.shares.values.contains(where: { $0.root == nil }) == true {
            // Whoever may write anywhere in the zone made it just now.
            _ = try await world.cloud.modify([.make(.forceDelete, "never", type: nil)], zone: zone)
        }
    }

    private func assets(_ zone: String) async throws {
        var request = UploadAssetsRequest(items: [.init(recordName: "new", recordType: "Item", fieldName: "file")])
        request.zoneID = world.place(zone)
        let expected: CloudError.Code? =
            oracle.writesZone(user, zone) ? nil : oracle.seesZone(user, zone) ? .accessDenied : .zoneNotFound
        do {
            _ = try await service.makeUploadPlaces(request, in: .shared, as: person) { $0 }
            #expect(expected == nil)
        } catch {
            let code = (error as CloudError).code
            #expect(code == expected)
        }
    }

    private func links() async throws {
        for zone in ShareWorld.zones {
            for share in oracle.zones[zone]?.shares.values.map({ $0 }) ?? [] {
                let results = try await service.resolveShareLinks(
                    [ShareLinkRequest(shortGUID: share.guid, wantsRootRecord: true)], as: person)
                switch (results.first, oracle.standing(user, share)) {
                case (.link(let link)?, let standing?): #expect(link.value.acceptance == standing)
                case (.failed(_, let error)?, nil): #expect(error.code == .accessDenied)
                case (let result, let standing):
                    Issue.record("\(String(describing: standing)): \(String(describing: result))")
                }
            }
        }
    }

    /// Whoever is nobody here.
    static func strangers(_ world: ShareWorld) async throws {
        let key = Caller(context: world.cloud.context, principal: .serverToServer(world.people[0].authorRecordName))
        let service = world.cloud.service
        for (caller, code) in [(world.cloud.anonymous, CloudError.Code.authenticationRequired), (key, .accessDenied)] {
            for zone in ShareWorld.zones {
                let place = world.place(zone)
                await expectRefused(code) {
                    _ = try await service.lookupRecords(
                        LookupRecordsRequest(items: [.init(recordName: "r1")], zoneID: place), in: .shared, as: caller)
                }
                await expectRefused(code) {
                    _ = try await service.zoneChanges([ZoneChangesRequest(zoneID: place)], in: .shared, as: caller)
                }
                await expectRefused(code) {
                    _ = try await service.modifyRecords(
                        ModifyRecordsRequest(operations: [.make(.create, "x")], zoneID: place), in: .shared, as: caller)
                }
            }
            await expectRefused(code) { _ = try await service.listZones(in: .shared, as: caller) }
            await expectRefused(code) {
                _ = try await service.databaseChanges(DatabaseChangesRequest(), in: .shared, as: caller)
            }
            let link = [ShareLinkRequest(shortGUID: "x")]
            await expectRefused(code) { _ = try await service.resolveShareLinks(link, as: caller) }
            await expectRefused(code) { _ = try await service.acceptShareLinks(link, as: caller) }
            await expectRefused(code) { try await service.requestShareAccess(["x"], as: caller) }
        }
    }

    private static func expectRefused(_ code: CloudError.Code, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("\(code) was expected")
        } catch {
            #expect((error as? CloudError)?.code == code)
        }
    }
}
