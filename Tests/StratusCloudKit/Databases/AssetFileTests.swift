import CloudKit
import Foundation
import StratusTestSupport
import StratusWorkers
import Testing

/// Files of assets that become others, or go, while they are on their way.
@Suite struct AssetFileTests {
    /// What happens to a file.
    enum Mishap: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case appended, overwritten, exchanged, removed, madeDirectory

        var testDescription: String { rawValue }

        /// What its record fails with.
        var code: CKError.Code {
            switch self {
            case .appended, .overwritten, .exchanged: .assetFileModified
            case .removed: .assetFileNotFound
            case .madeDirectory: .assetNotAvailable
            }
        }

        func happen(to url: URL) throws {
            switch self {
            case .appended, .overwritten:
                let file = try FileHandle(forWritingTo: url)
                if self == .appended { try file.seekToEnd() }
                try file.write(contentsOf: Data([1]))
                try file.close()
            case .exchanged: try Data(contentsOf: url).write(to: url, options: .atomic)
            case .removed: try FileManager.default.removeItem(at: url)
            case .madeDirectory:
                try FileManager.default.removeItem(at: url)
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            }
        }
    }

    /// When it happens.
    enum Moment: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// The record was queued, and nothing of the file was sent.
        case queued
        /// Some of the file was sent.
        case underway

        var testDescription: String { rawValue }
    }

    /// Several pieces, either way.
    private static let bytes = Data(RawTransfer.pattern(9_000_000))

    @Test(arguments: Door.allCases, Moment.allCases.flatMap { moment in Mishap.allCases.map { (moment, $0) } })
    func onTheWay(_ door: Door, _ event: (moment: Moment, mishap: Mishap)) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let url = try directory.file(Self.bytes)
        let outcome = Lock<Result<Void, any Error>?>(nil)
        let happen: @Sendable () -> Void = {
            outcome.withLock { outcome in
                if outcome == nil { outcome = Result { try event.mishap.happen(to: url) } }
            }
        }
        var way = TappedTransport(app.transport)
        switch event.moment {
        case .queued: way.sending = { if case .uploadAssets = $0.call { happen() } }
        case .underway: way.uploaded = { _ in happen() }
        }
        let database = app.container(over: way).privateCloudDatabase
        let (record, other) = (note("a"), note("b"))
        record["file"] = CKAsset(fileURL: url)
        let results = try await database.modifyRecords(saving: [record, other], deleting: [], atomically: false)
        try #require(outcome.withLock { $0 }).get()
        let result = try #require(results.saveResults[record.recordID])
        #expect(result.code == event.mishap.code)
        let message = result.failure?.localizedDescription ?? ""
        #expect(message.contains(url.path), "\(message)")
        #expect(results.saveResults[other.recordID]?.isSuccess == true)
        #expect(await code { _ = try await database.record(for: record.recordID) } == .unknownItem)
        guard event.mishap.code == .assetFileModified else { return }
        // As the file is now, it can be saved.
        let now = try Data(contentsOf: url)
        try await database.save(record)
        let stored = try await database.record(for: record.recordID)
        #expect(try Data(contentsOf: #require((stored["file"] as? CKAsset)?.fileURL)) == now)
    }

    @Test("in an atomic zone the others fail with it", arguments: Door.allCases)
    func atomic(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let directory = try TemporaryDirectory()
        let url = try directory.file(Data([7]))
        var way = TappedTransport(app.transport)
        way.sending = { if case .uploadAssets = $0.call { try? Mishap.appended.happen(to: url) } }
        let (record, other) = (note("a", in: zoneID), note("b", in: zoneID))
        record["file"] = CKAsset(fileURL: url)
        let results = try await app.container(over: way).privateCloudDatabase.modifyRecords(
            saving: [record, other], deleting: [])
        #expect(results.saveResults[record.recordID]?.code == .assetFileModified)
        #expect(results.saveResults[other.recordID]?.code == .batchRequestFailed)
    }

    @Test("files that cannot be read from the beginning", arguments: Door.allCases)
    func unreadable(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let loop = directory.path + "/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        for (path, expected) in [(directory.path, EISDIR), (loop, ELOOP)] {
            let record = note("a")
            record["file"] = CKAsset(fileURL: URL(fileURLWithPath: path))
            let refusal = await error { try await app.database.save(record) }
            #expect(refusal?.code == .assetNotAvailable)
            let reason = refusal?.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(reason?.domain == NSPOSIXErrorDomain && reason?.code == Int(expected))
        }
    }
}

extension Result {
    /// The error, if it is one.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
