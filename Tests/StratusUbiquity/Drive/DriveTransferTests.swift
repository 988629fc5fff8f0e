import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusTestSupport
import StratusTesting
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Contents on their way between a device and the server.
@Suite struct DriveTransferTests {
    // MARK: - Transfers that break off

    /// A device whose connection to a real server can be broken.
    private struct Device {
        let proxy: Proxy
        let directory: URL
        let state: TemporaryDirectory
        private let tenant: Tenant

        init(_ tenant: Tenant) throws {
            self.tenant = tenant
            proxy = try Proxy(to: tenant.cloud.server.url)
            state = try TemporaryDirectory()
            directory = try SignedIn.container()
        }

        /// Begins a process with the agent.
        func agent() async throws -> DriveAgent {
            let endpoint = HTTPCloudTransport.Endpoint(
                server: proxy.url, container: try #require(ContainerIdentifier(tenant.container)),
                environment: .development, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken)
            let container = CKContainer(
                identifier: tenant.container, transport: HTTPCloudTransport(endpoint, http: Database.http),
                keyStore: MemoryKeyStore())
            let agent = DriveAgent(
                directory: directory.path, state: state.path + "/state.sqlite",
                database: container.privateCloudDatabase, settings: DriveSettings(deviceName: "one"))
            try await agent.startManually()
            return agent
        }

        func requests(_ text: String) -> [String] { proxy.requests.filter { $0.contains(text) } }
    }

    private static let large = Data((0..<(12 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) })

    @Test("an upload that broke off continues where it stopped, also after a restart")
    func upload() async throws {
        let device = try Device(try await Tenant(in: try await Cloud.shared()))
        let file = device.directory.appendingPathComponent("large.bin")
        try Self.large.write(to: file)
        device.proxy.breakOff("/assets/upload/", after: 6 << 20)
        var agent = try await device.agent()
        try await agent.settle()
        #expect(try await agent.status().failures.map(\.path) == ["large.bin"])
        await agent.stop()
        let before = device.requests("POST /assets/upload/").count
        device.proxy.pass()

        agent = try await device.agent()
        try await agent.settle()
        #expect(try await agent.status().failures.isEmpty)
        #expect(try await agent.items(in: "").allSatisfy(\.isUploaded))
        // Two of three parts, to the address that was used before; one more if the server had still to put away what came.
        #expect((2...3).contains(device.requests("POST /assets/upload/").count - before))
        #expect(Set(device.requests("POST /assets/upload/")).count == 1)
        try await agent.evict("large.bin")
        try await agent.download("large.bin")
        #expect(FileManager.default.contents(atPath: file.path) == Self.large)
        await agent.stop()
    }

    @Test("another content of the file is not sent to where the upload of the former one broke off")
    func uploadOfAnotherContent() async throws {
        let device = try Device(try await Tenant(in: try await Cloud.shared()))
        let file = device.directory.appendingPathComponent("large.bin")
        try Self.large.write(to: file)
        device.proxy.breakOff("/assets/upload/", after: 6 << 20)
        let agent = try await device.agent()
        try await agent.settle()
        device.proxy.pass()
        let other = Data(Self.large.reversed())
        try other.write(to: file)
        try await agent.settle()
        #expect(try await agent.status().failures.isEmpty)
        try await agent.evict("large.bin")
        try await agent.download("large.bin")
        #expect(FileManager.default.contents(atPath: file.path) == other)
        await agent.stop()
    }

    @Test("a download that broke off continues where it stopped, also after a restart")
    func download() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        let (source, device) = (try Device(tenant), try Device(tenant))
        try Self.large.write(to: source.directory.appendingPathComponent("large.bin"))
        let sender = try await source.agent()
        try await sender.settle()
        await sender.stop()

        let file = device.directory.appendingPathComponent("large.bin")
        device.proxy.breakOff("/assets/download/", after: 6 << 20)
        var agent = try await device.agent()
        try await agent.settle()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        await agent.stop()
        let before = device.requests("GET /assets/download/").count
        device.proxy.pass()

