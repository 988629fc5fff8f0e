import Foundation
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Changes of items that an agent sees late, or only in part.
@Suite struct DriveChangeTests {
    private func file(_ directory: URL, _ name: String) -> URL { directory.appendingPathComponent(name) }

    private func text(_ directory: URL, _ name: String) -> String? { DrivePair.text(file(directory, name)) }

    /// The names of what is in the directory of a device that began with the folder for documents.
    private func names(_ directory: URL) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return Set(names).subtracting([".stratus", "Documents"])
    }

    private func isFolder(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    @Test("a file becomes a folder and a folder a file, and neither loses a content", arguments: [false, true])
    func changedKinds(isEvicted: Bool) async throws {
        let pair = try await DrivePair()
        let files = FileManager.default
        try DrivePair.write("file", to: file(pair.here, "x"))
        try DrivePair.write("inside", to: file(pair.here, "y/a.txt"))
        try await pair.settleFully()
        if isEvicted { for name in ["x", "y/a.txt"] { try await pair.other.evict(name) } }
        for name in ["x", "y"] { try files.removeItem(at: file(pair.here, name)) }
        try DrivePair.write("now inside", to: file(pair.here, "x/a.txt"))
        try DrivePair.write("now a file", to: file(pair.here, "y"))
        for _ in 0..<2 { try await pair.settleFully() }
        #expect(text(pair.there, "x/a.txt") == "now inside" && text(pair.there, "y") == "now a file")

        // Back again, on the other device, within one comparison of this one.
        for name in ["x", "y"] { try files.removeItem(at: file(pair.there, name)) }
        try DrivePair.write("file again", to: file(pair.there, "x"))
        try DrivePair.write("inside again", to: file(pair.there, "y/a.txt"))
        for _ in 0..<2 { try await pair.settleFully() }
        for directory in [pair.here, pair.there] {
            #expect(text(directory, "x") == "file again" && text(directory, "y/a.txt") == "inside again")
            #expect(try names(directory) == ["x", "y"])
        }
        for agent in [pair.one, pair.other] {
            #expect(try await agent.status().failures.isEmpty)
            #expect(try await agent.status().pending == 0)
        }
        await pair.stop()
    }

    @Test("one device makes a file and the other a folder of the same name, and both stay")
    func kindsThatMeet() async throws {
        let pair = try await DrivePair()
        try DrivePair.write("file", to: file(pair.here, "x"))
        try DrivePair.write("inside", to: file(pair.there, "x/a.txt"))
        for _ in 0..<2 { try await pair.settleFully() }
        for directory in [pair.here, pair.there] {
            let names = ["x", "x 2"]
            #expect(names.filter { isFolder(file(directory, $0)) }.count == 1)
            #expect(names.contains { text(directory, $0) == "file" })
            #expect(names.contains { text(directory, $0 + "/a.txt") == "inside" })
        }
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(try await pair.other.status().failures.isEmpty)
        await pair.stop()
    }

    @Test("a directory that was not synchronized for long brings back nothing deleted", arguments: [false, true])
    func staleDirectory(isExpired: Bool) async throws {
        var pair = try await DrivePair()
        for name in ["kept", "changed", "deleted", "d/deleted", "edited"] {
            try DrivePair.write(name, to: file(pair.here, name))
        }
        try await pair.settleFully()
        await pair.one.stop()
        for name in ["deleted", "d"] { try FileManager.default.removeItem(at: file(pair.there, name)) }
        try DrivePair.write("changed there", to: file(pair.there, "changed"))
        try FileManager.default.removeItem(at: file(pair.there, "edited"))
        try await pair.other.settle()
        try DrivePair.write("edited here", to: file(pair.here, "edited"))
        if isExpired { pair.cloud.expireChangeTokens() }
        try await pair.restartOne()
        for _ in 0..<2 { try await pair.settleFully() }
        for directory in [pair.here, pair.there] {
            #expect(try names(directory) == ["kept", "changed", "edited"])
            #expect(text(directory, "changed") == "changed there" && text(directory, "edited") == "edited here")
        }
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(try await pair.conflicts().isEmpty)
        await pair.stop()
    }

    @Test("a directory and a state that were restored from a backup lose nothing")
    func restoredDirectory() async throws {
        var pair = try await DrivePair()
        let files = FileManager.default
        for name in ["a", "b"] { try DrivePair.write("first", to: file(pair.here, name)) }
        try await pair.settleFully()
        await pair.one.stop()
        let backup = pair.state.path + "/backup"
        try files.copyItem(atPath: pair.here.path, toPath: backup)
        let states = try files.contentsOfDirectory(atPath: pair.state.path).filter { $0.hasPrefix("one.") }
        for name in states { try files.copyItem(atPath: pair.state.path + "/" + name, toPath: backup + "-" + name) }
        try await pair.restartOne()
        try DrivePair.write("second", to: file(pair.here, "a"))
        try DrivePair.write("new", to: file(pair.here, "c"))
        try await pair.settleFully()

        await pair.one.stop()
        for name in try files.contentsOfDirectory(atPath: pair.state.path) where name.hasPrefix("one.") {
            try files.removeItem(atPath: pair.state.path + "/" + name)
        }
        for name in states { try files.moveItem(atPath: backup + "-" + name, toPath: pair.state.path + "/" + name) }
        try files.removeItem(at: pair.here)
        try files.moveItem(atPath: backup, toPath: pair.here.path)
        try DrivePair.write("edited after the backup", to: file(pair.here, "b"))
        try await pair.restartOne()
        for _ in 0..<2 { try await pair.settleFully() }
        for directory in [pair.here, pair.there] {
            #expect(text(directory, "a") == "second" && text(directory, "c") == "new")
            #expect(text(directory, "b") == "edited after the backup")
        }
        #expect(try await pair.one.status().failures.isEmpty)
        await pair.stop()
    }

    @Test("versions follow a file that the agent moves, also if its process ends before they have")
    func versionsOfAMovedFile() async throws {
        var pair = try await DrivePair()
        try DrivePair.write("first", to: file(pair.here, "d/a.txt"))
        try await pair.settleFully()
        _ = try NSFileVersion.addOfItem(at: file(pair.here, "d/a.txt"), withContentsOf: file(pair.here, "d/a.txt"))
        try FileManager.default.moveItem(at: file(pair.there, "d/a.txt"), to: file(pair.there, "b.txt"))
        try await pair.other.settle()
        let hasEnded = Lock(false)
        pair.one.checkpoints.set { moment, _ in
            if moment == .changed { hasEnded.withLock { $0 = true } }
            if hasEnded.withLock({ $0 }) { throw DriveProcessEnd() }
        }
        _ = try? await pair.one.settle()
        #expect(text(pair.here, "b.txt") == "first")
        try await pair.restartOne()
        try await pair.settleFully()
        let versions = NSFileVersion.otherVersionsOfItem(at: file(pair.here, "b.txt")) ?? []
        #expect(versions.map { DrivePair.text($0.url) } == ["first"])
        await pair.stop()
    }
}
