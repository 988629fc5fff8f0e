import CloudKit
import Testing

/// Sharing as two people meet it, in the process and over HTTP.
@Suite struct SharingTests {
    /// A zone of Alice's with a root, and a share in which Bob has a part.
    private struct World {
        let app: App
        let zoneID: CKRecordZone.ID
        let root: CKRecord
        let share: CKShare
        /// The zone as Bob names it.
        let shared: CKRecordZone.ID

        var ada: CKDatabase { app.alice.privateCloudDatabase }
        var bob: CKDatabase { app.bob.sharedCloudDatabase }

        func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }
        func bobs(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: shared) }

        /// A record below the root, for whoever names the zone so.
        func child(_ name: String, in zoneID: CKRecordZone.ID) -> CKRecord {
            let record = note(name, in: zoneID)
            record.setParent(CKRecord.ID(recordName: "root", zoneID: zoneID))
            return record
        }
    }

    private func open(
        _ door: Door, _ permission: CKShare.ParticipantPermission? = .readWrite, accepts: Bool = true
    ) async throws -> World {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let root = note("root", in: zoneID)
        let share = CKShare(rootRecord: root)
        share[CKShare.SystemFieldKey.title] = "Trip"
        if let permission {
            let bob = try await app.alice.shareParticipant(forUserRecordID: try await app.bob.userRecordID())
            bob.permission = permission
            share.addParticipant(bob)
        }
        try await app.database.modifyRecords(saving: [root, share], deleting: [], atomically: true).saveResults
            .values.forEach { _ = try $0.get() }
        let owner = try await app.alice.userRecordID().recordName
        let world = World(
            app: app, zoneID: zoneID, root: root, share: share,
            shared: CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: owner))
        if permission != nil, accepts { try await accept(share.url, app.bob) }
        return world
    }

    @discardableResult
    private func accept(_ url: URL?, _ container: CKContainer) async throws -> CKShare {
        try await container.accept(try await container.shareMetadata(for: try #require(url)))
    }

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
        let world = try await open(door, nil)
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
        let world = try await open(door, nil)
        let child = world.child("child", in: world.zoneID)
        try await world.ada.save(child)
        let results = try await world.ada.modifyRecords(saving: [child, CKShare(rootRecord: child)], deleting: [])
        #expect(results.saveResults.values.contains { $0.code == .alreadyShared })
        let whole = await code { try await world.ada.save(CKShare(recordZoneID: world.zoneID)) }
        #expect(whole == .invalidArguments)
    }

    @Test("128: stopped elsewhere", arguments: Door.allCases)
    func stoppedElsewhere(door: Door) async throws {
        let world = try await open(door, nil)
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

    // MARK: - Coming in

    @Test("129: what a link leads to", arguments: Door.allCases)
    func metadata(door: Door) async throws {
        let world = try await open(door, accepts: false)
        let url = try #require(world.share.url)
        let operation = CKFetchShareMetadataOperation(shareURLs: [url])
        operation.shouldFetchRootRecord = true
        nonisolated(unsafe) var told: [(URL, Result<CKShare.Metadata, any Error>)] = []
        operation.perShareMetadataResultBlock = { told.append(($0, $1)) }
        await end(of: operation) { _ in world.app.bob.add(operation) }
        let metadata = try #require(try told.first?.1.get())
        #expect(told.count == 1 && told[0].0 == url)
        #expect(metadata.containerIdentifier == world.app.bob.containerIdentifier)
        #expect(metadata.hierarchicalRootRecordID == world.bobs("root"))
        #expect(metadata.rootRecord?["title"] == "Hi" && metadata.rootRecord?.recordID == world.bobs("root"))
        #expect(metadata.share.recordID.zoneID == world.shared && metadata.share.url == url)
        #expect(metadata.share[CKShare.SystemFieldKey.title] == "Trip")
        #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
        #expect(metadata.participantPermission == .readWrite)
        #expect(metadata.ownerIdentity.userRecordID == (try await world.app.alice.userRecordID()))
        #expect(metadata.share.currentUserParticipant?.acceptanceStatus == .pending)
        let archived = try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: archived)
        #expect(copy == metadata && copy?.rootRecord?["title"] == "Hi")
        // An archived invitation is as good.
        let share = try await world.app.bob.accept(try #require(copy))
        #expect(share.currentUserParticipant?.acceptanceStatus == .accepted)
        let own = try await world.app.alice.shareMetadata(for: url)
        #expect(own.participantRole == .owner && own.participantStatus == .accepted && own.rootRecord == nil)
        #expect(own.hierarchicalRootRecordID == world.root.recordID)
    }

    @Test("Links that lead nowhere, or not in", arguments: Door.allCases)
    func refusedLinks(door: Door) async throws {
        let world = try await open(door, nil)
        let url = try #require(world.share.url)
        let nowhere = url.deletingLastPathComponent().appendingPathComponent("nothing")
        let other = try #require(URL(string: "https://example.org/about"))
        let results = try await world.app.bob.shareMetadatas(for: [url, nowhere, other])
        #expect(results[url]?.code == .permissionFailure && results[nowhere]?.code == .unknownItem)
        #expect(results[other]?.code == .invalidArguments)
        #expect(await code { _ = try await world.app.nobody.shareMetadata(for: url) } == .notAuthenticated)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
    }

    @Test("126: the shared database has the zone, and its feed says so", arguments: Door.allCases)
    func zoneAppears(door: Door) async throws {
        let world = try await open(door, accepts: false)
        try await world.ada.save(world.child("child", in: world.zoneID))
        #expect(try await world.bob.allRecordZones().isEmpty)
        let before = try await world.bob.databaseChanges(since: nil)
        for _ in 0..<2 {
            let share = try await accept(world.share.url, world.app.bob)
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

    // MARK: - Using what is shared

    @Test("123, 125: who may write", arguments: Door.allCases)
    func readWrite(door: Door) async throws {
        let world = try await open(door)
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
        let world = try await open(door, .readOnly)
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
        let world = try await open(door)
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
        let world = try await open(door)
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
        let world = try await open(door)
        let token = try await world.bob.databaseChanges(since: nil).changeToken
        let share = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        share.removeParticipant(share.participants[1])
        try await world.ada.save(share)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
        #expect(try await world.bob.databaseChanges(since: token).deletions.map(\.zoneID) == [world.shared])
        let url = try #require(share.url)
        #expect(await code { _ = try await world.app.bob.shareMetadata(for: url) } == .permissionFailure)
    }

    // MARK: - Other ways in

    @Test("A public link", arguments: Door.allCases)
    func publicLink(door: Door) async throws {
        let world = try await open(door, nil)
        world.share.publicPermission = .readOnly
        try await world.ada.save(world.share)
        let metadata = try await world.app.bob.shareMetadata(for: try #require(world.share.url))
        #expect(metadata.participantRole == .publicUser && metadata.participantPermission == .readOnly)
        let share = try await world.app.bob.accept(metadata)
        #expect(share.currentUserParticipant?.role == .publicUser && share.publicPermission == .readOnly)
        #expect(try await world.bob.record(for: world.bobs("root"))["title"] == "Hi")
        let child = world.child("theirs", in: world.shared)
        #expect(await code { try await world.bob.save(child) } == .permissionFailure)
        let own = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        own.publicPermission = .readWrite
        try await world.ada.save(own)
        try await world.bob.save(child)
        own.publicPermission = .none
        try await world.ada.save(own)
        #expect(own.participants == [own.owner])
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
    }

    @Test("A one-time link", arguments: Door.allCases)
    func oneTimeLink(door: Door) async throws {
        let world = try await open(door, nil)
        let somebody = CKShare.Participant.oneTimeURLParticipant()
        somebody.permission = .readWrite
        let id = somebody.participantID
        world.share.addParticipant(somebody)
        #expect(world.share.oneTimeURL(for: id) == nil)
        try await world.ada.save(world.share)
        let url = try #require(world.share.oneTimeURL(for: id))
        #expect(url == world.share.oneTimeURL(for: somebody.participantID) && url != world.share.url)
        try await accept(url, world.app.bob)
        try await accept(url, world.app.bob)
        try await world.bob.save(world.child("theirs", in: world.shared))
        let share = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(share.oneTimeURL(for: somebody.participantID) == nil)
        let claimed = try #require(share.participants.first { $0 == somebody })
        #expect(claimed.userIdentity.userRecordID == (try await world.app.bob.userRecordID()))
        // It leads where the share's own link leads, for them.
        try await accept(share.url, world.app.bob)
    }

    @Test("Requests for access", arguments: Door.allCases)
    func accessRequests(door: Door) async throws {
        let world = try await open(door, nil)
        let url = try #require(world.share.url)
        func current() async throws -> CKShare {
            try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        }
        _ = try await world.app.bob.requestShareAccess(for: [url]).mapValues { try $0.get() }
        #expect(try await current().requesters.isEmpty)
        world.share.allowsAccessRequests = true
        try await world.ada.save(world.share)
        let operation = CKShareRequestAccessOperation(shareURLs: [url])
        nonisolated(unsafe) var told: [Result<Void, any Error>] = []
        operation.perShareAccessRequestResultBlock = { told.append($1) }
        await end(of: operation) { _ in world.app.bob.add(operation) }
        #expect(told.count == 1 && told.allSucceeded())
        var share = try await current()
        let requester = try #require(share.requesters.first)
        share.denyRequesters([requester])
        try await world.ada.save(share)
        #expect(try await current().requesters.isEmpty)
        _ = try await world.app.bob.requestShareAccess(for: [url])
        share = try await current()
        let bob = try await world.app.alice.shareParticipants(for: [requester.participantLookupInfo]).values.first
        share.addParticipant(try #require(try bob?.get()))
        try await world.ada.save(share)
        #expect(share.requesters.isEmpty && share.participants[1].isApprovedRequester)
        try await accept(url, world.app.bob)
        share = try await current()
        share.blockRequesters([requester])
        try await world.ada.save(share)
        #expect(share.blockedIdentities.count == 1 && share.participants.count == 1)
        #expect(await code { _ = try await world.bob.record(for: world.bobs("root")) } == .zoneNotFound)
        _ = try await world.app.bob.requestShareAccess(for: [url])
        share = try await current()
        #expect(share.requesters.isEmpty)
        share.unblockIdentities(share.blockedIdentities)
        try await world.ada.save(share)
        #expect(try await current().blockedIdentities.isEmpty)
    }

    @Test("Who may ask is for the owner to say, and the server sees to that", arguments: Door.allCases)
    func accessRequestsOfAParticipant(door: Door) async throws {
        let world = try await open(door)
        let share = try #require(try await world.bob.record(for: world.share.recordID.in(world.shared)) as? CKShare)
        share.allowsAccessRequests = true
        #expect(share.allowsAccessRequests)
        #expect(await code { try await world.bob.save(share) } == .permissionFailure)
        let stored = try #require(try await world.ada.record(for: world.share.recordID) as? CKShare)
        #expect(!stored.allowsAccessRequests)
    }

    @Test("A share that lost its owner is refused before any network, and the server's stays", arguments: Door.allCases)
    func withoutItsOwner(door: Door) async throws {
        let world = try await open(door)
        let share = world.share
        let owner = share.owner
        share.removeParticipant(owner)
        #expect(share.owner.participantID == owner.participantID, "it is the server's all the same")
        let error = await #expect(throws: CKError.self) { try await world.ada.save(share) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.hasSuffix("cannot be without its owner.") == true)
        nonisolated(unsafe) var isAsked = false
        let nowhere = CKContainer(
            identifier: "iCloud.org.example.nowhere", transport: NoTransport(asked: { isAsked = true }),
            keyStore: MemoryKeyStore())
        #expect(await code { try await nowhere.privateCloudDatabase.save(share) } == .invalidArguments)
        #expect(!isAsked)
        let new = CKShare(rootRecord: note("other", in: world.zoneID))
        new.participants[0].role = .privateUser
        #expect(await code { try await world.ada.save(new) } == .invalidArguments)
        let stored = try #require(try await world.ada.record(for: share.recordID) as? CKShare)
        #expect(stored.owner.participantID == owner.participantID && stored.participants.count == 2)
    }

    // MARK: - Operations

    @Test("The operations, and the blocks from before results", arguments: Door.allCases)
    func operations(door: Door) async throws {
        let world = try await open(door, accepts: false)
        let url = try #require(world.share.url)
        let nowhere = url.deletingLastPathComponent().appendingPathComponent("nothing")
        nonisolated(unsafe) var metadatas: [CKShare.Metadata] = []
        nonisolated(unsafe) var errors: [(any Error)?] = []
        let fetch = CKFetchShareMetadataOperation(shareURLs: [url, nowhere])
        fetch.perShareMetadataBlock = { _, metadata, _ in if let metadata { metadatas.append(metadata) } }
        fetch.fetchShareMetadataCompletionBlock = { errors.append($0) }
        await end(of: fetch) { _ in world.app.bob.add(fetch) }
        let partial = try #require(errors.first as? CKError)
        #expect(partial.code == .partialFailure && metadatas.count == 1)
        #expect((partial.partialErrorsByItemID?[nowhere] as? CKError)?.code == .unknownItem)
        let accept = CKAcceptSharesOperation(shareMetadatas: metadatas)
        nonisolated(unsafe) var accepted: [Result<CKShare, any Error>] = []
        nonisolated(unsafe) var whole: Result<Void, any Error>?
        accept.perShareResultBlock = { accepted.append($1) }
        accept.acceptSharesResultBlock = { whole = $0 }
        await end(of: accept) { _ in world.app.bob.add(accept) }
        #expect(accepted.count == 1 && accepted.allSucceeded() && whole?.isSuccess == true)
        let people = CKFetchShareParticipantsOperation(
            userIdentityLookupInfos: [.init(emailAddress: "carol@example.org"), .init(emailAddress: "")])
        nonisolated(unsafe) var found: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] = [:]
        people.perShareParticipantResultBlock = { found[$0] = $1 }
        await end(of: people) { _ in world.app.alice.add(people) }
        #expect(found[.init(emailAddress: "")]?.code == .invalidArguments)
        let carol = try #require(try found[.init(emailAddress: "carol@example.org")]?.get())
        #expect(carol.userIdentity.lookupInfo?.emailAddress == "carol@example.org" && carol.permission == .readOnly)
    }

    @Test func aShareOfAnotherContainer() async throws {
        let world = try await open(.inProcess, accepts: false)
        let metadata = try await world.app.bob.shareMetadata(for: try #require(world.share.url))
        let other = try await Door.inProcess.open()
        #expect(await code { try await other.bob.accept(metadata) } == .badContainer)
    }
}

extension CKRecord.ID {
    /// The same name in a zone.
    fileprivate func `in`(_ zoneID: CKRecordZone.ID) -> CKRecord.ID {
        CKRecord.ID(recordName: recordName, zoneID: zoneID)
    }
}
