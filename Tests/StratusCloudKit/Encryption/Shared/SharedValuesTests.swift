import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

/// Encrypted values of what people share, as they meet them.
@Suite struct SharedValuesTests {
    @Test("three people, one of them read-only", arguments: Door.allCases, [false, true])
    func threePeople(door: Door, whole: Bool) async throws {
        let world = try await SharedWorld(door, whole: whole)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        #expect(world.share.url?.fragment?.hasPrefix("k1.") == true)
        #expect(try await world.secret("root", bob.shared) == "of the root")
        #expect(try await world.secret("root", carol.shared) == "of the root")
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        #expect(try await world.secret("b", ada.own) == "of Bob")
        #expect(try await world.secret("b", carol.shared) == "of Bob")
        let found = try await bob.shared.record(for: world.id("root", world.shared))
        found.encryptedValues["secret"] = "of both"
        try await bob.shared.save(found)
        #expect(try await world.secret("root", ada.own) == "of both")
        #expect(try await world.secret("root", carol.shared) == "of both")
        let refused = await code { try await carol.shared.save(world.child("c", "of Carol", in: world.shared)) }
        #expect(refused == .permissionFailure)
        let feed = try await carol.shared.recordZoneChanges(inZoneWith: world.shared, since: nil)
        let secrets = try feed.modificationResultsByID.values.compactMap {
            try $0.get().record.encryptedValues["secret"] as? String
        }
        #expect(secrets.sorted() == ["of Bob", "of both"])
        // Ada's app goes on with the objects that it has.
        let fresh = try await world.current()
        fresh[CKShare.SystemFieldKey.title] = "Ours"
        try await ada.own.save(fresh)
        #expect(fresh.url == world.share.url, "nobody was removed")
    }

