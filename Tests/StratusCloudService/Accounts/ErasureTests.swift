import Foundation
import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// Erasing a person: nothing of them is left in the store, whenever a crash cuts it short, and nobody else loses anything.
@Suite struct ErasureTests {
    private static let email = "alice.erased@example.org"
    private static let words = [email, "Alice-Given", "Erased-Family", "+44207946", "alice-secret", "secret of alice"]

    /// Two people who share with each other; the first is to be erased.
    private struct World {
        let cloud: TestCloud
        let assets: MemoryAssets
        let alice: Caller
        let bob: Caller

        var aliceName: String { alice.userRecordName ?? "" }
        var alicesPrivate: Partition { .privateDatabase(of: aliceName, in: cloud.context) }
    }

    private func world(_ store: any CloudStore) async throws -> World {
        let assets = MemoryAssets()
        let cloud = try await TestCloud(store: store, assets: assets)
        let service = cloud.service
        var callers: [Caller] = []
        for email in [Self.email, "bob@example.org"] {
            try await service.createAccount(email: email, password: "correct horse battery")
            let signIn = try await service.createSession(email: email, context: cloud.context)
            callers.append(Caller(context: cloud.context, principal: .user(signIn.userRecordName)))
        }
        let (alice, bob) = (callers[0], callers[1])
        try await service.updateProfile(
            email: Self.email,
            ProfileChange(givenName: "Alice-Given", familyName: "Erased-Family", phone: "+44207946000"))
        try await service.setDiscoverable(true, email: Self.email, in: cloud.context)
        _ = try await service.contacts(replacing: [[UInt8](repeating: 7, count: 32)], as: alice)
        try await service.createRole("editor", in: cloud.context)
        try await service.setMembership(of: alice.authorRecordName, inRole: "editor", true, in: cloud.context)
        for (person, zone) in [(alice, "alice-zone"), (bob, "bob-zone")] {
            _ = try await service.modifyZones(
                [ZoneOperation(.create, ZoneID(zoneName: zone))], in: .private, as: person)
            let other = person == alice ? bob : alice
            var input = ShareInput()
            input.forRecord = ShareInput.Root(recordName: "root")
            input.participants = [
                ShareParticipantInput(lookup: .userRecordName(other.authorRecordName), permission: .readWrite)
            ]
            let saved = try await cloud.modify(
                [
                    .make(.forceUpdate, "root", ["text": .text("secret of \(zone)")]),
                    RecordOperation(
                        .create,
                        RecordInput(recordName: "Share", recordType: SystemRecordType.share, share: Boxed(input))),
                ], zone: zone, as: person)
            try await cloud.accept(try #require(saved.last?.saved), as: other)
            let place = cloud.place(zone, of: person)
            let request = ModifyRecordsRequest(
                operations: [.make(.forceUpdate, "root")], zoneID: place, clientChangeToken: Array("alice-secret".utf8))
            if other == alice { _ = try await service.modifyRecords(request, in: .shared, as: other) }
            try await cloud.subscribe("in-\(zone)", .records(zone: zone), as: person)
            try await cloud.subscribe("all", .database(recordType: nil), in: .shared, as: person)
        }
        _ = try await cloud.modify([.make(.forceUpdate, "p", ["text": .text("alice-secret")])], as: alice)
        _ = try await cloud.modify(
            [.keyValue(.forceReplace, "alice-secret", [1])], zone: KeyValueFormat.zoneName, as: alice)
        try await cloud.subscribe("public", .records(), in: .public, as: alice)
        _ = try await cloud.device(of: alice)
        // Of both, in the public database; and one of Alice's that Bob's holds.
        _ = try await cloud.modify((0..<3).map { .make(.create, "alice-\($0)") }, in: .public, as: alice)
        _ = try await cloud.modify((0..<3).map { .make(.create, "bob-\($0)") }, in: .public, as: bob)
        let photos = AssetCloudSteps(service: service)
        let asset = try await photos.upload([1, 2, 3, 4], zone: "alice-zone", as: alice)
        _ = try await cloud.modify(
            [.make(.forceReplace, "photo", type: "Photo", ["image": .scalar(.asset(asset))])], zone: "alice-zone",
            as: alice)
        return World(cloud: cloud, assets: assets, alice: alice, bob: bob)
    }

    /// Everything in the store that names the person, where it may not be. Their random name may stand in what is Bob's: in
    /// the news that he was told, and in the feed that tells his devices that a zone is gone.
    private func traces(of world: World, publicRecordsAreGone: Bool) async throws -> Set<String> {
        var found: Set<String> = []
        for partition in try await world.cloud.store.partitions() {
            let all = KeyRange(lower: Key(), upper: Key([0xFF]))
            for entry in try await world.cloud.store.read(partition, { try $0.entries(in: all, limit: .max) }) {
                let bytes = Data(entry.key.bytes + [0] + entry.value)
                let isKeptPublic = partition == .publicDatabase(of: world.cloud.context) && !publicRecordsAreGone
                let isBobs = partition.name.hasSuffix(world.bob.authorRecordName)
                let names = isKeptPublic || isBobs ? [] : [world.aliceName, "alice-zone"]
                for word in Self.words + names where bytes.range(of: Data(word.utf8)) != nil {
                    found.insert("\(partition.name): \(word), \(entry.key.bytes.prefix(1))")
                }
            }
        }
        return found
    }

    private func expectErased(_ world: World, deleted: Bool) async throws {
        let (cloud, service) = (world.cloud, world.cloud.service)
        let left = try await traces(of: world, publicRecordsAreGone: deleted)
        #expect(left.isEmpty, "\(left)")
        let own = world.alicesPrivate
        let all = KeyRange(lower: Key(), upper: Key([0xFF]))
        #expect(try await cloud.store.read(own) { try $0.entries(in: all, limit: 1).isEmpty })
        #expect(world.assets.files.isEmpty, "no bytes are left")
        #expect(try await service.listAccounts() == ["bob@example.org"])
        let failure = await #expect(throws: CloudError.self) {
            try await service.signIn(
                email: Self.email, password: "correct horse battery", staySignedIn: false, context: cloud.context,
                source: nil)
        }
        #expect(failure?.code == .authenticationFailed)
        // Bob keeps what is his, and sees nothing of Alice's.
        #expect(try await service.listZones(in: .shared, as: world.bob).isEmpty)
        let root = try await cloud.lookup(["root"], zone: "bob-zone", as: world.bob)
        #expect(root.first?.saved != nil)
        let names = (0..<3).flatMap { ["alice-\($0)", "bob-\($0)"] }
        let records = try await cloud.lookup(names, in: .public, as: world.bob).compactMap(\.saved?.recordName)
        #expect(Set(records) == (deleted ? ["bob-0", "bob-1", "bob-2"] : Set(names)))
        let report = try await service.checkConsistency(repairing: false)
        #expect(report.problems == 0, "\(report.findings)")
    }

