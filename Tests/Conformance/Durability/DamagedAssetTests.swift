import Foundation
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Downloads of bytes that changed on the server's disk.
@Suite("Damaged assets", .serialized)
struct DamagedAssetTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// The files of assets below a data directory.
    private func files(_ directory: String) throws -> Set<String> {
        let names = FileManager.default.enumerator(atPath: directory + "/assets")?.compactMap { $0 as? String } ?? []
        return Set(names.filter { $0.split(separator: "/").count == 3 }.map { "\(directory)/assets/\($0)" })
    }

    private func flip(_ file: String, at place: Int) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: UInt64(place))
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }

    @Test("No download of damaged bytes is complete, wherever the damage is", arguments: [20_000, 3_000_000])
    func downloads(size: Int) async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let (database, directory) = (tenant.privateDatabase, tenant.cloud.directory.path)
        let bytes = Self.bytes(size)
        let record = try await database.saveFile(bytes, "Document", "d")
        let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
        let file = try #require(try files(directory).first)
        // Twice: the second is sent without being hashed again.
        for _ in 0..<2 { #expect(try await Database.transfer("GET", url).body == bytes) }
        for place in [0, size / 3, size - 1] {
            try flip(file, at: place)
            do {
                let answer = try await Database.transfer("GET", url)
                #expect(answer.status == 500 && answer.body.count < 1_000, "bytes at \(place)")
            } catch is HTTPClientError {
                // Cut off before its end.
                #expect(size > 1_048_576)
            }
            #expect(try await Database.transfer("HEAD", url).status == 200)
            try flip(file, at: place)
            #expect(try await Database.transfer("GET", url).body == bytes)
        }
        let part = try await Database.transfer("GET", url, ["Range": "bytes=5-9"])
        #expect(part.status == 206 && part.body == Array(bytes[5...9]))
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
    }
}
