import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusTool

/// A file of asset bytes that changed on the disk, as `verify`, `doctor` and `backup` find it.
@Suite struct DamagedAssetTests {
    private static let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B1) >> 11) }

    private func prepared() async throws -> Tool {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let digest = SHA256.hash(Self.bytes)
        let folder = tool.folder.appending(path: "assets")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.bytes).write(to: folder.appending(path: String(Hex.encode(digest).prefix(40))))
        let checksum = Base64.string([1] + digest.prefix(20))
        let line =
            #"{"recordName":"a","recordType":"File","fields":{"file":{"value":{"fileChecksum":"\#(checksum)","#
            + #""size":\#(Self.bytes.count)},"type":"ASSETID"}}}"#
        let file = try tool.write(line, to: "lines.jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase).mustSucceed()
        return tool
    }

    private func file(_ tool: Tool) throws -> URL {
        let folder = tool.data.appending(path: "assets")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path())).compactMap { $0 as? String }
        let name = try #require(names.first { $0.split(separator: "/").count == 3 })
        return folder.appending(path: name)
    }

    /// Changes one bit where it lies.
    private func flip(_ file: URL, at place: UInt64) throws {
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: place)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: place)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }

    @Test(arguments: [false, true]) func verifyAndDoctorNameIt(running: Bool) async throws {
        let tool = try await prepared()
        let server = running ? try await RunningServer(tool) : nil
        #expect(try await tool.run(["verify"]).status == 0)
        let file = try file(tool)
        for place in [0, 2_500_000, UInt64(Self.bytes.count - 1)] {
            try flip(file, at: place)
            let run = try await tool.run(["verify", "--json"])
            #expect(run.status == 1)
            #expect(try run.errorObject()["error"] as? String == "CORRUPTED")
            #expect(run.errors.contains(file.lastPathComponent), "\(run.errors)")
            let doctor = try await tool.run(["doctor", "--json"])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("damagedAsset") && doctor.output.contains(file.lastPathComponent))
            try flip(file, at: place)
        }
        #expect(try await tool.run(["doctor", "--json"]).status == 0)
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test("A backup names a damaged asset each time, and keeps the bytes that an earlier one has of it")
    func backups() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        let file = try file(tool)
        let first = try await tool.succeed("backup", copy, "--json").object()
        #expect(first["damagedCount"] as? Int == 0)
        try flip(file, at: 4_500_000)
        for _ in 0..<2 {
            let run = try await tool.run(["backup", copy, "--json"])
            #expect(run.status == 1)
            #expect(try run.object()["damagedCount"] as? Int == 1)
            #expect((try run.object()["damaged"] as? [String])?.first?.hasSuffix(file.lastPathComponent) == true)
        }
        #expect(try await tool.run(["backup", copy]).errors.contains("damaged: assets/"))
        try await tool.succeed(
            "restore", copy, "--data", tool.path("new"), "--secret-key", tool.data.path() + "/secret.key")
        #expect(try await tool.run(["verify", "--data", tool.path("new")]).status == 0)
        // Without an earlier one, what is there is all there is.
        let other = try await tool.run(["backup", tool.path("other"), "--json"])
        #expect(other.status == 1)
        try flip(file, at: 4_500_000)
        #expect(try await tool.succeed("backup", tool.path("other"), "--json").object()["damagedCount"] as? Int == 0)
    }

    @Test func progressSaysHowLongItTakes() {
        func text(_ rows: UInt64, of total: UInt64?, _ bytes: UInt64, _ time: Duration) -> String {
            CheckState(rows: rows, total: total, assetBytes: bytes, elapsed: time).text
        }
        #expect(
            text(5_200_000, of: 14_200_000, 0, .seconds(6))
                == "5,200,000 of 14,200,000 rows, 866,666 rows/s, 11 s left")
        #expect(text(900, of: nil, 0, .milliseconds(500)) == "900 rows, 1,800 rows/s")
        #expect(text(20, of: 20, 300 << 20, .seconds(3)) == "20 of 20 rows, 6 rows/s, 300 MiB of assets, 100 MiB/s")
        #expect(text(0, of: 10, 0, .zero) == "0 of 10 rows, 0 rows/s")
    }
}
