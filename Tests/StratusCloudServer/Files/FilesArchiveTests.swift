import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Archives, as other people's programs read them.
@Suite struct FilesArchiveTests {
    /// What Python says that a zip archive holds: name, mode, seconds and content of each entry.
    private func read(_ bytes: [UInt8]) throws -> [[String]] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).zip")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = """
            import json, sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as archive:
                assert archive.testzip() is None
                print(json.dumps([[e.filename, oct(e.external_attr >> 16), archive.read(e).decode()]
                    for e in archive.infolist()]))
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String]])
    }

    @Test func aFolderComesAsAZipWithSafePaths() async throws {
        let files = try await FilesCloud()
        let folder = try await files.folder("Zürich")
        let inner = try await files.folder("C:", in: folder)
        _ = try await files.upload("..\\evil.txt", "evil", folder: inner)
        _ = try await files.upload(".._evil.txt", "good", folder: inner)
        let single = try await files.upload("empty", "", folder: folder)
        let long = String(repeating: "all work and no play ", count: 50_000)
        let file = try await files.upload("play.txt", long)
        #expect(
            try await files.post("archive/check", ["items": [folder, file]]).json["name"] as? String == "Files.zip")
        let answer = try await files.archive([folder, file])
        #expect(answer.status == 200 && answer["Content-Type"] == "application/zip")
        #expect(answer["Content-Disposition"] == "attachment; filename=\"Files.zip\"")
        let entries = try read(answer.bodyBytes)
        let contents = Dictionary(uniqueKeysWithValues: entries.map { ($0[0], $0[2]) })
        #expect(Set(contents.keys).count == 6)
        #expect(contents["Zürich/"] == "" && contents["Zürich/empty"] == "" && contents["play.txt"] == long)
        #expect(
            Set(["Zürich/C_/.._evil.txt", "Zürich/C_/.._evil 2.txt"].compactMap { contents[$0] }) == ["evil", "good"])
        #expect(entries.first { $0[0] == "play.txt" }?[1] == "0o100644")
        #expect(try await files.archive(["no"]).status == 404)
        #expect(!single.isEmpty)
        await files.stop()
    }

    /// Small limits stand for 4 GiB and 65,535 entries.
    @Test(arguments: [UInt64.max, 100, 0]) func largeArchivesUseTheExtension(limit: UInt64) async throws {
        let zip = try ZipStream(limit: limit, countLimit: limit == .max ? .max : 2)
        var bytes: [UInt8] = []
        let contents = ["a": "x", "b": String(repeating: "b", count: 5_000), "ü": ""]
        for name in contents.keys.sorted() {
            let content = Array((contents[name] ?? "").utf8)
            bytes += zip.begin(
                ZipStream.Entry(path: name, mode: 0o100755, modified: 1_767_225_600_000, size: Int64(content.count)))
            bytes += try zip.add(content)
            bytes += try zip.end()
        }
        try await zip.finish { bytes += $0 }
        let entries = try read(bytes)
        #expect(entries.map { $0[0] } == contents.keys.sorted())
        #expect(entries.map { $0[2] } == contents.keys.sorted().map { contents[$0] ?? "" })
        #expect(bytes.firstRange(of: [0x50, 0x4B, 6, 6]) != nil || limit == .max)
    }

    @Test func anArchiveHasABound() async throws {
        let files = try await FilesCloud()
        let holder = try #require(try await files.cloud.service.accountHolder(session: files.session))
        let service = files.cloud.service
        let caller = try await service.fileCaller(for: holder, in: TestCloud.context(.production))
        let folder = try await files.folder("many")
        let item = try await service.createEmptyFile(FileChanges(name: "0", folder: .item(folder)), as: caller)
        let archive = [item.id]
        #expect(try await files.post("archive/check", ["items": archive]).status == 200)
        // The same item as often as the bound allows, and once more.
        let most = Array(repeating: item, count: FileLimits.itemsPerArchive)
        try await FilesArchive(service: service, caller: caller, items: most).check()
        await #expect(throws: CloudError.self) {
            try await FilesArchive(service: service, caller: caller, items: most + [item]).check()
        }
        await files.stop()
    }
}
