import Foundation
import StratusCloudKit
import StratusTestSupport
import StratusTesting
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Downloading, evicting and publishing items, as apps ask for it.
@Suite struct UbiquitousItemTests {
    private let url: URL
    private let container: UbiquityContainer
    private let files = FileManager.default

    init() throws {
        url = try SignedIn.container()
        container = try #require(UbiquityContainer.containing(CoordinatedPath.canonical(url)))
    }

    private func listen(_ controls: any DriveControls) throws -> DriveListener {
        let address = DriveAddress(container)
        return try DriveListener(controls, at: address, lock: address.becomeAgent())
    }

    /// A file that is on the server only.
    private func placeholder(_ name: String) throws -> URL {
        let file = url.appendingPathComponent("Documents/" + name)
        try Data().write(to: URL(fileURLWithPath: UbiquityState.placeholder(of: file.path)))
        return file
    }

    /// What an agent does to download a file.
    private static func fetch(_ path: String, into url: URL) throws {
        let file = url.appendingPathComponent(path)
        try NSFileCoordinator().write(file, .forReplacing) { file in
            try Data("content of \(file.lastPathComponent)".utf8).write(to: file)
            try FileManager.default.removeItem(atPath: UbiquityState.placeholder(of: file.path))
        }
    }

    private func agent(_ body: @escaping @Sendable (String) throws -> Void) -> StaticControls {
        StaticControls(fetch: { (path: String) throws(DriveError) in
            do { try await onThread { try body(path) } } catch { throw DriveError(error) }
        })
    }

    @Test func aDownloadIsAskedForAndNotWaitedFor() async throws {
        let controls = StaticControls()
        let listener = try listen(controls)
        let file = try placeholder("a.txt")
        try await onThread { try FileManager.default.startDownloadingUbiquitousItem(at: file) }
        #expect(controls.calls == ["start Documents/a.txt"])
        // By the placeholder, too, as a program finds it that lists the directory.
        let other = URL(fileURLWithPath: UbiquityState.placeholder(of: file.path))
        try await onThread { try FileManager.default.startDownloadingUbiquitousItem(at: other) }
        #expect(controls.calls == ["start Documents/a.txt", "start Documents/a.txt"])
        withExtendedLifetime(listener) {}
    }

