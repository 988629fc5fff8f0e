import Foundation
import Glibc
import Testing

/// `stratus restore` into an empty directory that cannot be replaced: here one behind a symbolic link, elsewhere a mounted
/// volume.
@Suite struct RestoreInPlaceTests {
    private let tool: Tool
    private let copy: String
    private let volume: String

    init() async throws {
        tool = try Tool()
        copy = tool.path("copy")
        volume = tool.path("volume")
        try await tool.succeed("container", "create", Tool.container)
        try await tool.succeed("backup", copy, "--include-keys")
        try FileManager.default.createDirectory(atPath: tool.path("elsewhere"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: volume, withDestinationPath: tool.path("elsewhere"))
    }

    private func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: volume)) }

    private func expectRestored() async throws {
        #expect(try names().isSuperset(of: ["secret.key", "stratus.leveldb"]))
        #expect(try !names().contains(".partial"))
        #expect(try await tool.succeed("container", "list", "--data", volume).output.contains(Tool.container))
        var status = stat()
        #expect(lstat(volume, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK, "the directory is still the same")
    }

    @Test func anEmptyVolumeIsFilled() async throws {
        // As a new file system has it.
        try FileManager.default.createDirectory(
            atPath: "\(volume)/lost+found", withIntermediateDirectories: false)
        try await tool.succeed("restore", copy, "--data", volume)
        try await expectRestored()
        let again = try await tool.run(["restore", copy, "--data", volume, "--json"])
        #expect(try again.errorObject()["error"] as? String == "EXISTS")
        try await expectRestored()
    }

    @Test func whatACutRestoreLeftIsReplaced() async throws {
        // Cut while files are written, and while they are moved.
        for (mark, moved) in [("", false), ("secret.key\nstratus.leveldb", true)] {
            try FileManager.default.createDirectory(
                atPath: "\(volume)/.partial/stratus.leveldb", withIntermediateDirectories: true)
            _ = try tool.write(mark, to: "elsewhere/.partial/restoring")
            _ = try tool.write("half", to: "elsewhere/.partial/stratus.leveldb/CURRENT")
            if moved { _ = try tool.write("of before", to: "elsewhere/secret.key") }
            try await tool.succeed("restore", copy, "--data", volume)
            try await expectRestored()
            for name in try names() { try FileManager.default.removeItem(atPath: "\(volume)/\(name)") }
        }
    }

    @Test func whatWasUsedSinceStays() async throws {
        try await tool.succeed("restore", copy, "--data", volume)
        try await expectRestored()
        // Everything was moved, then it was cut; and a server was started all the same.
        try FileManager.default.createDirectory(atPath: "\(volume)/.partial", withIntermediateDirectories: false)
        _ = try tool.write("secret.key\nstratus.leveldb", to: "elsewhere/.partial/restoring")
        let run = try await tool.run(["restore", copy, "--data", volume, "--json"])
        #expect(try run.errorObject()["error"] as? String == "EXISTS")
        #expect(try await tool.succeed("container", "list", "--data", volume).output.contains(Tool.container))
    }
}
