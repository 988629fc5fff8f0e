import CloudKit
import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// What the operator of the server does with the keys of shares, and what it gets him: nothing.
@Suite struct SharedThreatTests {
    private let random = RandomSource.system

    private func place(_ world: SharedWorld) -> SharePlace {
        SharePlace(
            owner: AccountPlace(container: world.trio.ada.name, user: world.shared.ownerName), zoneName: "Notes",
            shareName: world.share.recordID.recordName)
    }

    @Test("a public key in a participant's place", arguments: Door.allCases)
    func forgedProof(door: Door) async throws {
        let world = try await SharedWorld(door)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        let mallory = SharingIdentity(AccountKey(random.bytes(32)), AccountPlace(container: "x", user: "x"))
        // Ada's device has seen Bob's own proof.
        _ = try await world.current()
        let owner = try ShareEnvelope(try #require(try await world.trio.keys(of: world.share).envelope)).header.owner
        // Without the link's secret, and with Bob's own code for another key.
        let guess = ReceivedLink(secret: LinkSecret(random: random), shortGUID: "x")
        var forged = ShareProof(
            mallory.publicKey, of: try await bob.userName(), knowing: owner, guess, place(world))
        let own = try await world.trio.keys(of: world.share, as: bob, in: world.shared).members.first?.proof
        for code in [forged.code, try ShareProof(try #require(own)).code] {
            forged.code = code
            try await world.trio.put(.proof(forged.bytes), world.share, as: bob, in: world.shared)
            try await world.remove(world.trio.carol)
            let known = try await world.trio.keys(of: world.share)
            #expect(known.state == .current)
            for member in known.members {
                guard let handover = member.handover.flatMap({ try? ShareHandover($0) }) else { continue }
                #expect(handover.parties?.participant != mallory.publicKey)
                let name = try await bob.userName()
                #expect(handover.open(with: mallory, of: name, place(world)) == nil)
            }
            let invited = try await ada.container.shareParticipant(
                forUserRecordID: CKRecord.ID(recordName: try await world.trio.carol.userName()))
            let share = try await world.current()
            share.addParticipant(invited)
            try await ada.own.save(share)
            try await world.trio.carol.accept(share.url)
        }
        // What he put there keeps nobody out for good.
        try await ada.own.save(world.child("a", "of Ada"))
        #expect(try await world.secret("a", bob.shared) == "of Ada")
    }

    @Test("what was before a removal, given back", arguments: Door.allCases)
    func replay(door: Door) async throws {
        let world = try await SharedWorld(door, carol: .readWrite)
        let (ada, bob, carol) = (world.trio.ada, world.trio.bob, world.trio.carol)
        _ = try await world.current()
        let before = try await world.trio.keys(of: world.share)
        let joined = CKRecord.ID(recordName: KeyRecords.Name.joined(place(world)))
        let kept = try #require(try await RawCloud(carol.transport).field("envelope", of: joined))
        let former = try ShareEnvelope(try #require(before.envelope)).header
        try await world.remove(bob)
        try await carol.shared.save(world.child("c", "after", in: world.shared))
        #expect(try await world.trio.sealed("c", in: world.zoneID).keyID != former.keyID)
        let now = try await world.trio.keys(of: world.share)
        let handovers = before.members.compactMap { member in
            now.members.contains { $0.participantID == member.participantID }
                ? member.handover.map {
                    ShareKeysUpdate.Handover(participantID: member.participantID, bytes: $0)
                } : nil
        }
        try await world.trio.put(
            .keys(envelope: try #require(before.envelope), over: now.keyTag, handovers: handovers), world.share,
            as: ada, in: world.zoneID)
        // What Carol's devices keep there is given back as well: only the device itself knows better.
        try await RawCloud(carol.transport).putPlain(kept, "envelope", joined)
        for (device, zone) in [
            (carol.again().sharedCloudDatabase, world.shared), (ada.again().privateCloudDatabase, world.zoneID),
        ] {
            let refused = await code { try await device.save(world.child("later", "for Bob?", in: zone)) }
            #expect(refused == .accountTemporarilyUnavailable)
        }
    }

    @Test("keys of his own for those who take part", arguments: Door.allCases)
    func forgedKeys(door: Door) async throws {
        let world = try await SharedWorld(door, carol: .readWrite)
        let (ada, carol) = (world.trio.ada, world.trio.carol)
        _ = try await world.current()
        let known = try await world.trio.keys(of: world.share)
        let envelope = try ShareEnvelope(try #require(known.envelope))
        let account = AccountKey(random.bytes(32))
        let mallory = SharingIdentity(account, place(world).owner)
        let key = ZoneKey(random.bytes(32))
        let link = LinkSecret(random: random)
        // As the owner's successor, and in the owner's name.
        for owner in [mallory.publicKey, envelope.header.owner] {
            let header = ShareHeader(
                lineage: envelope.header.lineage, generation: envelope.header.generation + 1, keyID: key.id,
                owner: owner)
            var forged = envelope
            forged.header = header
            forged.earlier = []
            let name = try await carol.userName()
            let member = try #require(known.members.first { $0.userRecordName == name })
            let publicKey = try ShareProof(try #require(member.proof)).publicKey
            var handover = try #require(
                ShareHandover(
                    key, link, header, from: mallory, owner: mallory, to: name, publicKey, place(world),
                    random: random))
            for from in [mallory.publicKey, envelope.header.owner] {
                handover.parties?.from = from
                let now = try await world.trio.keys(of: world.share)
                try await world.trio.put(
                    .keys(
                        envelope: forged.bytes, over: now.keyTag,
                        handovers: [.init(participantID: member.participantID, bytes: handover.bytes)]),
                    world.share, as: ada, in: world.zoneID)
                let database = carol.again().sharedCloudDatabase
                let refused = await code {
                    try await database.save(world.child("c", "for Mallory?", in: world.shared))
                }
                #expect(refused == .accountTemporarilyUnavailable)
            }
        }
    }

    @Test("an envelope in the owner's name is no envelope", arguments: Door.allCases)
    func forgedEnvelope(door: Door) async throws {
        let world = try await SharedWorld(door)
        let known = try await world.trio.keys(of: world.share)
        var envelope = try ShareEnvelope(try #require(known.envelope))
        envelope.ownerPart[20] ^= 1
        try await world.trio.put(
            .keys(envelope: envelope.bytes, over: known.keyTag, handovers: []), world.share, as: world.trio.ada,
            in: world.zoneID)
        let database = world.trio.ada.again().privateCloudDatabase
        #expect(await code { try await database.save(world.child("a", "x")) } == .internalError)
        #expect(try await world.secret("root", database) == "of the root", "the owner's own list has the key")
    }

    @Test("a share's key is not taken for the zone's", arguments: Door.allCases)
    func swappedLists(door: Door) async throws {
        let world = try await SharedWorld(door)
        let raw = RawCloud(world.trio.ada.transport)
        let list = CKRecord.ID(recordName: KeyRecords.Name.zone("Notes", for: .share))
        let bytes = try #require(try await raw.field("envelope", of: list))
        try await raw.putPlain(bytes, "envelope", CKRecord.ID(recordName: KeyRecords.Name.zone("Notes")))
        let database = world.trio.ada.again().privateCloudDatabase
        let record = note("mine", in: world.zoneID)
        record.encryptedValues["secret"] = "for me"
        #expect(await code { try await database.save(record) } == .internalError)
    }

    @Test("an old link opens nothing, and proves nothing", arguments: Door.allCases)
    func oldLink(door: Door) async throws {
        let world = try await SharedWorld(door, carol: nil)
        try await world.remove(world.trio.bob)
        let share = try await world.current()
        share.publicPermission = .readWrite
        try await world.trio.ada.own.save(share)
        let (bob, carol) = (world.trio.bob, world.trio.carol)
        // Whoever opens the old link comes in, but to no key; nor does a key of theirs come to the owner.
        try await carol.accept(world.share.url)
        #expect(await code { _ = try await world.secret("root", carol.shared) } == .accountTemporarilyUnavailable)
        let old = try #require(world.share.url.flatMap { ShareLinks.received($0) })
        let identity = SharingIdentity(AccountKey(random.bytes(32)), AccountPlace(container: "x", user: "x"))
        let proof = ShareProof(
            identity.publicKey, of: try await carol.userName(), knowing: identity.publicKey, old, place(world))
        try await world.trio.put(.proof(proof.bytes), world.share, as: carol, in: world.shared)
        _ = try await world.current()
        #expect(try await world.trio.keys(of: world.share).members.allSatisfy { $0.handover == nil })
        try await bob.accept(share.url)
        #expect(try await world.secret("root", bob.shared) == "of the root")
    }
}
