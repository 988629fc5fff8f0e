import CloudKit
import StratusTestSupport
import StratusWorkers
import Testing

/// Numbers are those of the behaviour cases.
@Suite struct AssetTests {
    private func file(_ directory: TemporaryDirectory, _ bytes: Int) throws -> URL {
        let url = URL(fileURLWithPath: directory.path + "/" + UUID().uuidString)
        try Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: url)
        return url
    }

    // The largest takes several pieces of an upload and a download over HTTP.
    @Test("60, 61, 152: bytes come back", arguments: Door.allCases, [0, 1, 100_000, 9_000_000])
    func roundTrip(_ door: Door, _ size: Int) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let url = try file(directory, size)
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["file"] = CKAsset(fileURL: url)
        try await app.database.save(record)
        #expect((record["file"] as? CKAsset)?.fileURL == url, "the client's own file is left alone")
        let stored = try await app.database.record(for: record.recordID)
        let copy = try #require((stored["file"] as? CKAsset)?.fileURL)
        #expect(copy != url && copy.isFileURL)
        #expect(try Data(contentsOf: copy) == Data(contentsOf: url))
    }

    @Test("154: an asset that is not touched stays", arguments: Door.allCases)
    func savedAgain(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let url = try file(directory, 1_000)
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["file"] = CKAsset(fileURL: url)
        record["files"] = [CKAsset(fileURL: url), CKAsset(fileURL: try file(directory, 10))]
        try await app.database.save(record)
        try FileManager.default.removeItem(at: url)
        record["title"] = "other"
        try await app.database.save(record)
        // All keys: the bytes are on the server and need no file.
        let results = try await app.database.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys)
        #expect(results.saveResults[record.recordID]?.isSuccess == true)
        let stored = try await app.database.record(for: record.recordID)
        #expect((stored["files"] as? [CKAsset])?.count == 2)
        #expect(try Data(contentsOf: #require((stored["file"] as? CKAsset)?.fileURL)).count == 1_000)
        // The same asset in another record is sent anew, from the copy that was fetched.
        let other = note("b", in: zoneID)
        other["file"] = stored["file"] as? CKAsset
        try await app.database.save(other)
        #expect(try await app.database.record(for: other.recordID)["file"] is CKAsset)
    }

    @Test("a missing file fails its record; in an atomic zone the others with it", arguments: Door.allCases)
    func missing(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/nonexistent/file"))
        let results = try await app.database.modifyRecords(saving: [record, note("b", in: zoneID)], deleting: [])
        #expect(results.saveResults[record.recordID]?.code == .assetFileNotFound)
        #expect(results.saveResults[.init(recordName: "b", zoneID: zoneID)]?.code == .batchRequestFailed)
        let directory = try TemporaryDirectory()
        let whole = note("c", in: zoneID)
        whole["file"] = CKAsset(fileURL: try file(directory, 10))
        let alone = try await app.database.modifyRecords(saving: [record, whole], deleting: [], atomically: false)
        #expect(alone.saveResults[record.recordID]?.code == .assetFileNotFound)
        #expect(alone.saveResults[whole.recordID]?.isSuccess == true)
    }

    @Test("the server's record of a conflict has no bytes", arguments: Door.allCases)
    func conflict(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["file"] = CKAsset(fileURL: try file(directory, 10))
        try await app.database.save(record)
        do {
            try await app.database.save(note("a", in: zoneID))
            Issue.record("the second record was made")
        } catch let error as CKError {
            let asset = try #require(error.serverRecord?["file"] as? CKAsset)
            #expect(asset.fileURL == nil)
            let server = try #require(error.serverRecord)
            server["title"] = "merged"
            try await app.database.save(server)
        }
        let stored = try await app.database.record(for: record.recordID)
        #expect(stored["title"] as? String == "merged" && (stored["file"] as? CKAsset)?.fileURL != nil)
    }

    @Test("progress goes up to one", arguments: Door.allCases)
    func progress(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let zoneID = try await app.makeZone()
        let record = note("a", in: zoneID)
        record["file"] = CKAsset(fileURL: try file(directory, 9_000_000))
        let operation = CKModifyRecordsOperation(recordsToSave: [record])
        let seen = Lock<[Double]>([])
        operation.perRecordProgressBlock = { _, share in seen.withLock { $0.append(share) } }
        try await finish(operation, in: app.database)
        let shares = seen.withLock { $0 }
        #expect(shares.count >= 3 && shares == shares.sorted() && shares.last == 1)
    }
}
