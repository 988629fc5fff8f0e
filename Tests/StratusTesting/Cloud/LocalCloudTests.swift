import CloudKit
import StratusTesting
import Testing

@Suite struct LocalCloudTests {
    @Test func savesAndFetches() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        try await database.save(note("a"))
        #expect(try await database.record(for: CKRecord.ID(recordName: "a"))["title"] == "Hi")
        #expect(cloud.account("ada").container.containerIdentifier == LocalCloud.defaultContainer)
    }

    @Test("each cloud is alone", arguments: 0..<8)
    func isolation(_ number: Int) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        try await ada.container.privateCloudDatabase.save(note("same name", in: .default, "\(number)"))
        let records = try await cloud.records(of: ada)
        #expect(records.map { $0["title"] as? String } == ["\(number)"])
    }

    @Test func peopleHaveDatabasesOfTheirOwnAndOneTogether() async throws {
        let cloud = try await LocalCloud()
        let (ada, bob) = (cloud.account("ada"), cloud.account("Bob Dylan"))
        try await ada.container.privateCloudDatabase.save(note("a"))
        try await ada.container.publicCloudDatabase.save(note("everyone"))
        #expect(try await cloud.records(of: bob).isEmpty)
        #expect(try await cloud.publicRecords().map(\.recordID.recordName) == ["everyone"])
        let seen = try await bob.container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "everyone"))
        #expect(seen.creatorUserRecordID == (try await ada.container.userRecordID()))
        #expect(try await ada.container.userRecordID() != (try await bob.container.userRecordID()))
    }

    @Test func containersAreApart() async throws {
        let cloud = try await LocalCloud()
        let other = cloud.account("ada").container("iCloud.org.example.other")
        try await other.privateCloudDatabase.save(note("a"))
        #expect(try await cloud.records(of: cloud.account("ada")).isEmpty)
        #expect(
            try await cloud.records(of: cloud.account("ada"), container: "iCloud.org.example.other").count == 1)
        let wrong = await failure {
            try await cloud.account("ada").container("other").privateCloudDatabase.save(note("a"))
        }
        #expect(wrong?.code == .badContainer)
    }

    @Test func productionKnowsItsSchemaOnly() async throws {
        let schema = "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, GRANT WRITE TO \"_creator\");"
        let cloud = try await LocalCloud(.init(environment: .production, schema: schema))
        let database = cloud.account("ada").container.privateCloudDatabase
        try await database.save(note("a"))
        let stranger = CKRecord(recordType: "Stranger")
        #expect(await failure { try await database.save(stranger) }?.code == .invalidArguments)
        let error = await failure { _ = try await LocalCloud(.init(schema: "nonsense")) }
        #expect(error?.code == .invalidArguments)
    }

    @Test func aQuotaIsTheRealOne() async throws {
        let cloud = try await LocalCloud(.init(privateQuota: 2_000))
        let database = cloud.account("ada").container.privateCloudDatabase
        try await database.save(note("small"))
        let large = await failure {
            try await database.save(note("large", in: .default, String(repeating: "x", count: 3_000)))
        }
        #expect(large?.code == .quotaExceeded)
    }

    @Test func assetsTravelAndTheirFilesGoWithTheCloud() async throws {
        let source = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("a picture".utf8).write(to: source)
        defer { try? FileManager.default.removeItem(at: source) }
        let path: String
        do {
            let cloud = try await LocalCloud()
            let database = cloud.account("ada").container.privateCloudDatabase
            let record = note("a")
            record["picture"] = CKAsset(fileURL: source)
            try await database.save(record)
            let fetched = try await database.record(for: record.recordID)
            let file = try #require((fetched["picture"] as? CKAsset)?.fileURL)
            #expect(try Data(contentsOf: file) == Data("a picture".utf8))
            #expect(cloud.requests(.uploadAssets).count == 1 && cloud.requests(.downloadAssets).count == 1)
            path = file.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func peopleAreFoundIfTheyWantToBe() async throws {
        let cloud = try await LocalCloud()
        let bob = cloud.account(
            "bob", .init(emailAddress: "bob@example.org", givenName: "Bob", familyName: "Builder", isDiscoverable: true)
        )
        _ = cloud.account("eve", .init(emailAddress: "eve@example.org"))
        let ada = cloud.account("ada").container
        let found = try await ada.userIdentity(forEmailAddress: "bob@example.org")
        #expect(found?.nameComponents?.givenName == "Bob")
        #expect(found?.userRecordID == (try await bob.container.userRecordID()))
        #expect(try await ada.userIdentity(forEmailAddress: "eve@example.org") == nil)
        _ = cloud.account("eve", .init(emailAddress: "eve@example.org", isDiscoverable: true))
        #expect(try await ada.userIdentity(forEmailAddress: "eve@example.org") != nil)
    }
}
