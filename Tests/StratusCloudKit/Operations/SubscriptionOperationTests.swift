import CloudKit
import StratusTesting
import Testing

/// What the operations about subscriptions tell their blocks.
@Suite struct SubscriptionOperationTests {
    private let device: LocalCloud.Device
    private var database: CKDatabase { device.container.privateCloudDatabase }

    init() async throws {
        device = try await LocalCloud().account("ada").device()
        let zoneID = try await database.save(CKRecordZone(zoneName: "Notes")).zoneID
        try await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone"))
        try await database.save(CKQuerySubscription.notes("query"))
    }

    @Test func whatFailsForOneIsNoFailureOfTheOperation() async throws {
        let diary = Diary()
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "database")],
            subscriptionIDsToDelete: ["zone", "absent"])
        operation.perSubscriptionSaveBlock = { diary.note("saved \($0) \($1.isSuccess)") }
        operation.perSubscriptionDeleteBlock = { diary.note("deleted \($0) \($1.code?.rawValue ?? 0)") }
        operation.modifySubscriptionsResultBlock = { diary.note("result \($0.isSuccess)") }
        operation.modifySubscriptionsCompletionBlock = { _, _, _ in diary.note("older") }
        await end(of: operation) { _ in database.add(operation) }
        #expect(diary.text == ["saved database true", "deleted zone 0", "deleted absent 11", "result true"])
        #expect(Set(try await database.allSubscriptions().map(\.subscriptionID)) == ["database", "query"])
    }

    @Test func theOlderBlockOfAModificationHasAPartialFailure() async throws {
        let diary = Diary()
        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "database")],
            subscriptionIDsToDelete: ["zone", "absent"])
        operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
            diary.note("\(saved?.map(\.subscriptionID) ?? []) \(deleted ?? [])")
            diary.note("\(partialCodes(of: error, as: String.self) == ["absent": .unknownItem])")
        }
        await end(of: operation) { _ in database.add(operation) }
        #expect(diary.text == [#"["database"] ["zone"]"#, "true"])
    }

    @Test func whoIsSignedOutIsToldSoOnce() async throws {
        device.signOut()
        let diary = Diary()
        let modify = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["zone"])
        modify.modifySubscriptionsResultBlock = { diary.note("modify \($0.code == .notAuthenticated)") }
        let fetch = CKFetchSubscriptionsOperation(subscriptionIDs: ["zone"])
        fetch.fetchSubscriptionsResultBlock = { diary.note("fetch \($0.code == .notAuthenticated)") }
        let older = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        older.fetchSubscriptionCompletionBlock = { found, error in
            diary.note("all \(found == nil) \((error as? CKError)?.code == .notAuthenticated)")
        }
        for operation in [modify, fetch, older] as [CKDatabaseOperation] {
            await end(of: operation) { _ in database.add(operation) }
        }
        #expect(diary.text == ["modify true", "fetch true", "all true true"])
    }

    @Test func someOfThem() async throws {
        let diary = Diary()
        let newer = CKFetchSubscriptionsOperation(subscriptionIDs: ["zone", "absent"])
        newer.perSubscriptionResultBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
        newer.fetchSubscriptionsResultBlock = { diary.note("result \($0.isSuccess)") }
        newer.fetchSubscriptionCompletionBlock = { _, _ in diary.note("older") }
        await end(of: newer) { _ in database.add(newer) }
        let older = CKFetchSubscriptionsOperation(subscriptionIDs: ["zone", "absent"])
        older.fetchSubscriptionCompletionBlock = { found, error in
            diary.note("\(found?.values.map(\.subscriptionID) ?? [])")
            diary.note("\(partialCodes(of: error, as: String.self) == ["absent": .unknownItem])")
        }
        await end(of: older) { _ in database.add(older) }
        #expect(diary.text == ["zone 0", "absent 11", "result true", #"["zone"]"#, "true"])
    }

    @Test func allOfThem() async throws {
        let diary = Diary()
        let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        operation.perSubscriptionResultBlock = { diary.note("\($0) \($1.isSuccess)") }
        operation.fetchSubscriptionCompletionBlock = { found, error in
            diary.note("\((found ?? [:]).keys.sorted()) \(error == nil)")
        }
        await end(of: operation) { _ in database.add(operation) }
        #expect(Set(diary.text.prefix(2)) == ["zone true", "query true"])
        #expect(diary.text.suffix(1) == [#"["query", "zone"] true"#])
    }
}

extension CKQuerySubscription {
    /// For each new note.
    fileprivate static func notes(_ subscriptionID: String) -> CKQuerySubscription {
        CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: subscriptionID,
            options: .firesOnRecordCreation)
    }
}
