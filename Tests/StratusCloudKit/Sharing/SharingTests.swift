import CloudKit
import Testing

/// Sharing as two people meet it, in the process and over HTTP.
@Suite struct SharingTests {
    // MARK: - Making shares

    @Test("113: without its root", arguments: Door.allCases)
    func rootIsMissing(door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let root = note("root", in: zoneID)
        let share = CKShare(rootRecord: root)
        #expect(await code { try await app.database.save(share) } == .invalidArguments)
        try await app.database.save(root)
        #expect(await code { try await app.database.save(share) } == .invalidArguments)
        #expect(try await app.database.record(for: root.recordID).share == nil)
    }

    @Test("114, 115, 116: root and share together, then the share alone", arguments: Door.allCases)
    func rootAndShare(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let share = world.share
        #expect(share.url?.path.hasPrefix("/share/") == true && share.recordChangeTag != nil)
        #expect(share.owner.role == .owner && share.owner.acceptanceStatus == .accepted)
        #expect(share.publicPermission == .none && share.participants.count == 1)
        #expect(world.root.share?.recordID == share.recordID)
        share[CKShare.SystemFieldKey.title] = "Journey"
        let tag = share.recordChangeTag
        try await world.ada.save(share)
        #expect(share.recordChangeTag != tag)
        let root = try await world.ada.record(for: world.root.recordID)
        let found = try await world.ada.record(for: try #require(root.share).recordID)
        let again = try #require(found as? CKShare)
        #expect(again.url == share.url && again[CKShare.SystemFieldKey.title] == "Journey")
        #expect(again.currentUserParticipant == again.owner)
        // Shares are never overwritten, whatever the policy.
        again[CKShare.SystemFieldKey.title] = "Mine"
        try await world.ada.save(again)
        share[CKShare.SystemFieldKey.title] = "Late"
        let late = try await world.ada.modifyRecords(saving: [share], deleting: [], savePolicy: .allKeys)
        let error = try #require(throws: CKError.self) { try late.saveResults[share.recordID]?.get() }
        #expect(error.code == .serverRecordChanged)
        #expect((error.serverRecord as? CKShare)?[CKShare.SystemFieldKey.title] == "Mine")
        #expect(error.ancestorRecord is CKShare && error.clientRecord is CKShare)
    }

    @Test("117, 118: a zone", arguments: Door.allCases)
    func zones(door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        #expect(try await app.database.recordZone(for: zoneID).share == nil)
        let share = CKShare(recordZoneID: zoneID)
        try await app.database.save(share)
        #expect(share.url != nil && share.recordID.recordName == "cloudkit.zoneshare")
        #expect(try await app.database.recordZone(for: zoneID).share?.recordID == share.recordID)
        #expect(
            await code { try await app.database.save(CKShare(recordZoneID: zoneID)) } == .serverRecordChanged)
        let root = note("root", in: zoneID)
        let nested = try await app.database.modifyRecords(saving: [root, CKShare(rootRecord: root)], deleting: [])
        #expect(nested.saveResults.values.contains { $0.code == .alreadyShared })
    }

    @Test("119: the default zone, and the public database", arguments: Door.allCases)
    func refusedPlaces(door: Door) async throws {
        let app = try await door.open()
        let root = note("root")
        for share in [CKShare(rootRecord: root), CKShare(recordZoneID: .default)] {
            let saved = await code {
                try await app.database.modifyRecords(saving: [root, share], deleting: [])
            }
            #expect(saved == .invalidArguments)
            let published = await code {
                try await app.alice.publicCloudDatabase.modifyRecords(saving: [root, share], deleting: [])
            }
            #expect(published == .badDatabase)
        }
        #expect(await code { _ = try await app.database.record(for: root.recordID) } == .unknownItem)
    }

    @Test("Records of one share cannot be in another", arguments: Door.allCases)
    func nested(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let child = world.child("child", in: world.zoneID)
        try await world.ada.save(child)
        let results = try await world.ada.modifyRecords(saving: [child, CKShare(rootRecord: child)], deleting: [])
        #expect(results.saveResults.values.contains { $0.code == .alreadyShared })
        let whole = await code { try await world.ada.save(CKShare(recordZoneID: world.zoneID)) }
        #expect(whole == .invalidArguments)
    }

    @Test("128: stopped elsewhere", arguments: Door.allCases)
    func stoppedElsewhere(door: Door) async throws {
        let world = try await SharedPair.open(door, nil)
        let old = try await world.ada.record(for: world.root.recordID)
        try await world.ada.deleteRecord(withID: world.share.recordID)
        let share = CKShare(rootRecord: old)
        let results = try await world.ada.modifyRecords(saving: [old, share], deleting: []).saveResults
        #expect(results[old.recordID]?.code == .serverRecordChanged)
        #expect(results[share.recordID]?.code == .batchRequestFailed)
        // The same link leads to what is shared anew.
        let root = try await world.ada.record(for: world.root.recordID)
        #expect(root.share == nil)
        let again = CKShare(rootRecord: root)
        _ = try await world.ada.modifyRecords(saving: [root, again], deleting: [])
        #expect(again.url?.path == world.share.url?.path)
    }

    // MARK: - Using what is shared

