import Foundation
import StratusCloudCrypto
import StratusTestSupport
import Testing

/// Assets on a server that is killed, and large ones on a server whose memory is watched.
@Suite("Assets that last", .serialized)
struct AssetDurabilityTests {
    @Test("Threats 49 and 56: after kill -9 every answered asset is there, and a part goes on where it was answered")
    func killed() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        var database = tenant.privateDatabase
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let saved = try await database.saveFile(bytes, "Document", "saved")
        let receipt = try await database.upload([1, 2, 3], "Document", "unsaved")
        let url = try await database.uploadURL("Document", "partial")
        let first = try await Database.transfer(
            "PUT", url, ["Content-Range": "bytes 0-999999/3000000"], body: Array(bytes[..<1_000_000]))
        #expect(first.status == 202)
        tenant.cloud.server.kill()
        #expect(await tenant.cloud.server.ending == .signalled(SIGKILL))

        let cloud = try await Cloud(directory: tenant.cloud.directory)
        let old = database.server
        database.server = cloud.server.url
        func moved(_ address: String?) throws -> String {
            try #require(address).replacing(old, with: cloud.server.url)
        }
        let download = try moved(saved["fields"]["file"]["value"]["downloadURL"].string)
        #expect(try await Database.transfer("GET", download).body == bytes)
        try await database.save(Change.create("Document", "unsaved", ["file": ["value": receipt]]))
        let place = try moved(url)
        #expect(try await Database.transfer("HEAD", place).headers["Upload-Offset"] == "1000000")
        let last = try await Database.transfer(
            "PUT", place, ["Content-Range": "bytes 1000000-2999999/3000000"], body: Array(bytes[1_000_000...]))
        let asset = try JSON(parsing: last.body)["singleFile"]
        let record = try await database.save(Change.create("Document", "partial", ["file": ["value": asset]]))
        let checksum = saved["fields"]["file"]["value"]["fileChecksum"]
        #expect(record["fields"]["file"]["value"]["fileChecksum"] == checksum)
        cloud.server.terminate()
        #expect(await cloud.server.ending == .exited(0))
    }

    /// MiB of the asset whose passage is watched; `STRATUS_LARGE_ASSET=4096` sends the largest there can be.
    static let mebibytes =
        ProcessInfo.processInfo.environment["STRATUS_LARGE_ASSET"].flatMap { Int($0) } ?? 256

    @Test("A large asset passes with the server's memory flat, both ways")
    func memory() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let database = tenant.privateDatabase
        // Whatever is made once is made now.
        let small = try await database.saveFile([UInt8](repeating: 1, count: 4_000_000), "Document", "small")
        let warm = try #require(small["fields"]["file"]["value"]["downloadURL"].string)
        _ = try await Database.transfer("GET", warm)
        try tenant.cloud.server.resetPeakMemory()
        let before = try tenant.cloud.server.peakMemory
        let size = Int64(Self.mebibytes) << 20
        let url = try await database.uploadURL("Document", "large")
        let answer = try await RawTransfer.upload(to: url, size: size)
        let asset = try JSON(parsing: Array(answer.utf8))["singleFile"]
        #expect(asset["size"].int == size, "\(answer)")
        let record = try await database.save(Change.create("Document", "large", ["file": ["value": asset]]))
        let address = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
        let digest = try await RawTransfer.download(from: address)
        #expect(digest == RawTransfer.digest(size: size))
        let growth = Double(try tenant.cloud.server.peakMemory - before) / 1_024
        print("assets: \(Self.mebibytes) MiB up and down, peak resident memory grew by \(growth) MiB")
        #expect(growth < 32)
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
    }
}
