import CloudKit
import StratusTesting
import Testing

/// The records that people have without making them.
@Suite struct UserRecordTests {
    /// A container as two people with accounts use it.
    private func people(_ door: Door) async throws -> (alice: CKContainer, bob: CKContainer) {
        switch door {
        case .inProcess:
            let cloud = try await LocalCloud()
            return (cloud.account("alice").container, cloud.account("bob").container)
        case .http:
            let app = try await door.open()
            return (app.alice, app.bob)
        }
    }

    @Test("one in the public and one in the private database, each its own", arguments: Door.allCases)
    func both(_ door: Door) async throws {
        let (alice, bob) = try await people(door)
        let userID = try await alice.userRecordID()
        for database in [alice.publicCloudDatabase, alice.privateCloudDatabase] {
            let record = try await database.record(for: userID)
            #expect(record.recordType == CKRecordTypeUserRecord && record.recordID == userID)
            #expect(record["nickname"] == nil)
        }
        let mine = try await alice.privateCloudDatabase.record(for: userID)
        mine["nickname"] = "Al"
        try await alice.privateCloudDatabase.save(mine)
        #expect(try await alice.privateCloudDatabase.record(for: userID)["nickname"] == "Al")
        #expect(try await alice.publicCloudDatabase.record(for: userID)["nickname"] == nil)
        let everyones = try await alice.publicCloudDatabase.record(for: userID)
        everyones["nickname"] = "Alice"
        try await alice.publicCloudDatabase.save(everyones)
        #expect(try await bob.publicCloudDatabase.record(for: userID)["nickname"] == "Alice")
    }

    @Test("it can be changed by its owner alone, and made or deleted by nobody", arguments: Door.allCases)
    func refusals(_ door: Door) async throws {
        let (alice, bob) = try await people(door)
        let userID = try await alice.userRecordID()
        let seen = try await bob.publicCloudDatabase.record(for: userID)
        seen["nickname"] = "Bob's"
        #expect(await code { try await bob.publicCloudDatabase.save(seen) } == .permissionFailure)
        for database in [alice.publicCloudDatabase, alice.privateCloudDatabase] {
            #expect(await code { _ = try await database.deleteRecord(withID: userID) } != nil)
            #expect(try await database.record(for: userID).recordID == userID)
            let made = CKRecord(recordType: CKRecordTypeUserRecord, recordID: .init(recordName: "another"))
            #expect(await code { try await database.save(made) } != nil)
        }
    }
}