    @Test(
        "what a person's other device has by phrase, it opens; without, it says what is missing",
        arguments: Door.allCases)
    func otherDevice(door: Door) async throws {
        let world = try await SharedWorld(door)
        let bob = world.trio.bob
        let phrase = try await bob.container.encryption.makeRecoveryPhrase()
        let other = bob.again(MemoryKeyStore())
        let database = other.sharedCloudDatabase
        #expect(await code { _ = try await world.secret("root", database) } == .accountTemporarilyUnavailable)
        #expect(
            await code { try await database.save(world.child("b", "x", in: world.shared)) }
                == .accountTemporarilyUnavailable)
        try await other.encryption.recover(with: phrase)
        #expect(try await world.secret("root", database) == "of the root")
        try await database.save(world.child("b", "of the phone", in: world.shared))
        #expect(try await world.secret("b", world.trio.ada.own) == "of the phone")
    }

    @Test("what was encrypted before it is shared comes along, and nothing else does", arguments: Door.allCases)
    func sharedLater(door: Door) async throws {
        let trio = try await Trio(door)
        let zoneID = try await trio.ada.own.save(CKRecordZone(zoneName: "Notes")).zoneID
        let shared = CKRecordZone.ID(zoneName: "Notes", ownerName: try await trio.ada.userName())
        func record(_ name: String, below parent: String?) -> CKRecord {
            let record = note(name, in: zoneID)
            record.encryptedValues["secret"] = "of \(name)"
            record.setParent(parent.map { CKRecord.ID(recordName: $0, zoneID: zoneID) })
            return record
        }
        for record in [
            record("root", below: nil), record("a", below: "root"), record("b", below: "a"),
            record("other", below: nil),
        ] { try await trio.ada.own.save(record) }
        let before = try await trio.sealed("other", in: zoneID)
        let root = try await trio.ada.own.record(for: CKRecord.ID(recordName: "root", zoneID: zoneID))
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readWrite
        _ = try await trio.ada.own.modifyRecords(saving: [root, share], deleting: [], atomically: true)
        try await trio.bob.accept(share.url)
        for name in ["root", "a", "b"] {
            let found = try await trio.bob.shared.record(for: CKRecord.ID(recordName: name, zoneID: shared))
            #expect(found.encryptedValues["secret"] == "of \(name)")
        }
        #expect(try await trio.sealed("other", in: zoneID).bytes == before.bytes)
        #expect(await trio.bob.keys(of: shared)[before.keyID] == nil, "the zone's key stays with Ada")
        // What moves in can be read, with what is below it; what moves out has another key.
        let other = try await trio.ada.own.record(for: CKRecord.ID(recordName: "other", zoneID: zoneID))
        try await trio.ada.own.save(record("below", below: "other"))
        other.setParent(root)
        try await trio.ada.own.save(other)
        for name in ["other", "below"] {
            let found = try await trio.bob.shared.record(for: CKRecord.ID(recordName: name, zoneID: shared))
            #expect(found.encryptedValues["secret"] == "of \(name)")
        }
        let b = try await trio.ada.own.record(for: CKRecord.ID(recordName: "b", zoneID: zoneID))
        b.setParent(nil as CKRecord?)
        try await trio.ada.own.save(b)
        let sealed = try await trio.sealed("b", in: zoneID)
        #expect(await trio.bob.keys(of: shared)[sealed.keyID] == nil)
        let again = try await trio.ada.again().privateCloudDatabase.record(
            for: CKRecord.ID(recordName: "b", zoneID: zoneID))
        #expect(again.encryptedValues["secret"] == "of b")
    }

    @Test(
        "a link without its secret lets in, and says what is missing; the whole link brings it",
        arguments: Door.allCases)
    func bareLink(door: Door) async throws {
        let world = try await SharedWorld(door, accepts: false)
        let bob = world.trio.bob
        let url = try #require(world.share.url)
        let bare = try #require(URL(string: String(url.absoluteString.prefix { $0 != "#" })))
        try await bob.accept(bare)
        #expect(await code { _ = try await world.secret("root", bob.shared) } == .accountTemporarilyUnavailable)
        let feed = await code {
            _ = try await bob.shared.recordZoneChanges(inZoneWith: world.shared, since: nil)
        }
        #expect(feed == .accountTemporarilyUnavailable, "a page that is passed over would not come again")
        let partly = try await bob.shared.recordZoneChanges(
            inZoneWith: world.shared, since: nil, desiredKeys: ["title"])
        for result in partly.modificationResultsByID.values { #expect(result.isSuccess) }
        #expect(
            await code { try await bob.shared.save(world.child("b", "x", in: world.shared)) }
                == .accountTemporarilyUnavailable)
        try await bob.accept(url)
        #expect(try await world.secret("root", bob.shared) == "of the root")
    }

    @Test("one's own link, once", arguments: Door.allCases)
    func oneTime(door: Door) async throws {
        let world = try await SharedWorld(door, bob: nil, carol: nil)
        let participant = CKShare.Participant.oneTimeURLParticipant()
        participant.permission = .readWrite
        world.share.addParticipant(participant)
        try await world.trio.ada.own.save(world.share)
        let url = try #require(world.share.oneTimeURL(for: participant.participantID))
        #expect(url.fragment?.hasPrefix("k1.") == true && url.fragment != world.share.url?.fragment)
        // Ada's devices are off; Bob reads at once.
        try await world.trio.bob.accept(url)
        #expect(try await world.secret("root", world.trio.bob.shared) == "of the root")
        try await world.trio.bob.shared.save(world.child("b", "of Bob", in: world.shared))
        #expect(try await world.secret("b", world.trio.ada.own) == "of Bob")
        #expect(await code { try await world.trio.carol.accept(url) } == .permissionFailure)
        // It proved Bob's key: he goes on when another is removed.
        let other = CKShare.Participant.oneTimeURLParticipant()
        let share = try await world.current()
        share.addParticipant(other)
        try await world.trio.ada.own.save(share)
        let former = try await world.trio.sealed("b", in: world.zoneID)
        share.removeParticipant(other)
        try await world.trio.ada.own.save(share)
        try await world.trio.ada.own.save(world.child("c", "later"))
        #expect(try await world.trio.sealed("c", in: world.zoneID).keyID != former.keyID)
        #expect(try await world.secret("c", world.trio.bob.shared) == "later")
    }

    @Test("archives of shares and of what links lead to keep the secret", arguments: [Door.inProcess])
    func archives(door: Door) async throws {
        let world = try await SharedWorld(door, accepts: false)
        let share = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: CKShare.self,
            from: try NSKeyedArchiver.archivedData(withRootObject: world.share, requiringSecureCoding: true))
        #expect(share?.url == world.share.url)
        let bob = world.trio.bob
        let metadata = try await bob.container.shareMetadata(for: try #require(world.share.url))
        let kept = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CKShare.Metadata.self,
                from: try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)))
        try await bob.container.accept(kept)
        #expect(try await world.secret("root", bob.shared) == "of the root")
    }
}
