import CloudKit
import StratusTestSupport
import StratusTesting
import Testing

/// A cloud that has no time or no room, and an account that is not ready. Numbers are those of the behaviour cases.
@Suite struct BusyTests {
    /// A server of its own, which runs as long as the tenant is held.
    private func tenant(_ arguments: String...) async throws -> Tenant {
        try await Tenant(in: try await Cloud(arguments: arguments))
    }

    private func database(of person: KeyPath<Tenant, Tenant.Person>, in tenant: Tenant) throws -> CKDatabase {
        tenant.container(over: try tenant.transport(of: tenant[keyPath: person])).privateCloudDatabase
    }

    @Test("101: an account that is not ready is asked for nothing of its own", arguments: Door.allCases)
    func unready(_ door: Door) async throws {
        let app = try await door.open()
        try await app.alice.publicCloudDatabase.save(note("everyone"))
        let way = TappedTransport(app.transport)
        let container = app.container(over: way)
        let database = container.privateCloudDatabase
        try await database.save(note("a"))
        way.status.withLock { $0 = .temporarilyUnavailable }
        #expect(try await container.accountStatus() == .temporarilyUnavailable)
        let calls: [@Sendable () async throws -> Void] = [
            { try await database.save(note("b")) }, { _ = try await database.record(for: .init(recordName: "a")) },
            { _ = try await database.deleteRecord(withID: .init(recordName: "a")) },
            { _ = try await database.allRecordZones() }, { _ = try await database.databaseChanges(since: nil) },
            { _ = try await database.allSubscriptions() },
            { _ = try await container.sharedCloudDatabase.allRecordZones() },
        ]
        for (number, call) in calls.enumerated() {
            #expect(await code(of: call) == .accountTemporarilyUnavailable, "call \(number)")
        }
        let everyones = try await container.publicCloudDatabase.record(for: .init(recordName: "everyone"))
        #expect(everyones["title"] == "Hi")
        way.status.withLock { $0 = nil }
        #expect(try await database.record(for: .init(recordName: "a"))["title"] == "Hi")
        #expect(await code { _ = try await database.record(for: .init(recordName: "b")) } == .unknownItem)
    }

    @Test("109: who asks too often is told when to come again, and nobody else is") func rates() async throws {
        let tenant = try await tenant("--user-rate", "1", "--max-operations", "1000")
        let database = try database(of: \.alice, in: tenant)
        var refusal: CKError?
        // Each is more work than ten seconds' worth, so that the next one is refused for longer than anybody waits.
        for round in 0..<30 where refusal == nil {
            let records = (0..<400).map { note("\(round)-\($0)") }
            refusal = await error { _ = try await database.modifyRecords(saving: records, deleting: []) }
        }
        #expect(refusal?.code == .requestRateLimited)
        #expect((1...60).contains(refusal?.retryAfterSeconds ?? 0), "\(String(describing: refusal))")
        #expect(refusal?.userInfo["CKHTTPStatus"] as? Int == 429)
        try await self.database(of: \.bob, in: tenant).save(note("a"))
    }

    @Test("109: a server that has no room on its disk for assets is not there for them") func busy() async throws {
        let tenant = try await tenant("--asset-disk-reserve", "1000T")
        defer { withExtendedLifetime(tenant) {} }
        let database = try database(of: \.alice, in: tenant)
        let directory = try TemporaryDirectory()
        let record = note("a")
        record["file"] = CKAsset(fileURL: try directory.file(Data("bytes".utf8)))
        let refusal = await error { try await database.save(record) }
        #expect(refusal?.code == .serviceUnavailable && (refusal?.retryAfterSeconds ?? 0) >= 1)
        try await database.save(note("b"))
    }

    @Test("109: every way to be busy, with the seconds to wait") func busyInProcess() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        let faults: [(LocalCloud.Fault, CKError.Code)] = [
            (.throttle(retryAfter: 30), .requestRateLimited), (.busy(retryAfter: 30), .serviceUnavailable),
            (.error(.zoneBusy, retryAfter: 30), .zoneBusy),
        ]
        for (fault, expected) in faults {
            cloud.faults.inject(fault, on: .saveRecords)
            let refusal = await error { try await database.save(note("a")) }
            #expect(refusal?.code == expected && refusal?.retryAfterSeconds == 30)
            cloud.clock.advance(by: .seconds(30))
        }
        try await database.save(note("a"))
    }

    @Test("110: a full database refuses by name, is read, and takes again what was cleared", arguments: Door.allCases)
    func quota(_ door: Door) async throws {
        let tenant = door == .http ? try await tenant("--private-record-quota", "2K") : nil
        defer { withExtendedLifetime(tenant) {} }
        let cloud = try await LocalCloud(.init(privateQuota: 2_048))
        let database =
            try tenant.map { try self.database(of: \.alice, in: $0) }
            ?? cloud.account("ada").container.privateCloudDatabase
        let text = String(repeating: "x", count: 900)
        for name in ["a", "b"] { try await database.save(note(name, in: .default, text)) }
        let refusal = await error { try await database.save(note("c", in: .default, text)) }
        #expect(refusal?.code == .quotaExceeded)
        #expect(refusal?.localizedDescription.contains("'c'") == true, "\(String(describing: refusal))")
        #expect(try await database.record(for: .init(recordName: "a"))["title"] == text)
        try await database.deleteRecord(withID: .init(recordName: "b"))
        try await database.save(note("c", in: .default, text))
    }

    @Test("110: bytes that have no room fail their record alone") func assetQuota() async throws {
        let tenant = try await tenant("--private-asset-quota", "1000")
        defer { withExtendedLifetime(tenant) {} }
        let database = try database(of: \.alice, in: tenant)
        let directory = try TemporaryDirectory()
        let (large, small) = (note("large"), note("small"))
        large["file"] = CKAsset(fileURL: try directory.file(Data(repeating: 7, count: 1_001)))
        small["file"] = CKAsset(fileURL: try directory.file(Data(repeating: 7, count: 1_000)))
        let results = try await database.modifyRecords(saving: [large, small], deleting: [], atomically: false)
        #expect(results.saveResults[large.recordID]?.code == .quotaExceeded)
        #expect(results.saveResults[small.recordID]?.isSuccess == true)
    }
}