        agent = try await device.agent()
        try await agent.settle()
        #expect(FileManager.default.contents(atPath: file.path) == Self.large)
        #expect(device.requests("GET /assets/download/").count - before == 2)
        #expect(await !agent.folder.hasPartials)
        await agent.stop()
    }

    @Test("an agent that is stopped during a transfer ends at once, and the next one transfers the content")
    func stopDuringTransfer() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        let (source, device) = (try Device(tenant), try Device(tenant))
        try Self.large.write(to: source.directory.appendingPathComponent("large.bin"))
        for (device, requests) in [(source, "/assets/upload/"), (device, "/assets/download/")] {
            device.proxy.swallow(requests)
            let agent = try await device.agent()
            let work = Task { try await agent.settle() }
            try await wait(for: "the transfer") { !device.requests(requests).isEmpty }
            await agent.stop()
            _ = await work.result
            let before = try FileManager.default.contentsOfDirectory(atPath: device.directory.path)
            device.proxy.pass()
            let next = try await device.agent()
            #expect(try FileManager.default.contentsOfDirectory(atPath: device.directory.path) == before)
            try await next.settle()
            #expect(try await next.status().failures.isEmpty)
            #expect(try await next.items(in: "").allSatisfy(\.isUploaded))
            await next.stop()
        }
        let file = device.directory.appendingPathComponent("large.bin")
        #expect(FileManager.default.contents(atPath: file.path) == Self.large)
    }

    // MARK: - What is sent and kept

    @Test("what came of a download is checked as a whole, and fetched again if it is damaged")
    func damagedBeginning() async throws {
        let pair = try await DrivePair()
        try DrivePair.write("hello, world", to: pair.here.appendingPathComponent("a.txt"))
        try await pair.one.settle()
        let record = try await pair.one.record(of: "a.txt")
        let entry = try #require(try await pair.one.entry(record.recordName))
        let checksum = try #require(entry.remote?.checksum)
        let (path, _) = try await pair.other.folder.partial(record.recordName, checksum)
        try Data("HELLO".utf8).write(to: URL(fileURLWithPath: path))
        try await pair.other.settle()
        #expect(!["HELLO, world", "HELLO"].contains(DrivePair.text(pair.there.appendingPathComponent("a.txt"))))
        try await pair.other.settle()
        #expect(DrivePair.text(pair.there.appendingPathComponent("a.txt")) == "hello, world")
        #expect(await !pair.other.folder.hasPartials)
        await pair.stop()
    }

    @Test("what came of a content that nobody wants any more is removed")
    func forgottenBeginning() async throws {
        var pair = try await DrivePair()
        let (path, _) = try await pair.one.folder.partial("gone", "checksum")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        try await pair.restartOne()
        try await pair.one.settle()
        #expect(await !pair.one.folder.hasPartials)
        await pair.stop()
    }

    @Test("a content whose place is not free is kept, and not loaded again", arguments: ["a.txt", "a.rtfd/TXT.rtf"])
    func contentThatWaits(_ name: String) async throws {
        let pair = try await DrivePair()
        let (here, there) = (pair.here.appendingPathComponent(name), pair.there.appendingPathComponent(name))
        try DrivePair.write("first", to: here)
        try await pair.settleFully()
        try DrivePair.write("second", to: here)
        try await pair.one.settle()
        let count = pair.cloud.requests(.downloadAssets).count
        // Somebody writes the file whenever the content is about to take its place.
        pair.other.checkpoints.set { moment, name in
            if moment == .moving, !name.isEmpty { throw DriveFailure.changed(name) }
        }
        for _ in 0..<3 { try await pair.other.settle() }
        #expect(try await pair.other.status().failures.count == 1)
        #expect(DrivePair.text(there) == "first")
        #expect(pair.cloud.requests(.downloadAssets).count == count + 1)
        pair.other.checkpoints.set(nil)
        try await pair.other.settle()
        #expect(DrivePair.text(there) == "second")
        #expect(pair.cloud.requests(.downloadAssets).count == count + 1)
        #expect(await !pair.other.folder.hasPartials)
        await pair.stop()
    }

    @Test("what came of a content is removed once its file is here, evicted or deleted")
    func beginningOfAnUnwantedContent() async throws {
        var pair = try await DrivePair()
        for name in ["a.txt", "b.txt", "c.txt"] {
            try DrivePair.write(name, to: pair.here.appendingPathComponent(name))
        }
        try await pair.one.settle()
        try await pair.one.evict("b.txt")
        try FileManager.default.removeItem(at: pair.here.appendingPathComponent("c.txt"))
        var names: [String] = []
        for name in ["a.txt", "b.txt", "c.txt"] { names.append(try await pair.one.record(of: name).recordName) }
        try await pair.one.settle()
        for name in names {
            let checksum = try #require(try await pair.one.entry(name)?.remote?.checksum)
            for isRestarted in [false, true] {
                let (path, _) = try await pair.one.folder.partial(name, checksum)
                try Data("x".utf8).write(to: URL(fileURLWithPath: path))
                if isRestarted { try await pair.restartOne() } else { try await pair.one.settle() }
                #expect(await !pair.one.folder.hasPartials)
            }
        }
        // A content that is to come, and then is not.
        pair.cloud.faults.inject(.dropAfterCommit, on: .downloadAssets, device: "one", times: nil)
        await #expect(throws: DriveError.self) { try await pair.one.download("b.txt") }
        #expect(await pair.one.folder.hasPartials)
        try await pair.one.evict("b.txt")
        #expect(await !pair.one.folder.hasPartials)
        await pair.stop()
    }

    @Test("a package that is no archive fails by itself, and keeps nothing else back")
    func damagedPackage() async throws {
        let pair = try await DrivePair()
        let junk = pair.state.path + "/junk"
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: junk))
        let record = CKRecord(recordType: FileFormat.recordType, recordID: FileRecord.recordID("junk"))
        record[FileFormat.name] = "a.rtfd"
        record[FileFormat.kind] = FileKind.package.rawValue
        record[FileFormat.content] = CKAsset(fileURL: URL(fileURLWithPath: junk))
        try DrivePair.write("hello", to: pair.here.appendingPathComponent("b.txt"))
        try await pair.one.settle()
        _ = try await pair.one.cloud.database.save(record)
        try await pair.other.settle()
        #expect(DrivePair.text(pair.there.appendingPathComponent("b.txt")) == "hello")
        let failures = try await pair.other.status().failures
        #expect(failures.map(\.error.text) == ["the file is not a zip archive"])
        await pair.stop()
    }

    @Test("a file whose content the server has is not sent, and is in no conflict")
    func touch() async throws {
        let pair = try await DrivePair()
        let (here, there) = (pair.here.appendingPathComponent("a.txt"), pair.there.appendingPathComponent("a.txt"))
        try DrivePair.write("hello", to: here)
        try await pair.settleFully()
        let uploads = pair.cloud.requests(.uploadAssets).count
        // As git and editors do: another file of the same content.
        try Data("hello".utf8).write(to: here, options: .atomic)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: there.path)
        try await pair.settleFully()
        #expect(pair.cloud.requests(.uploadAssets).count == uploads)
        #expect(try await pair.one.items(in: "").allSatisfy(\.isUploaded))
        #expect(try await pair.one.status().pending == 0)
        #expect(try await pair.other.status().pending == 0)
        // With a newer content elsewhere, and with the same content on both.
        try DrivePair.write("newer", to: there)
        try Data("hello".utf8).write(to: here, options: .atomic)
        try await pair.other.settle()
        try await pair.settleFully()
        #expect(DrivePair.text(here) == "newer")
        try DrivePair.write("both", to: here)
        try DrivePair.write("both", to: there)
        try await pair.settleFully()
        #expect(try await pair.conflicts().isEmpty)
        #expect(DrivePair.text(here) == "both" && DrivePair.text(there) == "both")
        #expect(try await pair.one.versions(of: "a.txt").count == 2)
        await pair.stop()
    }

    @Test("a change is sent also when what was known of the record cannot be read any more")
    func damagedRecord() async throws {
        let pair = try await DrivePair()
        try DrivePair.write("first", to: pair.here.appendingPathComponent("a.txt"))
        try await pair.settleFully()
        try await pair.one.damageRecord(try await pair.one.record(of: "a.txt").recordName)
        try DrivePair.write("second", to: pair.here.appendingPathComponent("a.txt"))
        try await pair.settleFully()
        #expect(DrivePair.text(pair.there.appendingPathComponent("a.txt")) == "second")
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(try await pair.conflicts().isEmpty)
        await pair.stop()
    }

    @Test("contents come a few at the same time")
    func parallelDownloads() async throws {
        let pair = try await DrivePair()
        for number in 0..<40 {
            try DrivePair.write("\(number)", to: pair.here.appendingPathComponent("\(number % 3)/\(number).txt"))
        }
        try await pair.one.settle()
        let cloud = await pair.other.cloud
        let most = Lock(0)
        pair.other.checkpoints.set { _, _ in
            let count = cloud.transfers.count
            most.withLock { $0 = max($0, count) }
        }
        try await pair.other.settle()
        for number in 0..<40 {
            #expect(DrivePair.text(pair.there.appendingPathComponent("\(number % 3)/\(number).txt")) == "\(number)")
        }
        #expect(most.withLock { $0 } <= DriveLimits.downloads)
        #expect(await pair.other.downloads.isEmpty)
        // Nobody was waited for in vain.
        #expect(await pair.other.heldUp == 0)
        await pair.stop()
    }

    @Test("contents of files in new folders come at the same time, too")
    func parallelDownloadsIntoNewFolders() async throws {
        let tenant = try await Tenant(in: try await Cloud.shared())
        let (source, device) = (try Device(tenant), try Device(tenant))
        let names = (0..<20).map { "new \($0 % 2)/\($0).txt" }
        for name in names { try DrivePair.write(name, to: source.directory.appendingPathComponent(name)) }
        for (device, text) in [(source, "upload"), (device, "download")] {
            let agent = try await device.agent()
            try await agent.settle()
            #expect(!device.requests("/assets/\(text)/").isEmpty)
            await agent.stop()
        }
        for name in names { #expect(DrivePair.text(device.directory.appendingPathComponent(name)) == name) }
        // Each file takes two requests. One file after the other, these would alternate.
        let requests = device.proxy.requests.filter {
            $0.contains("/records/lookup") || $0.contains("/assets/download/")
        }
        #expect(requests.count == 2 * names.count)
        #expect(zip(requests, requests.dropFirst()).contains { $0.contains("lookup") && $1.contains("lookup") })
    }

    @Test("any number of requests for downloads is one task, and no more wait than the limit")
    func requestedDownloads() async throws {
        let pair = try await DrivePair()
        let names = (0..<20).map { "\($0).txt" }
        for name in names { try DrivePair.write(name, to: pair.here.appendingPathComponent(name)) }
        try await pair.one.settle()
        for name in names { try await pair.one.evict(name) }
        let agent = pair.one
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let turn = Task {
            try await agent.inTurn { _ in
                begin.yield()
                for await _ in gate {}
            }
        }
        for await _ in began { break }
        for name in names { try await agent.startDownload(name) }
        for number in names.count..<DriveLimits.requestedDownloads { try await agent.startDownload("none/\(number)") }
        let error = await #expect(throws: DriveError.self) { try await agent.startDownload("none") }
        #expect(error?.path == "none")
        try await agent.startDownload(names[0])
        open.finish()
        try await turn.value
        try await wait(for: "the files") {
            names.allSatisfy { DrivePair.text(pair.here.appendingPathComponent($0)) == $0 }
        }
        try await wait(for: "the end of the requests") { await agent.requesting == nil }
        #expect(await agent.requested.isEmpty)
        await pair.stop()
    }

    // MARK: - The quota

    @Test("a file beyond the quota stays, says why it is not uploaded, and goes up when there is room")
    func quota() async throws {
        let quota = 100_000
        let cloud = try await Cloud(arguments: ["--private-asset-quota", "\(quota)"])
        let device = try Device(try await Tenant(in: cloud))
        let (file, other) = (
            device.directory.appendingPathComponent("a.bin"), device.directory.appendingPathComponent("b.bin")
        )
        func uploadError(_ url: URL) throws -> Int? {
            let error = MetadataAttributes.of(url.path)?[NSMetadataUbiquitousItemUploadingErrorKey] as? NSError
            let values = try URL(fileURLWithPath: url.path).resourceValues(forKeys: [.ubiquitousItemUploadingErrorKey])
            #expect(values.ubiquitousItemUploadingError?.code == error?.code)
            return error?.code
        }
        let agent = try await device.agent()
        func failures() async throws -> [String] {
            try await agent.settle()
            let failures = try await agent.status().failures
            #expect(failures.allSatisfy { $0.error.code == .overQuota })
            return failures.map(\.path)
        }
        try Data(repeating: 7, count: quota + 1).write(to: file)
        #expect(try await failures() == ["a.bin"])
        #expect(try uploadError(file) == 4354)
        #expect(FileManager.default.contents(atPath: file.path)?.count == quota + 1)
        try Data(repeating: 7, count: quota).write(to: file)
        #expect(try await failures() == [])
        #expect(try uploadError(file) == nil)

        // Others are not kept back by one that does not fit.
        try Data("x".utf8).write(to: other)
        try FileManager.default.createDirectory(
            at: device.directory.appendingPathComponent("d"), withIntermediateDirectories: true)
        #expect(try await failures() == ["b.bin"])
        #expect(try await agent.items(in: "").filter { !$0.isUploaded }.map(\.path) == ["b.bin"])
        #expect(try uploadError(other) == 4354 && uploadError(file) == nil)

        // What is in Recently Deleted counts. There is room once it is deleted for good.
        let record = try await agent.record(of: "a.bin").recordName
        try FileManager.default.removeItem(at: file)
        #expect(try await failures() == ["b.bin"])
        _ = try await agent.cloud.database.deleteRecord(withID: FileRecord.recordID(record))
        #expect(try await failures() == [])
        #expect(DrivePair.text(other) == "x")
        #expect(try uploadError(other) == nil)
        await agent.stop()
    }
}
