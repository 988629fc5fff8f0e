import CloudKit
import Foundation
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// Nobody reads what is written after they were removed, whatever they had, and whatever the server gives them.
@Suite struct RemovalTests {
    /// Everything that somebody had of a share, and what the server has of it now.
    private func canOpen(_ person: Trio.Person, _ world: SharedWorld, _ sealed: SealedValue, _ url: URL?) async throws
        -> Bool
    {
        if await person.keys(of: world.shared)[sealed.keyID] != nil { return true }
        // The server tells them all that it has.
        let known = try await world.trio.keys(of: world.share)
        let records = try await records(of: person)
        let place = SharePlace(
            owner: AccountPlace(container: person.name, user: world.shared.ownerName), zoneName: "Notes",
            shareName: world.share.recordID.recordName)
        if let link = url.flatMap({ ShareLinks.received($0) }), JoinedShare(link, place, known) != nil { return true }
        for member in known.members {
            var alone = known
            alone.members = [member]
            if let found = try await person.container.source.connection.keyring.joinedKeys(alone, place, records),
                found.keys[sealed.keyID] != nil
            {
                return true
            }
        }
        return false
    }

    private func records(of person: Trio.Person) async throws -> KeyRecords {
        let client = DatabaseClient(connection: person.container.source.connection, scope: .private)
        return try client.keyRecords(of: try await client.writersNames())
    }

