import CloudKit
import StratusTesting
import Testing

@Suite struct FaultTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let database: CKDatabase

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        database = ada.container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: notes))
        try await database.save(note("a", in: notes))
        cloud.forgetRequests()
    }

    private func save(_ name: String = "b") async -> CKError? {
        await failure { try await database.save(note(name, in: notes)) }
    }

    private func fetch(_ name: String = "a") async -> CKError? {
        await failure { _ = try await database.record(for: note(name, in: notes).recordID) }
    }

    private func isStored(_ name: String) async throws -> Bool {
        try await cloud.records(in: notes, of: ada).contains { $0.recordID.recordName == name }
    }

    @Test("every error, at a read and at a write", arguments: (1...40).compactMap { CKError.Code(rawValue: $0) })
    func everyError(_ code: CKError.Code) async throws {
        cloud.faults.inject(.error(code, retryAfter: 9), on: .fetchRecords)
        let read = await fetch()
        #expect(read?.code == code && read?.retryAfterSeconds == 9)
        cloud.faults.inject(.error(code), on: .saveRecords)
        let write = await save()
        let alwaysSaysWhen: Set<CKError.Code> = [.serviceUnavailable, .requestRateLimited, .zoneBusy]
        #expect(write?.code == code && write?.retryAfterSeconds == (alwaysSaysWhen.contains(code) ? 1 : nil))
        #expect(try await isStored("b") == false)
        // It happened as often as it was to, and the library did not try again.
        #expect(cloud.requests.count == 2 && cloud.faults.pending.isEmpty)
        #expect(await save() == nil)
    }

    @Test func everyCall() async throws {
        let container = ada.container
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"))
        let calls: [(LocalCloud.Calls, () async throws -> Void)] = [
            (.fetchRecords, { _ = try await database.record(for: note("a", in: notes).recordID) }),
            (.saveRecords, { try await database.save(note("b", in: notes)) }),
            (.deleteRecords, { _ = try await database.deleteRecord(withID: note("a", in: notes).recordID) }),
            (.query, { _ = try await database.records(matching: query, inZoneWith: notes) }),
            (.fetchZoneChanges, { _ = try await database.recordZoneChanges(inZoneWith: notes, since: nil) }),
            (.fetchDatabaseChanges, { _ = try await database.databaseChanges(since: nil) }),
            (.fetchZones, { _ = try await database.allRecordZones() }),
            (.fetchZones, { _ = try await database.recordZone(for: notes) }),
            (.saveZones, { try await database.save(CKRecordZone(zoneName: "More")) }),
            (.deleteZones, { _ = try await database.deleteRecordZone(withID: notes) }),
            (.fetchSubscriptions, { _ = try await database.allSubscriptions() }),
            (.saveSubscriptions, { try await database.save(CKDatabaseSubscription(subscriptionID: "s")) }),
            (.deleteSubscriptions, { _ = try await database.deleteSubscription(withID: "s") }),
            (.discoverUsers, { _ = try await container.userIdentity(forEmailAddress: "x@example.org") }),
            (.fetchUser, { _ = try await container.applicationPermissionStatus(for: .userDiscoverability) }),
        ]
        for (kind, call) in calls {
            cloud.faults.inject(.error(.missingEntitlement), on: kind)
            #expect(await failure(of: call)?.code == .missingEntitlement, "\(kind)")
            #expect(cloud.faults.pending.isEmpty, "\(kind)")
        }
    }

    @Test func oneRecordOfABatch() async throws {
        let others = ["b", "c"].map { note($0, in: notes) }
        cloud.faults.inject(.error(.permissionFailure, of: others[0].recordID))
        let atomic = try await database.modifyRecords(saving: others, deleting: [], atomically: true).saveResults
        #expect(atomic[others[0].recordID]?.code == .permissionFailure)
        #expect(atomic[others[1].recordID]?.code == .batchRequestFailed)
        #expect(try await isStored("c") == false)

        cloud.faults.inject(.error(.permissionFailure, of: others[0].recordID))
        let each = try await database.modifyRecords(saving: others, deleting: [], atomically: false).saveResults
        #expect(each[others[0].recordID]?.code == .permissionFailure && each[others[1].recordID]?.code == nil)
        #expect(try await isStored("c"))
        #expect(try await isStored("b") == false)
        let outcome = try #require(cloud.requests.last?.outcome)
        guard case .partialFailure(let errors) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(errors[.record(others[0].recordID)]?.code == .permissionFailure && errors.count == 1)
    }

    @Test func aConflictBringsTheRecordOfTheServer() async throws {
        let record = try await database.record(for: note("a", in: notes).recordID)
        cloud.faults.inject(.error(.serverRecordChanged, of: record.recordID), on: .saveRecords)
        record["title"] = "Mine"
        let error = await failure { try await database.save(record) }
        #expect(error?.code == .serverRecordChanged && error?.serverRecord?["title"] == "Hi")
        #expect(error?.clientRecord?["title"] == "Mine")
    }

    @Test("every error after the commit", arguments: (1...37).compactMap { CKError.Code(rawValue: $0) })
    func everyErrorAfterTheCommit(_ code: CKError.Code) async throws {
        cloud.faults.inject(.error(code, afterCommit: true), on: .saveRecords)
        #expect(await save()?.code == code)
        #expect(try await isStored("b"))
        cloud.faults.inject(.error(code, of: note("b", in: notes).recordID, afterCommit: true), on: .deleteRecords)
        let error = await failure { _ = try await database.deleteRecord(withID: note("b", in: notes).recordID) }
        #expect(error?.code == code)
        #expect(try await isStored("b") == false)
        #expect(cloud.requests.count == 2)
    }

    @Test("every error of one record", arguments: (1...37).compactMap { CKError.Code(rawValue: $0) })
    func everyErrorOfOneRecord(_ code: CKError.Code) async throws {
        let saves = ["b", "c"].map { note($0, in: notes) }
        for isLate in [false, true] {
            cloud.faults.inject(.error(code, of: saves[0].recordID, afterCommit: isLate))
            let results = try await database.modifyRecords(
                saving: saves, deleting: [], savePolicy: .allKeys, atomically: false
            ).saveResults
            #expect(results[saves[0].recordID]?.code == code && results[saves[1].recordID]?.code == nil)
            #expect(try await isStored("b") == isLate)
        }
        cloud.faults.inject(.error(code, of: saves[1].recordID), on: .fetchRecords)
        #expect(try await database.records(for: [saves[1].recordID])[saves[1].recordID]?.code == code)
    }

    @Test func errorsBringWhatTheirCodesHave() async throws {
        let record = try await database.record(for: note("a", in: notes).recordID)
        record["title"] = "Mine"
        for isLate in [false, true] {
            cloud.faults.inject(.error(.serverRecordChanged, afterCommit: isLate), on: .saveRecords)
            let conflict = await failure { try await database.save(record) }
            #expect(conflict?.serverRecord?["title"] == (isLate ? "Mine" : "Hi"))
            #expect(conflict?.clientRecord?["title"] == "Mine" && conflict?.ancestorRecord?["title"] == "Hi")
        }
        cloud.faults.inject(.error(.partialFailure), on: .saveRecords)
        let partial = await save()
        #expect(partial?.partialErrorsByItemID?.keys.first == AnyHashable(note("b", in: notes).recordID))
        cloud.faults.inject(.error(.partialFailure), on: .saveZones)
        let zone = await failure { try await database.save(CKRecordZone(zoneID: notes)) }
        #expect(zone?.partialErrorsByItemID?.keys.first == AnyHashable(notes))
        cloud.faults.inject(.error(.networkFailure), on: .fetchRecords)
        #expect((await fetch()?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == NSURLErrorDomain)
        cloud.faults.inject(.error(.permissionFailure), on: .saveRecords)
        #expect(await save()?.userInfo["ServerErrorDescription"] is String)
    }

    @Test func oneRecordOfAFetch() async throws {
        try await database.save(note("b", in: notes))
        let recordIDs = ["a", "b"].map { note($0, in: notes).recordID }
        cloud.faults.inject(.error(.unknownItem, of: recordIDs[1]), on: .fetchRecords)
        let results = try await database.records(for: recordIDs)
        #expect(results[recordIDs[0]]?.code == nil && results[recordIDs[1]]?.code == .unknownItem)
    }

    @Test func offline() async throws {
        let injection = cloud.faults.inject(.offline, times: nil)
        #expect(await save()?.code == .networkUnavailable)
        #expect(await fetch()?.code == .networkUnavailable)
        injection.remove()
        #expect(await save() == nil)
    }

    @Test func droppedBeforeTheCommit() async throws {
        cloud.faults.inject(.dropBeforeCommit, on: .saveRecords)
        #expect(await save()?.code == .serverResponseLost)
        #expect(try await isStored("b") == false)
        #expect(cloud.requests(.saveRecords).count == 1)
    }

    @Test func droppedAfterTheCommit() async throws {
        cloud.faults.inject(.dropAfterCommit, on: .saveRecords)
        #expect(await save()?.code == .serverResponseLost)
        #expect(try await isStored("b"))
        // What the app meets next is the record that it made itself.
        let again = await save()
        #expect(again?.code == .serverRecordChanged && again?.serverRecord?["title"] == "Hi")
    }

    @Test func readsAreTriedAgain() async throws {
        cloud.faults.inject(.dropAfterCommit, on: .fetchRecords, times: 2)
        #expect(await fetch() == nil)
        #expect(cloud.requests(.fetchRecords).count == 3)
        cloud.faults.inject(.dropBeforeCommit, on: .fetchRecords, times: nil)
        #expect(await fetch()?.code == .networkFailure)
    }

    @Test func throttled() async throws {
        cloud.faults.inject(.throttle(retryAfter: 30))
        let refused = await save()
        #expect(refused?.code == .requestRateLimited && refused?.retryAfterSeconds == 30)
        let sent = cloud.requests.count
        #expect(await save()?.retryAfterSeconds == 30)
        #expect(cloud.requests.count == sent, "what comes too early is not sent")
        cloud.clock.advance(by: .seconds(30))
        let before = cloud.clock.now
        cloud.faults.inject(.throttle(retryAfter: 2), times: 2)
        #expect(await save() == nil)
        #expect(before.duration(to: cloud.clock.now) >= .seconds(4))
    }

    @Test func busy() async throws {
        cloud.faults.inject(.busy(retryAfter: 60))
        let refused = await save()
        #expect(refused?.code == .serviceUnavailable && refused?.retryAfterSeconds == 60)
    }

    @Test func noRoom() async throws {
        let saves = ["b", "c"].map { note($0, in: notes) }
        cloud.faults.inject(.quotaExceeded)
        let results = try await database.modifyRecords(saving: saves, deleting: [], atomically: false).saveResults
        #expect(results.count == 2 && results.values.allSatisfy { $0.code == .quotaExceeded })
        cloud.faults.inject(.quotaExceeded)
        _ = try await database.deleteRecord(withID: note("a", in: notes).recordID)
        #expect(try await cloud.records(in: notes, of: ada).isEmpty)
        #expect(cloud.faults.pending.count == 1)
    }

    @Test func someonesAndSomewhere() async throws {
        cloud.faults.inject(.offline, of: cloud.account("bob"), times: nil)
        cloud.faults.inject(.offline, device: "phone", times: nil)
        #expect(await save() == nil)
        let bobs = cloud.account("bob").container.privateCloudDatabase
        #expect(await failure { try await bobs.save(note("b")) }?.code == .networkUnavailable)
        let phone = ada.device("phone").container.privateCloudDatabase
        #expect(await failure { try await phone.save(note("b")) }?.code == .networkUnavailable)
        cloud.faults.removeAll()
        try await phone.save(note("b"))
    }

    @Test func assets() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("picture".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let record = note("b", in: notes)
        record["picture"] = CKAsset(fileURL: file)
        cloud.faults.inject(.error(.assetNotAvailable), on: .uploadAssets)
        #expect(await failure { try await database.save(record) }?.code == .assetNotAvailable)
        cloud.faults.inject(.quotaExceeded, on: .uploadAssets)
        #expect(await failure { try await database.save(record) }?.code == .quotaExceeded)
        try await database.save(record)
        cloud.faults.inject(.dropAfterCommit, on: .downloadAssets)
        #expect(await fetch("b")?.code == .networkFailure)
    }
}
