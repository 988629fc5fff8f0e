import CloudKit
import StratusTesting
import Testing

/// The introduction's sections on containers and databases.
@Suite struct ContainersAndDatabasesTests {
    @Test("What one app's container holds is never seen through another's")
    func containersAreSeparate() async throws {
        let ada = try await LocalCloud().account("ada")
        let notes = ada.container("iCloud.org.example.notes"), photos = ada.container("iCloud.org.example.photos")
        let item = try await notes.privateCloudDatabase.save(referenceItem("Lamp"))
        let missing = await failure { _ = try await photos.privateCloudDatabase.record(for: item.recordID) }
        #expect(missing?.code == .unknownItem)
    }

    @Test("Several apps can work with one container, and one app with several")
    func containersAreShared() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let name = "iCloud.org.example.family"
        let (reader, editor) = (ada.device("phone").container(name), ada.device("laptop").container(name))
        let item = try await editor.privateCloudDatabase.save(referenceItem("Lamp"))
        #expect(try await reader.privateCloudDatabase.record(for: item.recordID)["name"] == "Lamp")
        let other = ada.device("phone").container("iCloud.org.example.other")
        try await other.privateCloudDatabase.save(referenceItem("Chair"))
        #expect(reader.containerIdentifier == name && other.containerIdentifier == "iCloud.org.example.other")
    }

    @Test("The default container gives the public and the private database")
    func defaultContainer() async throws {
        let cloud = try await LocalCloud()
        try await cloud.account("ada").use {
            let publicDatabase = CKContainer.default().publicCloudDatabase
            let privateDatabase = CKContainer.default().privateCloudDatabase
            #expect(publicDatabase.databaseScope == .public && privateDatabase.databaseScope == .private)
            try await publicDatabase.save(referenceItem("Lamp"))
        }
        #expect(try await cloud.publicRecords().count == 1)
    }

    @Test("An app sees the public database and only its own user's private one")
    func privateDatabasesAreSeparate() async throws {
        let cloud = try await LocalCloud()
        let (ada, bob) = (cloud.account("ada").container, cloud.account("bob").container)
        let secret = try await ada.privateCloudDatabase.save(referenceItem("Diary"))
        let review = try await ada.publicCloudDatabase.save(referenceItem("Review"))
        let missing = await failure { _ = try await bob.privateCloudDatabase.record(for: secret.recordID) }
        #expect(missing?.code == .unknownItem)
        #expect(try await bob.publicCloudDatabase.record(for: review.recordID)["name"] == "Review")
    }

    @Test("Without an account the public database can be read, and nothing else done")
    func withoutAnAccount() async throws {
        let cloud = try await LocalCloud()
        let review = try await cloud.account("ada").container.publicCloudDatabase.save(referenceItem("Review"))
        let device = cloud.account("bob").device("kiosk")
        device.signOut()
        #expect(try await device.container.accountStatus() == .noAccount)
        let publicDatabase = device.container.publicCloudDatabase
        #expect(try await publicDatabase.record(for: review.recordID)["name"] == "Review")
        let write = await failure { try await publicDatabase.save(referenceItem("Spam")) }
        #expect(write?.code == .notAuthenticated)
        let secret = await failure {
            _ = try await device.container.privateCloudDatabase.record(for: review.recordID)
        }
        #expect(secret?.code == .notAuthenticated)
    }

    @Test("Others may read a public record, and only its creator may change it")
    func defaultPermissions() async throws {
        let cloud = try await LocalCloud()
        let review = try await cloud.account("ada").container.publicCloudDatabase.save(referenceItem("Good"))
        let bobs = cloud.account("bob").container.publicCloudDatabase
        let copy = try await bobs.record(for: review.recordID)
        copy["name"] = "Bad"
        #expect(await failure { try await bobs.save(copy) }?.code == .permissionFailure)
        #expect(await failure { try await bobs.deleteRecord(withID: copy.recordID) }?.code == .permissionFailure)
    }

    @Test("Private data counts towards the user's quota, public data towards the app's")
    func quotas() async throws {
        let cloud = try await LocalCloud(.init(privateQuota: 2_000, publicQuota: 2_000))
        let (ada, bob) = (cloud.account("ada").container, cloud.account("bob").container)
        let large = String(repeating: "x", count: 1_500)
        try await ada.privateCloudDatabase.save(referenceItem(large))
        #expect(await failure { try await ada.privateCloudDatabase.save(referenceItem(large)) }?.code == .quotaExceeded)
        try await bob.privateCloudDatabase.save(referenceItem(large))
        try await ada.publicCloudDatabase.save(referenceItem(large))
        #expect(await failure { try await bob.publicCloudDatabase.save(referenceItem(large)) }?.code == .quotaExceeded)
    }
}