    @Test("126: the shared database has the zone, and its feed says so", arguments: Door.allCases)
    func zoneAppears(door: Door) async throws {
        let world = try await SharedPair.open(door, accepts: false)
        try await world.ada.save(world.child("child", in: world.zoneID))
        #expect(try await world.bob.allRecordZones().isEmpty)
        let before = try await world.bob.databaseChanges(since: nil)
        for _ in 0..<2 {
            let share = try await SharedPair.accept(world.share.url, world.app.bob)
            #expect(share.recordID.zoneID == world.shared && share.participants.count == 2)
            #expect(share.owner.userIdentity.userRecordID?.recordName == world.shared.ownerName)
            #expect(share.currentUserParticipant?.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
        }
        let changes = try await world.bob.databaseChanges(since: before.changeToken)
        #expect(changes.modifications.map(\.zoneID) == [world.shared] && changes.deletions.isEmpty)
        let zones = try await world.bob.allRecordZones()
        #expect(zones.map(\.zoneID) == [world.shared] && zones[0].capabilities == [.fetchChanges, .atomic])
        let feed = try await world.bob.recordZoneChanges(inZoneWith: world.shared, since: nil)
        let names = Set(feed.modificationResultsByID.keys.map(\.recordName))
        #expect(names == ["root", "child", world.share.recordID.recordName])
        #expect(try feed.modificationResultsByID[world.share.recordID.in(world.shared)]?.get().record is CKShare)
        let own = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(own.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
    }

    @Test("123, 125: who may write", arguments: Door.allCases)
    func readWrite(door: Door) async throws {
        let world = try await SharedPair.open(door)
        let token = try await world.ada.recordZoneChanges(inZoneWith: world.zoneID, since: nil).changeToken
        let theirs = world.child("theirs", in: world.shared)
        try await world.bob.save(theirs)
        #expect(theirs.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        let feed = try await world.ada.recordZoneChanges(inZoneWith: world.zoneID, since: token)
        #expect(Array(feed.modificationResultsByID.keys) == [world.id("theirs")])
        let found = try await world.ada.record(for: world.id("theirs"))
        #expect(found.creatorUserRecordID == (try await world.app.bob.userRecordID()))
        let root = try await world.bob.record(for: world.bobs("root"))
        root["title"] = "Bob was here"
        try await world.bob.save(root)
        #expect(try await world.ada.record(for: world.root.recordID)["title"] == "Bob was here")
        #expect(await code { try await world.bob.save(note("alone", in: world.shared)) } == .permissionFailure)
        let deleted = await code { try await world.bob.deleteRecord(withID: world.bobs("root")) }
        #expect(deleted == .permissionFailure)
        try await world.bob.deleteRecord(withID: theirs.recordID)
        #expect(await code { _ = try await world.ada.record(for: world.id("theirs")) } == .unknownItem)
    }

    @Test("124: who may only read", arguments: Door.allCases)
    func readOnly(door: Door) async throws {
        let world = try await SharedPair.open(door, .readOnly)
        let root = try await world.bob.record(for: world.bobs("root"))
        root["title"] = "Bob was here"
        #expect(await code { try await world.bob.save(root) } == .permissionFailure)
        let child = world.child("theirs", in: world.shared)
        #expect(await code { try await world.bob.save(child) } == .permissionFailure)
        #expect(try await world.ada.record(for: world.root.recordID)["title"] == "Hi")
        // Nor may they let themselves do more.
        let share = try #require(
            try await world.bob.record(for: world.share.recordID.in(world.shared)) as? CKShare)
        share.currentUserParticipant?.permission = .readWrite
        #expect(await code { try await world.bob.save(share) } == .permissionFailure)
        // The owner lets them.
        let own = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        own.participants[1].permission = .readWrite
        try await world.ada.save(own)
        try await world.bob.save(child)
    }

    // MARK: - Ends

    @Test("120, 127: the owner stops", arguments: Door.allCases)
    func stop(door: Door) async throws {
        let world = try await SharedPair.open(door)
        try await world.ada.save(world.child("child", in: world.zoneID))
        let before = try await world.bob.databaseChanges(since: nil)
        #expect(before.modifications.map(\.zoneID) == [world.shared])
        try await world.ada.deleteRecord(withID: world.share.recordID)
        #expect(try await world.ada.record(for: world.root.recordID).share == nil)
        _ = try await world.ada.record(for: world.id("child"))
        let after = try await world.bob.databaseChanges(since: before.changeToken)
        #expect(after.deletions.map(\.zoneID) == [world.shared] && after.modifications.isEmpty)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("child")) } == .zoneNotFound)
        let url = try #require(world.share.url)
        #expect(await code { _ = try await world.app.bob.shareMetadata(for: url) } == .unknownItem)
    }

    @Test("121, 122: a participant leaves", arguments: [(Door.inProcess, true), (.inProcess, false), (.http, true)])
    func leave(door: Door, byShare: Bool) async throws {
        let world = try await SharedPair.open(door)
        if byShare {
            try await world.bob.deleteRecord(withID: world.share.recordID.in(world.shared))
        } else {
            try await world.bob.deleteRecordZone(withID: world.shared)
        }
        #expect(await code { try await world.bob.deleteRecord(withID: world.bobs("root")) } == .zoneNotFound)
        #expect(try await world.bob.allRecordZones().isEmpty)
        let share = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(share.participants == [share.owner])
        _ = try await world.ada.record(for: world.root.recordID)
    }

    @Test("A participant is removed", arguments: Door.allCases)
    func remove(door: Door) async throws {
        let world = try await SharedPair.open(door)
        let token = try await world.bob.databaseChanges(since: nil).changeToken
        let share = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        share.removeParticipant(share.participants[1])
        try await world.ada.save(share)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
        #expect(try await world.bob.databaseChanges(since: token).deletions.map(\.zoneID) == [world.shared])
        let url = try #require(share.url)
        #expect(await code { _ = try await world.app.bob.shareMetadata(for: url) } == .permissionFailure)
    }
}
