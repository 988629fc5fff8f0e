import CloudKit
import StratusCloudModel
import StratusTestSupport
import StratusTesting
import Testing

/// What stands in the `userInfo` of errors under Apple's keys, and at which level.
@Suite struct ErrorInfoTests {
    private func underlying(_ error: CKError?) -> NSError? { error?.userInfo[NSUnderlyingErrorKey] as? NSError }

    @Test("what concerns a whole request names the request, the container and the status")
    func wholeRequests() async throws {
        let tenant = try await Tenant.shared("ErrorInfo")
        var endpoint = HTTPCloudTransport.Endpoint(
            server: tenant.cloud.server.url, container: try #require(ContainerIdentifier(tenant.container)),
            environment: .development, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken)
        endpoint.apiToken = String(repeating: "0", count: 64)
        let wrong = tenant.container(over: HTTPCloudTransport(endpoint, http: Database.http))
        let refusal = try #require(await error { _ = try await wrong.privateCloudDatabase.allRecordZones() })
        #expect(refusal.code == .notAuthenticated)
        #expect(refusal.userInfo["ContainerID"] as? String == tenant.container)
        #expect(refusal.userInfo["CKHTTPStatus"] as? Int == 401)
        #expect(UUID(uuidString: refusal.userInfo["RequestUUID"] as? String ?? "") != nil)
        let words = refusal.userInfo["ServerErrorDescription"] as? String
        #expect(words?.isEmpty == false && refusal.userInfo["CKErrorDescription"] as? String == words)
        #expect(refusal.localizedDescription == words)
        #expect(refusal.userInfo["CKErrorShouldThrottleClient"] == nil && refusal.retryAfterSeconds == nil)
    }

    @Test("what concerns an item has the server's words, and what stands behind it", arguments: Door.allCases)
    func items(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        try await app.database.save(note("a", in: zoneID))
        let results = try await app.database.modifyRecords(
            saving: [note("a", in: zoneID), note("b", in: zoneID)], deleting: []
        ).saveResults
        for (name, code, number) in [("a", CKError.Code.serverRecordChanged, 2_004), ("b", .batchRequestFailed, 2_024)]
        {
            let result = results[.init(recordName: name, zoneID: zoneID)]
            let item = try #require(await error { _ = try result?.get() })
            #expect(item.code == code && item.userInfo["ServerErrorDescription"] is String)
            #expect(item.userInfo["CKErrorDescription"] as? String == item.localizedDescription)
            #expect(underlying(item)?.domain == "CKInternalErrorDomain" && underlying(item)?.code == number)
            #expect(item.userInfo["CKHTTPStatus"] == nil, "an item is part of an answer that is none")
        }
        let absent = await error { _ = try await app.database.record(for: .init(recordName: "x", zoneID: zoneID)) }
        #expect(absent?.code == .unknownItem && underlying(absent)?.code == 2_003)
        let nowhere = CKRecordZone.ID(zoneName: "Nowhere")
        let zone = await error { try await app.database.save(note("a", in: nowhere)) }
        #expect(zone?.code == .zoneNotFound && underlying(zone)?.code == 2_036)
        let large = await error {
            _ = try await app.database.modifyRecords(saving: (0...400).map { note("\($0)") }, deleting: [])
        }
        #expect(large?.code == .limitExceeded && underlying(large)?.code == 1_020)
        // What is refused here has no words of the server.
        #expect(large?.userInfo["ServerErrorDescription"] == nil)
    }

    @Test("a partial failure is one for the older blocks", arguments: Door.allCases)
    func partialFailures(_ door: Door) async throws {
        let app = try await door.open()
        try await app.database.save(note("a"))
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        let told: CKError? = await withCheckedContinuation { continuation in
            operation.modifyRecordsCompletionBlock = { _, _, error in continuation.resume(returning: error as? CKError)
            }
            app.database.add(operation)
        }
        #expect(told?.code == .partialFailure && underlying(told)?.code == 1_011)
    }

    @Test("who is to wait is told for how long, also where nothing is sent any more") func throttling() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        cloud.faults.inject(.throttle(retryAfter: 30), on: .saveRecords)
        for number in [2_008, 2_061] {
            let refusal = try #require(await error { try await database.save(note("a")) })
            #expect(refusal.code == .requestRateLimited && refusal.retryAfterSeconds == 30)
            #expect(refusal.userInfo["CKErrorShouldThrottleClient"] as? Bool == true)
            #expect(underlying(refusal)?.code == number && underlying(refusal)?.domain == "CKInternalErrorDomain")
            #expect((refusal.userInfo["ServerErrorDescription"] == nil) == (number == 2_061))
        }
        #expect(cloud.requests(.saveRecords).count == 1)
    }

    @Test("behind an error of the network stands the network's") func network() async throws {
        let container = CKContainer(identifier: "iCloud.x", transport: NoTransport())
        let refusal = await error { _ = try await container.privateCloudDatabase.allRecordZones() }
        #expect(refusal?.code == .networkUnavailable && underlying(refusal)?.domain == NSURLErrorDomain)
        #expect(refusal?.userInfo["ContainerID"] as? String == "iCloud.x")
    }
}
