import CloudKit
import StratusTesting
import Testing

/// The feed of a public database.
@Suite struct PublicChangesTests {
    private func names(_ ids: some Sequence<CKRecord.ID>) -> Set<String> { Set(ids.map(\.recordName)) }

    @Test("Saved and deleted records, page by page, with and without a person signed in", arguments: Door.allCases)
    func pages(_ door: Door) async throws {
        let app = try await door.open()
        let database = app.alice.publicCloudDatabase
        for name in ["a", "b", "c"] { try await database.save(note(name)) }
        let reader = app.nobody.publicCloudDatabase
        let first = try await reader.publicChanges(since: nil, resultsLimit: 2)
        #expect(names(first.modificationResultsByID.keys) == ["a", "b"] && first.moreComing)
        let second = try await reader.publicChanges(since: first.changeToken)
        #expect(names(second.modificationResultsByID.keys) == ["c"] && !second.moreComing)
        let record = try second.modificationResultsByID[CKRecord.ID(recordName: "c")]?.get().record
        #expect(record?["title"] as? String == "Hi" && record?.recordID.zoneID == .default)
        try await database.deleteRecord(withID: CKRecord.ID(recordName: "a"))
        try await database.save(CKRecord(recordType: "Book", recordID: CKRecord.ID(recordName: "d")))
        for reader in [reader, app.bob.publicCloudDatabase] {
            let last = try await reader.publicChanges(since: second.changeToken, desiredKeys: [])
            #expect(names(last.modificationResultsByID.keys) == ["d"] && !last.moreComing)
            #expect(last.deletions.map(\.recordID) == [CKRecord.ID(recordName: "a")])
            #expect(last.deletions.map(\.recordType) == ["Note"])
            let books = try await reader.publicChanges(since: second.changeToken, recordTypes: ["Book"])
            #expect(names(books.modificationResultsByID.keys) == ["d"] && books.deletions.isEmpty)
        }
    }

    @Test("Tokens of other feeds have expired, and other databases have no such feed", arguments: Door.allCases)
    func refusals(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let token = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        let database = app.alice.publicCloudDatabase
        #expect(await code { _ = try await database.publicChanges(since: token) } == .changeTokenExpired)
        #expect(await code { _ = try await app.database.publicChanges(since: nil) } == .badDatabase)
    }

    @Test("A server without the feed is told apart from one that fails")
    func unavailable() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.publicCloudDatabase
        cloud.faults.inject(.error(.unknownItem), on: .fetchPublicChanges)
        await #expect(throws: CKDatabase.PublicChangesUnavailable.self) {
            _ = try await database.publicChanges(since: nil)
        }
        cloud.faults.inject(.error(.permissionFailure), on: .fetchPublicChanges)
        #expect(await code { _ = try await database.publicChanges(since: nil) } == .permissionFailure)
        let token = try await database.publicChanges(since: nil).changeToken
        cloud.expireChangeTokens()
        #expect(await code { _ = try await database.publicChanges(since: token) } == .changeTokenExpired)
    }
}
