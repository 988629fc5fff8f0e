import CloudKit
import StratusTestSupport
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// Refusals that Stratus does not give, but other services do, and what stands on the way to one. Numbers are those of the
/// behaviour cases.
@Suite struct ForeignRefusalTests {
    private static let busy = #"{"uuid":"U-1","serverErrorCode":"ZONE_BUSY","reason":"The zone is busy"}"#
    private static let page = "<html>Not the service</html>"

    private let tenant: Tenant
    private let proxy: Proxy
    private let database: CKDatabase

    init() async throws {
        tenant = try await Tenant.shared("ForeignRefusals")
        proxy = try Proxy(to: tenant.cloud.server.url)
        database =
            CKContainer(
                identifier: tenant.container,
                configuration: StratusConfiguration(
                    url: proxy.url, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken)
            ).privateCloudDatabase
    }

    private func count(_ action: String) -> Int { proxy.requests.count { $0.contains(action) } }

    @Test(
        "109: a zone that is busy for a moment is waited for, wherever the answer says how long",
        arguments: [
            ("503 Service Unavailable", ["Retry-After: 1"], busy), ("409 Conflict", ["Retry-After: 1"], busy),
            ("503 Service Unavailable", [], busy.dropLast() + #","retryAfter":1}"#),
        ])
    func passes(_ status: String, _ headers: [String], _ body: String) async throws {
        proxy.answer("records/modify", times: 1, status, headers: headers, body: body)
        let record = note(Unique.name("busy"))
        let start = ContinuousClock.now
        try await database.save(record)
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(count("records/modify") == 2)
        #expect(try await database.record(for: record.recordID)["title"] == "Hi")
    }

    @Test("109: a zone that stays busy is said so with the seconds, and not asked meanwhile") func stays() async throws
    {
        proxy.answer(
            "records/modify", times: .max, "503 Service Unavailable", headers: ["Retry-After: 3000"], body: Self.busy)
        let refusal = try #require(await error { try await database.save(note(Unique.name("busy"))) })
        #expect(refusal.code == .zoneBusy && refusal.retryAfterSeconds == 3_000)
        #expect(refusal.userInfo[CKErrorRetryAfterKey] as? Double == 3_000)
        #expect(refusal.userInfo["CKErrorShouldThrottleClient"] as? Bool == true)
        #expect(refusal.userInfo["ServerErrorDescription"] as? String == "The zone is busy")
        #expect(refusal.userInfo["RequestUUID"] as? String == "U-1")
        #expect(refusal.userInfo["CKHTTPStatus"] as? Int == 503)
        #expect(refusal.userInfo["ContainerID"] as? String == tenant.container)
        #expect(refusal.localizedDescription.contains("The zone is busy"))
        let operation = CKModifyRecordsOperation(recordsToSave: [note(Unique.name("busy"))])
        let meanwhile = await error { try await finish(operation, in: database) }
        #expect(meanwhile?.code == .requestRateLimited)
        #expect((1...3_000).contains(meanwhile?.retryAfterSeconds ?? 0))
        #expect(count("records/modify") == 1)
        #expect(await code { _ = try await database.record(for: .init(recordName: "none")) } == .unknownItem)
    }

    @Test("109: without seconds it is tried as often as anybody waits") func saysNoSeconds() async throws {
        proxy.answer("records/modify", times: .max, "503 Service Unavailable", body: Self.busy)
        let operation = CKModifyRecordsOperation(recordsToSave: [note(Unique.name("busy"))])
        let refusal = await error { try await finish(operation, in: database) }
        #expect(refusal?.code == .zoneBusy && refusal?.retryAfterSeconds == nil)
        #expect(count("records/modify") == 1 + RetryPolicy.quickAttempts)
    }

    @Test("109, 112: records of one answer are busy, or not unique, each for itself") func items() async throws {
        let records = [note(Unique.name("busy")), note(Unique.name("twin"))]
        let body = #"""
            {"records":[{"recordName":"x","serverErrorCode":"ZONE_BUSY","reason":"The zone is busy","retryAfter":5},
            {"recordName":"y","serverErrorCode":"UNIQUE_FIELD_ERROR","reason":"There is one"}]}
            """#
        proxy.answer("records/modify", times: 2, "200 OK", body: body)
        let results = try await database.modifyRecords(saving: records, deleting: []).saveResults
        guard case .failure(let busy as CKError)? = results[records[0].recordID] else {
            Issue.record("\(results)")
            return
        }
        #expect(busy.code == .zoneBusy && busy.retryAfterSeconds == 5)
        #expect(busy.userInfo["CKHTTPStatus"] == nil, "its request was answered")
        #expect(results[records[1].recordID]?.code == .constraintViolation)

        let operation = CKModifyRecordsOperation(recordsToSave: records)
        let told = Lock<(any Error)?>(nil)
        operation.modifyRecordsCompletionBlock = { _, _, error in told.withLock { $0 = error } }
        await end(of: operation) { _ in database.add(operation) }
        let partial = partialCodes(of: told.withLock { $0 }, as: CKRecord.ID.self)
        #expect(partial == [records[0].recordID: .zoneBusy, records[1].recordID: .constraintViolation])
        #expect(count("records/modify") == 2, "what concerns a record is the app's to try again")
        try await database.save(records[0])
    }

    @Test(
        "what a proxy says is not taken for the service's word",
        arguments: [
            ("404 Not Found", CKError.Code.serverRejectedRequest, nil), ("401 Unauthorized", .notAuthenticated, nil),
            ("409 Conflict", .serverRejectedRequest, nil), ("413 Content Too Large", .limitExceeded, nil),
            ("403 Forbidden", .permissionFailure, nil), ("429 Too Many Requests", .requestRateLimited, 40),
            ("503 Service Unavailable", .serviceUnavailable, 40), ("502 Bad Gateway", .serverResponseLost, nil),
            ("504 Gateway Timeout", .serverResponseLost, nil), ("500 Internal Server Error", .serverResponseLost, nil),
        ] as [(String, CKError.Code, Double?)])
    func onTheWay(_ status: String, _ expected: CKError.Code, _ seconds: Double?) async throws {
        let headers = seconds.map { ["Retry-After: \(Int($0))"] } ?? []
        proxy.answer("records/modify", times: .max, status, headers: headers, body: Self.page)
        let refusal = await error { try await database.save(note(Unique.name("way"))) }
        #expect(refusal?.code == expected && refusal?.retryAfterSeconds == seconds, "\(String(describing: refusal))")
        #expect(count("records/modify") == 1)
    }

    @Test func aReadThatAProxyLostIsSentAgain() async throws {
        proxy.answer("zones/list", times: 1, "502 Bad Gateway", body: Self.page)
        #expect(try await !database.allRecordZones().isEmpty)
        #expect(count("zones/list") == 2)
    }
}