    @Test(arguments: Engine.allCases, [false, true])
    func nothingIsLeft(engine: Engine, deletes: Bool) async throws {
        let world = try await world(try engine.make())
        let report = try await world.cloud.service.eraseAccount(
            email: "Alice.Erased@example.org ", deletingPublicRecords: deletes)
        #expect(report.environments == 1 && report.zones == 2 && report.participations == 1)
        #expect(report.assetFiles == 1 && report.sessions == 1 && report.publicRecords == (deletes ? 3 : 0))
        try await expectErased(world, deleted: deletes)
        let again = await #expect(throws: CloudError.self) {
            try await world.cloud.service.eraseAccount(email: Self.email, deletingPublicRecords: deletes)
        }
        #expect(again?.code == .notFound)
        // The address is free for somebody new, who finds nothing of before.
        try await world.cloud.service.createAccount(email: Self.email, password: "another long one")
        let signIn = try await world.cloud.service.createSession(email: Self.email, context: world.cloud.context)
        #expect(signIn.userRecordName != world.aliceName)
        let new = Caller(context: world.cloud.context, principal: .user(signIn.userRecordName))
        #expect(try await world.cloud.service.listZones(in: .private, as: new).count == 1)
        await world.cloud.store.close()
    }

    @Test("Cut short after any transaction, an erasure goes on with the next start")
    func interruptions() async throws {
        var writes = 0
        var wasCut = true
        while wasCut {
            let world = try await world(MemoryStore())
            let cut = TestCloud(world.cloud, store: world.cloud.store.interrupted(after: writes), assets: world.assets)
            do {
                _ = try await cut.service.eraseAccount(email: Self.email, deletingPublicRecords: true)
                wasCut = false
            } catch {
                writes += 1
            }
            let next = TestCloud(world.cloud, store: world.cloud.store, assets: world.assets)
            let restarted = World(cloud: next, assets: world.assets, alice: world.alice, bob: world.bob)
            if wasCut, writes == 1 {
                // Nothing was noted yet: the account is as it was.
                #expect(try await next.service.listAccounts().count == 2)
                _ = try await next.service.eraseAccount(email: Self.email, deletingPublicRecords: true)
            } else {
                try await next.service.resumeDeferredWork()
            }
            try await expectErased(restarted, deleted: true)
        }
        #expect(writes > 15, "\(writes) transactions")
    }
}

/// Uploads as one client makes them.
private struct AssetCloudSteps {
    let service: CloudService

    func upload(_ bytes: [UInt8], zone: String, as caller: Caller) async throws -> Asset {
        let item = UploadAssetsRequest.Item(recordName: "photo", recordType: "Photo", fieldName: "image")
        let results = try await service.makeUploadPlaces(
            UploadAssetsRequest(items: [item], zoneID: ZoneID(zoneName: zone)), in: .private, as: caller,
            addressing: { $0 })
        guard case .place(_, _, let text)? = results.first else { throw Unexpected(description: "\(results)") }
        let ticket = try service.uploadTicket(text, continuing: false)
        return try await service.receiveAsset(
            ticket, .whole(length: Int64(bytes.count)), sha256: nil, body: Pieces(bytes)
        ).asset
    }
}
