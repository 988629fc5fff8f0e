import CloudKit
import CoreData
import StratusTesting
import Testing

/// The talk about sharing with Core Data: two stores, zones of shares, owners and participants, permissions, encryption.
@Suite struct SharedObjectsTests {
    let cloud: LocalCloud
    let jermaine: DocumentApp
    let heather: DocumentApp
    let mary: DocumentApp

    init() async throws {
        cloud = try await LocalCloud()
        let stores = [DocumentApp.Store(scope: .private), .init(scope: .shared)]
        let people = ["jermaine", "heather", "mary"].map { [cloud] in cloud.account($0).device("phone") }
        let apps = try people.map { try DocumentApp($0, DocumentModel.posts(), stores) }
        (jermaine, heather, mary) = (apps[0], apps[1], apps[2])
    }

    /// Writes a post and shares it with Heather, who may write, and Mary, who may read.
    func sharePost(_ title: String = "Demo") async throws -> CKShare {
        let postID = try await jermaine.add("Post", title, to: .private)
        let context = jermaine.container.newBackgroundContext()
        let share = try await jermaine.container.share([context.object(with: postID)], to: nil).1
        let people = try await jermaine.container.fetchParticipants(
            matching: CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["heather@example.com", "mary@example.com"]),
            into: jermaine.store(.private))
        people[0].permission = .readWrite
        people[1].permission = .readOnly
        people.forEach(share.addParticipant)
        return try await jermaine.container.persistUpdatedShare(share, in: jermaine.store(.private))
    }

    func accept(_ share: CKShare, _ app: DocumentApp, _ titles: [String] = ["Demo"]) async throws {
        let metadata = try await app.cloudContainer.shareMetadata(for: try #require(share.url))
        _ = try await app.container.acceptShareInvitations(from: [metadata], into: app.store(.shared))
        try await app.wait(for: titles, of: "Post")
    }

    @Test("One context sees the objects of the private and of the shared store")
    func oneContext() async throws {
        try await heather.add("Post", "My own", to: .private)
        try await accept(try await sharePost(), heather, ["Demo", "My own"])
        #expect(try await heather.objectID("Post", "Demo").persistentStore === heather.store(.shared))
        #expect(try await heather.objectID("Post", "My own").persistentStore === heather.store(.private))
    }

    @Test("A share has a zone of its own with the shared objects; others stay in the zone that the app has anyway")
    func zones() async throws {
        try await jermaine.add("Post", "Secret", to: .private)
        let share = try await sharePost()
        #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
        let owner = cloud.account("jermaine")
        let home = CKRecordZone.ID(zoneName: "com.apple.coredata.cloudkit.zone")
        #expect(try await Set(cloud.zones(of: owner)).isSuperset(of: [home, share.recordID.zoneID]))
        let shared = try await cloud.records(in: share.recordID.zoneID, of: owner)
        #expect(shared.compactMap { $0["CD_title"] as? String } == ["Demo"])
        let others = try await cloud.records(in: home, of: owner)
        #expect(others.compactMap { $0["CD_title"] as? String } == ["Secret"])
    }

    @Test("The owner has the zone in the private database, and participants have it in the shared one")
    func databases() async throws {
        let share = try await sharePost()
        try await accept(share, heather)
        let name = share.recordID.zoneID.zoneName
        #expect(try await jermaine.cloudContainer.sharedCloudDatabase.allRecordZones().isEmpty)
        let theirs = try await heather.cloudContainer.sharedCloudDatabase.allRecordZones().map(\.zoneID)
        #expect(theirs.map(\.zoneName) == [name])
        #expect(theirs.first?.ownerName == (try await jermaine.cloudContainer.userRecordID().recordName))
        let own = try await heather.cloudContainer.privateCloudDatabase.allRecordZones()
        #expect(!own.contains { $0.zoneID.zoneName == name })
    }

    @Test("New objects go to the zone of those that they are related to, whoever adds them")
    func relationships() async throws {
        let share = try await sharePost()
        try await accept(share, heather)
        let postID = try await heather.objectID("Post", "Demo")
        try await heather.save { context in
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("cool", forKey: "name")
            tag.mutableSetValue(forKey: "posts").add(context.object(with: postID))
        }
        let ownID = try await jermaine.objectID("Post", "Demo")
        try await jermaine.wait(for: "the tag") { [jermaine] _ in
            await jermaine.container.performBackgroundTask { context in
                let tags = context.object(with: ownID).value(forKey: "tags") as? Set<NSManagedObject>
                return tags?.first?.value(forKey: "name") as? String == "cool"
            }
        }
        let records = try await cloud.records(in: share.recordID.zoneID, of: cloud.account("jermaine"))
        #expect(Set(records.map(\.recordType)).isSuperset(of: ["CD_Post", "CD_Tag"]))
    }

    @Test("A share that exists takes further objects, which its participants see without another invitation")
    func existingShare() async throws {
        let share = try await sharePost()
        try await accept(share, mary)
        let postID = try await jermaine.add("Post", "Second", to: .private)
        let context = jermaine.container.newBackgroundContext()
        let (moved, same, _) = try await jermaine.container.share([context.object(with: postID)], to: share)
        #expect(moved == [postID] && same.recordID == share.recordID)
        try await mary.wait(for: ["Demo", "Second"], of: "Post")
    }

    @Test("The share of an object is found by its identity; an object that is not shared has none")
    func fetchingShares() async throws {
        let share = try await sharePost()
        let ids = [
            try await jermaine.objectID("Post", "Demo"), try await jermaine.add("Post", "Secret", to: .private),
        ]
        let found = try jermaine.container.fetchShares(matching: ids)
        #expect(found.mapValues(\.recordID) == [ids[0]: share.recordID])
        #expect(try jermaine.container.fetchShares(in: jermaine.store(.private)).count == 1)
        #expect(try jermaine.container.fetchShares(in: jermaine.store(.shared)).isEmpty)
    }

    @Test("A share names its owner and its participants, their roles, permissions and whether they have accepted")
    func participants() async throws {
        try await accept(try await sharePost(), heather)
        let id = try await heather.objectID("Post", "Demo")
        let share = try #require(try heather.container.fetchShares(matching: [id])[id])
        #expect(share.owner.role == .owner && share.owner.acceptanceStatus == .accepted)
        let own = try #require(share.currentUserParticipant)
        #expect(own.role == .privateUser && own.permission == .readWrite && own.acceptanceStatus == .accepted)
        // The owner also sees who was invited and has not accepted.
        let ownersID = try await jermaine.objectID("Post", "Demo")
        try await jermaine.wait(for: "the acceptance") { [jermaine] _ in
            let known = try jermaine.container.fetchShares(matching: [ownersID])[ownersID]?.participants ?? []
            return known.map(\.acceptanceStatus) == [.accepted, .accepted, .pending]
                && known.map(\.permission) == [.readWrite, .readWrite, .readOnly]
        }
    }

    @Test("What a person may do with an object depends on their permission in its share")
    func permissions() async throws {
        let share = try await sharePost()
        for app in [heather, mary] { try await accept(share, app) }
        for (app, mayChange) in [(jermaine, true), (heather, true), (mary, false)] {
            #expect(app.mayChange(try await app.objectID("Post", "Demo")) == mayChange)
        }
        #expect(try heather.container.canModifyManagedObjects(in: heather.store(.shared)))
        #expect(try !mary.container.canModifyManagedObjects(in: mary.store(.shared)))
        #expect(try mary.container.canModifyManagedObjects(in: mary.store(.private)))
    }

    @Test("Sharing and accepting call back when they are done")
    func completionHandlers() async throws {
        let postID = try await jermaine.add("Post", "Demo", to: .private)
        let app = jermaine
        let share: CKShare? = try await answer { completion in
            let context = app.container.newBackgroundContext()
            app.container.share([context.object(with: postID)], to: nil) { moved, share, container, error in
                #expect(error != nil || (moved == [postID] && container != nil))
                completion(share, error)
            }
        }
        let saved = try #require(share)
        saved.publicPermission = .readOnly
        let store = try jermaine.store(.private)
        let updated = try #require(
            try await answer { app.container.persistUpdatedShare(saved, in: store, completion: $0) })
        let metadata = try await mary.cloudContainer.shareMetadata(for: try #require(updated.url))
        let sharedStore = try mary.store(.shared)
        let container = mary.container
        let accepted = try await answer {
            container.acceptShareInvitations(from: [metadata], into: sharedStore, completion: $0)
        }
        #expect(accepted?.count == 1)
        try await mary.wait(for: ["Demo"], of: "Post")
    }
}