    @Test("removed by the owner", arguments: Door.allCases, [false, true])
    func removed(door: Door, whole: Bool) async throws {
        let world = try await SharedWorld(door, whole: whole, carol: .readWrite)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        #expect(try await world.secret("b", carol.shared) == "of Bob")
        // Another device of Ada's, which has just written, and will not hear of the removal by itself.
        let late = ada.again().privateCloudDatabase
        try await late.save(world.child("late", "before"))
        let former = try await world.trio.sealed("b", in: world.zoneID)
        #expect(try await canOpen(bob, world, former, world.share.url))
        try await world.remove(bob)
        try await ada.own.save(world.child("after", "secret of Ada"))
        try await carol.shared.save(world.child("after-c", "secret of Carol", in: world.shared))
        let again = try await late.record(for: world.id("late"))
        again.encryptedValues["secret"] = "after"
        try await late.save(again)
        for name in ["after", "after-c", "late"] {
            let sealed = try await world.trio.sealed(name, in: world.zoneID)
            #expect(sealed.keyID != former.keyID, "\(name)")
            #expect(try await !canOpen(bob, world, sealed, world.share.url), "\(name)")
        }
        #expect(try await world.secret("after", carol.shared) == "secret of Ada")
        #expect(try await world.secret("after-c", ada.own) == "secret of Carol")
        #expect(try await world.secret("b", carol.shared) == "of Bob", "what was written before is still read")
        #expect(await code { _ = try await world.secret("after", bob.shared) } == .zoneNotFound)
        // A new process of each has all of it.
        #expect(try await world.secret("after", carol.again().sharedCloudDatabase) == "secret of Ada")
        #expect(try await world.secret("b", carol.again().sharedCloudDatabase) == "of Bob")
        #expect(try await world.secret("after-c", ada.again().privateCloudDatabase) == "secret of Carol")
        // Invited again, with the new link, Bob is in again.
        let share = try await world.current()
        #expect(share.url?.path == world.share.url?.path && share.url?.fragment != world.share.url?.fragment)
        let invited = try await ada.container.shareParticipant(
            forUserRecordID: CKRecord.ID(recordName: try await bob.userName()))
        share.addParticipant(invited)
        try await ada.own.save(share)
        try await bob.accept(world.share.url)
        #expect(
            await code { _ = try await world.secret("after", bob.shared) } == .accountTemporarilyUnavailable,
            "the link of before opens nothing any more")
        try await bob.accept(share.url)
        #expect(try await world.secret("after", bob.shared) == "secret of Ada")
    }

    @Test(
        "removed where there are no keys: nothing is encrypted before the owner's device heard of it",
        arguments: Door.allCases)
    func removedElsewhere(door: Door) async throws {
        let world = try await SharedWorld(door, carol: .readWrite)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        try await carol.shared.save(world.child("c", "before", in: world.shared))
        let former = try await world.trio.sealed("c", in: world.zoneID)
        // A page of the server, or a device without the keys.
        try await world.remove(bob, by: ada.again(MemoryKeyStore()))
        #expect(try await world.trio.keys(of: world.share).state == .revoked)
        let child = try await carol.shared.record(for: world.id("c", world.shared))
        child.encryptedValues["secret"] = "after"
        #expect(await code { try await carol.shared.save(child) } == .accountTemporarilyUnavailable)
        let plain = note("plain", in: world.shared)
        plain.setParent(world.id("root", world.shared))
        try await carol.shared.save(plain)
        // Ada's device hears of it with the share.
        let feed = try await ada.own.recordZoneChanges(inZoneWith: world.zoneID, since: nil)
        #expect(feed.modificationResultsByID[world.share.recordID] != nil)
        #expect(try await world.trio.keys(of: world.share).state == .current)
        try await carol.shared.save(child)
        let sealed = try await world.trio.sealed("c", in: world.zoneID)
        #expect(sealed.keyID != former.keyID)
        #expect(try await !canOpen(bob, world, sealed, world.share.url))
        #expect(try await world.secret("c", ada.own) == "after")
    }

    @Test("who leaves stops nobody; the owner's next value has a new key", arguments: Door.allCases)
    func left(door: Door) async throws {
        let world = try await SharedWorld(door, carol: .readWrite)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        let former = try await world.trio.sealed("b", in: world.zoneID)
        try await bob.shared.deleteRecordZone(withID: world.shared)
        try await carol.shared.save(world.child("c", "of Carol", in: world.shared))
        try await ada.own.save(world.child("a", "of Ada"))
        let sealed = try await world.trio.sealed("a", in: world.zoneID)
        #expect(sealed.keyID != former.keyID)
        #expect(try await !canOpen(bob, world, sealed, world.share.url))
        #expect(try await world.secret("a", carol.shared) == "of Ada")
    }

    @Test("a public link that is switched off", arguments: Door.allCases)
    func publicLink(door: Door) async throws {
        let world = try await SharedWorld(door, bob: nil, carol: nil)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        world.share.publicPermission = .readWrite
        try await ada.own.save(world.share)
        try await bob.accept(world.share.url)
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        let former = try await world.trio.sealed("b", in: world.zoneID)
        let share = try await world.current()
        share.publicPermission = .none
        try await ada.own.save(share)
        try await ada.own.save(world.child("a", "of Ada"))
        let sealed = try await world.trio.sealed("a", in: world.zoneID)
        #expect(sealed.keyID != former.keyID)
        #expect(try await !canOpen(bob, world, sealed, world.share.url))
        share.publicPermission = .readOnly
        try await ada.own.save(share)
        try await carol.accept(share.url)
        #expect(try await world.secret("a", carol.shared) == "of Ada")
        #expect(try await world.secret("b", carol.shared) == "of Bob")
    }

    @Test("the end of sharing: the owner reads on, and goes on with the zone's key", arguments: Door.allCases)
    func stopped(door: Door) async throws {
        let world = try await SharedWorld(door, whole: true)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        let former = try await world.trio.sealed("b", in: world.zoneID)
        try await ada.own.deleteRecord(withID: world.share.recordID)
        #expect(try await world.secret("b", ada.own) == "of Bob")
        #expect(try await world.secret("b", ada.again().privateCloudDatabase) == "of Bob")
        let record = try await ada.own.record(for: world.id("b"))
        record.encryptedValues["secret"] = "mine again"
        try await ada.own.save(record)
        #expect(try await world.trio.sealed("b", in: world.zoneID).keyID != former.keyID)
        // Shared anew, it is another share: what Bob had is of no use.
        let share = CKShare(recordZoneID: world.zoneID)
        let invited = try await ada.container.shareParticipant(
            forUserRecordID: CKRecord.ID(recordName: try await bob.userName()))
        invited.permission = .readWrite
        share.addParticipant(invited)
        try await ada.own.save(share)
        try await bob.accept(share.url)
        #expect(try await world.secret("b", bob.shared) == "mine again")
    }

    @Test("a lost device: the shares get new keys with the account's", arguments: Door.allCases)
    func replaced(door: Door) async throws {
        let world = try await SharedWorld(door)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        try await bob.shared.save(world.child("b", "of Bob", in: world.shared))
        let former = try await world.trio.sealed("b", in: world.zoneID)
        try await ada.container.encryption.replaceKeys()
        try await ada.own.save(world.child("a", "of Ada"))
        #expect(try await world.trio.sealed("a", in: world.zoneID).keyID != former.keyID)
        #expect(try await world.secret("a", bob.shared) == "of Ada")
        #expect(try await world.secret("b", ada.own) == "of Bob")
    }

    @Test("a participant's lost device likewise", arguments: Door.allCases)
    func replacedByParticipant(door: Door) async throws {
        let world = try await SharedWorld(door)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        try await world.remove(world.trio.carol)
        #expect(try await world.secret("root", bob.shared) == "of the root")
        try await ada.own.save(world.child("a", "of Ada"))
        #expect(try await world.secret("a", bob.shared) == "of Ada")
        let before = try await world.trio.sealed("a", in: world.zoneID)
        let lost = try await world.trio.keys(of: world.share, as: bob, in: world.shared).members.first?.handover
        try await bob.container.encryption.replaceKeys()
        // The process asks the server again, and proves its new key, though the link is another by now.
        #expect(try await world.secret("a", bob.again().sharedCloudDatabase) == "of Ada")
        _ = try await world.current()
        try await ada.own.save(world.child("a2", "of Ada, later"))
        #expect(try await world.trio.sealed("a2", in: world.zoneID).keyID != before.keyID)
        #expect(try await world.secret("a2", bob.shared) == "of Ada, later")
        #expect(try await world.trio.keys(of: world.share, as: bob, in: world.shared).members.first?.handover != lost)
    }
}