    @Test func anItemThatIsNotUploadedIsNotEvicted() async throws {
        let listener = try listen(StaticControls())
        let file = url.appendingPathComponent("Documents/new.txt")
        try Data("new".utf8).write(to: file)
        await #expect {
            try await onThread { try FileManager.default.evictUbiquitousItem(at: file) }
        } throws: { error in
            let error = error as NSError
            return error.domain == NSCocoaErrorDomain && error.code == 4353
                && error.userInfo[NSFilePathErrorKey] as? String == file.path
                && error.userInfo[NSURLErrorKey] as? URL == file
        }
        #expect(files.fileExists(atPath: file.path))
        withExtendedLifetime(listener) {}
    }

    private static let calls: [@Sendable (URL) throws -> Void] = [
        { try FileManager.default.startDownloadingUbiquitousItem(at: $0) },
        { try FileManager.default.evictUbiquitousItem(at: $0) },
        { _ = try FileManager.default.url(forPublishingUbiquitousItemAt: $0, expiration: nil) },
    ]

    @Test(arguments: 0..<3)
    func withoutAnAgentTheUbiquityServerIsNotAvailable(_ call: Int) async throws {
        let file = try placeholder("a.txt")
        await #expect {
            try await onThread { try Self.calls[call](file) }
        } throws: { error in
            (error as NSError).code == 4355 && (error as NSError).userInfo[NSURLErrorKey] as? URL == file
        }
    }

    @Test(arguments: 0..<3)
    func whatIsNoItemOfAContainerIsRefused(_ call: Int) async throws {
        let listener = try listen(StaticControls())
        let outside = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data().write(to: outside)
        defer { try? files.removeItem(at: outside) }
        let own = url.appendingPathComponent(".stratus/staging")
        try files.createDirectory(at: own, withIntermediateDirectories: true)
        for item in [outside, own, url, url.appendingPathComponent("Documents/none.txt")] {
            await #expect("\(item)") {
                try await onThread { try Self.calls[call](item) }
            } throws: { error in
                (error as NSError).domain == NSCocoaErrorDomain && (error as NSError).code == 4
            }
        }
        withExtendedLifetime(listener) {}
    }

    @Test func anItemIsPublishedAsTheServerHasIt() async throws {
        let controls = StaticControls()
        let listener = try listen(controls)
        let file = url.appendingPathComponent("Documents/a.txt")
        try Data("a".utf8).write(to: file)
        let cloud = try await LocalCloud().account("ada").device().container
        await #expect {
            try await onThread { try UbiquitousItem(file).publish(on: cloud) }
        } throws: { error in
            // The server does not know the record.
            (error as NSError).code == 4 && (error as NSError).userInfo[NSURLErrorKey] as? URL == file
        }
        let zoneID = CKRecordZone.ID(zoneName: "_files")
        let record = CKRecord(recordType: "StratusFile", recordID: CKRecord.ID(recordName: "R", zoneID: zoneID))
        record["name"] = "a.txt"
        record["kind"] = "file"
        try await cloud.privateCloudDatabase.save(record)
        let publication = try await onThread { try UbiquitousItem(file).publish(on: cloud) }
        #expect(publication.recordName == "R")
        #expect(publication.url?.path.hasPrefix("/published/") == true)
        #expect(publication.expires.timeIntervalSince(publication.created).rounded() == 7 * 24 * 3_600)
        #expect(controls.calls == ["record Documents/a.txt", "record Documents/a.txt"])
        withExtendedLifetime(listener) {}
    }

    // MARK: - Coordinated reading

    @Test func aCoordinatedReadWaitsForTheContent() async throws {
        let url = url
        let listener = try listen(agent { try Self.fetch($0, into: url) })
        let file = try placeholder("a.txt")
        let text = try await onThread {
            try NSFileCoordinator().read(file) { try String(contentsOf: $0, encoding: .utf8) }
        }
        #expect(text == "content of a.txt")
        withExtendedLifetime(listener) {}
    }

    @Test func whatIsReadOfAPackageWaitsForThePackage() async throws {
        let url = url
        let controls = agent { path in
            let package = url.appendingPathComponent(path)
            try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
            try Data("text".utf8).write(to: package.appendingPathComponent("TXT.rtf"))
            try FileManager.default.removeItem(atPath: UbiquityState.placeholder(of: package.path))
        }
        let listener = try listen(controls)
        let package = try placeholder("note.rtfd")
        _ = try await onThread { try NSFileCoordinator().read(package) { _ in } }
        #expect(controls.calls == ["download Documents/note.rtfd"])
        let text = try await onThread {
            try NSFileCoordinator().read(package.appendingPathComponent("TXT.rtf")) { try Data(contentsOf: $0) }
        }
        #expect(text == Data("text".utf8))
        withExtendedLifetime(listener) {}
    }

    @Test func readingWhatIsKnownWithoutItDownloadsNothing() async throws {
        let controls = StaticControls()
        let listener = try listen(controls)
        let file = try placeholder("a.txt")
        let size = try await onThread {
            try NSFileCoordinator().read(file, .immediatelyAvailableMetadataOnly) { _ in 1 }
        }
        #expect(size == 1)
        #expect(controls.calls.isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test func aReadFailsIfTheContentDoesNotCome() async throws {
        let file = try placeholder("a.txt")
        let read: @Sendable () async throws -> Void = {
            try await onThread { _ = try NSFileCoordinator().read(file) { _ in Issue.record("the accessor ran") } }
        }
        await #expect { try await read() } throws: { ($0 as NSError).code == 4355 }
        let unavailable = StaticControls(fetch: { (path: String) throws(DriveError) in
            throw DriveError(.unavailable, path: path, "the device that has it has not uploaded it")
        })
        let listener = try listen(unavailable)
        await #expect { try await read() } throws: { error in
            (error as NSError).code == 4353 && (error as NSError).userInfo[NSFilePathErrorKey] as? String == file.path
        }
        withExtendedLifetime(listener) {}
    }

    @Test func aReadThatWaitsForAContentIsCancelled() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let controls = StaticControls(fetch: { (_: String) throws(DriveError) in for await _ in gate {} })
        let listener = try listen(controls)
        let file = try placeholder("a.txt")
        let coordinator = NSFileCoordinator()
        let read = Task {
            try await onThread { try coordinator.read(file) { _ in Issue.record("the accessor ran") } }
        }
        try await wait(for: "the agent to be asked") { !controls.calls.isEmpty }
        coordinator.cancel()
        await #expect { try await read.value } throws: { ($0 as NSError).code == CocoaError.userCancelled.rawValue }
        open.finish()
        withExtendedLifetime(listener) {}
    }
}
