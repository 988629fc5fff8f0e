import CloudKit
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// How many keys a share, and the shares of a zone, can have had. The places are brought there by what lies on the server.
@Suite("Limits of shares' keys") struct ShareKeyLimitTests {
    private let random = RandomSource.seeded(5)

    @Test("a share has had 500 keys, and no 501st", arguments: Door.allCases)
    func keysOfAShare(door: Door) async throws {
        let world = try await SharedWorld(door)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        let known = try await world.trio.keys(of: world.share)
        var envelope = try ShareEnvelope(try #require(known.envelope))
        _ = try await world.secret("root", bob.shared)
        let latest = try #require(await bob.keys(of: world.shared)[envelope.header.keyID])
        let place = SharePlace(
            owner: AccountPlace(container: ada.name, user: world.shared.ownerName), zoneName: "Notes",
            shareName: world.share.recordID.recordName)
        // With the next there are as many as there may be.
        while envelope.earlier.count < ShareEnvelope.keyLimit - 2 {
            let key = ZoneKey(random.bytes(ZoneKey.length))
            envelope.earlier.insert(
                ShareEnvelope.wrap(key, with: latest, envelope.header.lineage, place, random: random), at: 0)
        }
        try await world.trio.put(
            .keys(envelope: envelope.bytes, over: known.keyTag, handovers: []), world.share, as: ada, in: world.zoneID)
        try await world.remove(bob)
        let device = ada.again()
        let record = world.child("a", "with the last key")
        try await device.privateCloudDatabase.save(record)
        let full = try ShareEnvelope(try #require(try await world.trio.keys(of: world.share).envelope))
        #expect(full.earlier.count == ShareEnvelope.keyLimit - 1)
        #expect(try await world.secret("a", carol.shared) == "with the last key")
        try await world.remove(carol)
        record.encryptedValues["secret"] = "with one more"
        #expect(await code { try await ada.again().privateCloudDatabase.save(record) } == .limitExceeded)
        #expect(try await world.secret("a", ada.own) == "with the last key")
    }

    @Test("the shares of a zone have had 5,000 keys, and no more")
    func keysOfAZone() async throws {
        let world = try await SharedWorld(.inProcess, bob: nil, carol: nil)
        let ada = world.trio.ada
        let recordID = CKRecord.ID(recordName: KeyRecords.Name.zone("Notes", for: .share))
        let raw = RawCloud(ada.transport)
        let list = try ZoneEnvelope(record: try #require(try await raw.field("envelope", of: recordID)), of: "Notes")
        let key = try #require(list.keys.first)
        let nearlyAll = ZoneEnvelope(keys: Array(repeating: key, count: ZoneEnvelope.shareKeyLimit - 1))
        try await raw.putPlain(nearlyAll.bytes, "envelope", recordID)
        func share(_ name: String) async throws {
            let root = note(name, in: world.zoneID)
            let database = ada.again().privateCloudDatabase
            let saved = try await database.modifyRecords(
                saving: [root, CKShare(rootRecord: root)], deleting: [], atomically: true)
            for result in saved.saveResults.values { _ = try result.get() }
        }
        func write(below name: String) async throws {
            let child = note("below \(name)", in: world.zoneID)
            child.encryptedValues["secret"] = "of \(name)"
            child.setParent(world.id(name))
            try await ada.again().privateCloudDatabase.save(child)
        }
        try await share("last")
        try await write(below: "last")
        // It can be shared all the same; but there is no key for what would be encrypted in it.
        try await share("more")
        #expect(await code { try await write(below: "more") } == .limitExceeded)
    }
}
