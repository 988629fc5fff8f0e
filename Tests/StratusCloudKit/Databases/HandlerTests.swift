import CloudKit
import StratusTesting
import Testing

/// Calls of a database, those with completion handlers beside their async forms.
@Suite struct HandlerTests {
    private let cloud: LocalCloud
    private let device: LocalCloud.Device
    private let database: CKDatabase
    private let zoneID: CKRecordZone.ID

    init() async throws {
        cloud = try await LocalCloud()
        device = cloud.account("ada").device()
        database = device.container.privateCloudDatabase
        zoneID = try await database.save(CKRecordZone(zoneName: "Notes")).zoneID
        let saved = try await database.modifyRecords(saving: ["a", "b"].map { note($0, in: zoneID) }, deleting: [])
        try #require(saved.saveResults.values.allSucceeded())
    }

    @Test("zones are made and deleted, each with its own result") func zones() async throws {
        let (new, absent) = (CKRecordZone(zoneName: "New"), CKRecordZone.ID(zoneName: "Absent"))
        let made = try await database.modifyRecordZones(saving: [new], deleting: [absent])
        #expect(try made.saveResults[new.zoneID]?.get().zoneID == new.zoneID)
        #expect(made.deleteResults.count == 1 && made.deleteResults[absent]?.code == .zoneNotFound)
        let all = try await answer { database.fetchAllRecordZones(completionHandler: $0) }
        #expect(Set(all?.map(\.zoneID) ?? []) == [.default, zoneID, new.zoneID])
        let deleted = try await result {
            database.modifyRecordZones(saving: [], deleting: [new.zoneID, absent], completionHandler: $0)
        }
        #expect(deleted.saveResults.isEmpty && deleted.deleteResults[new.zoneID]?.isSuccess == true)
        #expect(deleted.deleteResults[absent]?.code == .zoneNotFound)
        #expect(Set(try await database.allRecordZones().map(\.zoneID)) == [.default, zoneID])
    }

    @available(*, deprecated, message: "It is about a deprecated form.")
    @Test("all records of a query at once") func queries() async throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "Hi"))
        let found = try await answer { database.perform(query, inZoneWith: zoneID, completionHandler: $0) }
        #expect(Set(found?.map(\.recordID.recordName) ?? []) == ["a", "b"])
        #expect(found?.first?["title"] as? String == "Hi")
        let records: [CKRecord] = try await database.records(matching: query, inZoneWith: zoneID)
        #expect(Set(records.map(\.recordID)) == Set(found?.map(\.recordID) ?? []))
        let absent = CKRecordZone.ID(zoneName: "Absent")
        let refused = await code {
            _ = try await answer { database.perform(query, inZoneWith: absent, completionHandler: $0) }
        }
        #expect(refused == .zoneNotFound)
    }

    @Test func subscriptions() async throws {
        #expect(try await answer { database.fetchAllSubscriptions(completionHandler: $0) } == [])
        try await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone"))
        try await database.save(CKDatabaseSubscription(subscriptionID: "database"))
        let all = try await answer { database.fetchAllSubscriptions(completionHandler: $0) }
        #expect(Set(all?.map(\.subscriptionID) ?? []) == ["zone", "database"])
    }

    @Test("a zone's changes, a page at a time") func changes() async throws {
        let first = try await result {
            database.fetchRecordZoneChanges(
                inZoneWith: zoneID, since: nil, desiredKeys: [], resultsLimit: 1, completionHandler: $0)
        }
        #expect(first.modificationResultsByID.count == 1 && first.moreComing)
        #expect(try first.modificationResultsByID.values.first?.get().record.allKeys() == [])
        try await database.deleteRecord(withID: .init(recordName: "b", zoneID: zoneID))
        try await database.save(note("c", in: zoneID))
        let rest = try await result {
            database.fetchRecordZoneChanges(inZoneWith: zoneID, since: first.changeToken, completionHandler: $0)
        }
        let names = Set(
            (first.modificationResultsByID.keys.map(\.recordName)) + rest.modificationResultsByID.keys.map(\.recordName)
        )
        #expect(names.isSuperset(of: ["a", "c"]) && !rest.moreComing)
        #expect(rest.deletions.map(\.recordID.recordName) == ["b"])
        let absent = await code {
            _ = try await result {
                database.fetchRecordZoneChanges(
                    inZoneWith: .init(zoneName: "Absent"), since: nil, completionHandler: $0)
            }
        }
        #expect(absent == .zoneNotFound)
    }

    @Test("which zones changed, a page at a time") func zonesThatChanged() async throws {
        let first = try await result { database.fetchDatabaseChanges(since: nil, completionHandler: $0) }
        #expect(first.modifications.map(\.zoneID) == [zoneID] && first.deletions.isEmpty && !first.moreComing)
        let others = ["X", "Y"].map { CKRecordZone(zoneName: $0) }
        let made = try await database.modifyRecordZones(saving: others, deleting: [])
        #expect(made.saveResults.values.allSucceeded())
        try await database.deleteRecordZone(withID: zoneID)
        var (token, seen, gone, pages) = (first.changeToken, Set<CKRecordZone.ID>(), Set<CKRecordZone.ID>(), 0)
        var isMoreComing = true
        while isMoreComing, pages < 10 {
            let since = token
            let page = try await result {
                database.fetchDatabaseChanges(since: since, resultsLimit: 1, completionHandler: $0)
            }
            #expect(page.modifications.count + page.deletions.count <= 1)
            seen.formUnion(page.modifications.map(\.zoneID))
            gone.formUnion(page.deletions.map(\.zoneID))
            (token, isMoreComing) = (page.changeToken, page.moreComing)
            pages += 1
        }
        #expect(seen == Set(others.map(\.zoneID)) && gone == [zoneID] && pages >= 3)
        cloud.expireChangeTokens()
        let last = token
        let expired = await code {
            _ = try await result { database.fetchDatabaseChanges(since: last, completionHandler: $0) }
        }
        #expect(expired == .changeTokenExpired)
    }

    @Test("who is signed out is told so by each") func signedOut() async {
        device.signOut()
        let codes = [
            await code { _ = try await answer { database.fetchAllRecordZones(completionHandler: $0) } },
            await code { _ = try await answer { database.fetchAllSubscriptions(completionHandler: $0) } },
            await code {
                _ = try await result {
                    database.modifyRecordZones(saving: [], deleting: [zoneID], completionHandler: $0)
                }
            },
        ]
        #expect(codes == Array(repeating: .notAuthenticated, count: 3))
    }
}
