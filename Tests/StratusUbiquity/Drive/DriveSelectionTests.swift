import Foundation
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusUbiquity

/// Folders that are not selected on a device, and names that are ignored.
@Suite struct DriveSelectionTests {
    private func exists(_ url: URL, _ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
    }

    private func text(_ url: URL, _ name: String) -> String? { DrivePair.text(url.appendingPathComponent(name)) }

    private func write(_ text: String, _ url: URL, _ name: String) throws {
        try DrivePair.write(text, to: url.appendingPathComponent(name))
    }

    @Test("a folder that is not selected goes from one device, and comes back when it is selected")
    func deselect() async throws {
        var pair = try await DrivePair()
        try write("a", pair.here, "Photos/2024/a.jpg")
        try write("b", pair.here, "Photos/b.jpg")
        try write("c", pair.here, "c.txt")
        try await pair.settleFully()
        try await pair.one.setSelected(false, "Photos")
        #expect(!exists(pair.here, "Photos") && text(pair.here, "c.txt") == "c")
        #expect(try await pair.one.status().deselected == ["Photos"])
        #expect(try await pair.one.status().pending == 0)
        try await pair.settleFully()
        #expect(text(pair.there, "Photos/2024/a.jpg") == "a" && text(pair.there, "Photos/b.jpg") == "b")
        #expect(try await pair.one.recentlyDeleted().isEmpty)

        // What others change there does not come; the choice outlives the process, and follows the folder.
        try write("b2", pair.there, "Photos/b.jpg")
        try write("d", pair.there, "Photos/d.jpg")
        try FileManager.default.moveItem(
            at: pair.there.appendingPathComponent("Photos"), to: pair.there.appendingPathComponent("Pictures"))
        try await pair.settleFully()
        try await pair.restartOne()
        try await pair.settleFully()
        #expect(!exists(pair.here, "Photos") && !exists(pair.here, "Pictures"))
        #expect(try await pair.one.status().deselected == ["Pictures"])

        let inside = await #expect(throws: DriveError.self) { try await pair.one.setSelected(true, "Pictures/2024") }
        #expect(inside?.code == .noSuchFile)
        try await pair.one.setSelected(true, "Pictures")
        #expect(text(pair.here, "Pictures/2024/a.jpg") == "a" && text(pair.here, "Pictures/b.jpg") == "b2")
        #expect(text(pair.here, "Pictures/d.jpg") == "d")
        #expect(try await pair.one.status().deselected.isEmpty)
        #expect(try await pair.one.conflicts().isEmpty)
        await pair.stop()
    }

    @Test("what the server does not have yet stays until it is there")
    func deselectWhileOffline() async throws {
        let pair = try await DrivePair()
        try write("a", pair.here, "d/a.txt")
        try await pair.settleFully()
        try write("new", pair.here, "d/new.txt")
        try write("changed", pair.here, "d/a.txt")
        let offline = pair.cloud.faults.inject(.offline, device: "one", times: nil)
        try await pair.one.setSelected(false, "d")
        #expect(text(pair.here, "d/new.txt") == "new" && text(pair.here, "d/a.txt") == "changed")
        offline.remove()
        try await pair.settleFully()
        #expect(!exists(pair.here, "d"))
        #expect(text(pair.there, "d/new.txt") == "new" && text(pair.there, "d/a.txt") == "changed")
        await pair.stop()
    }

    @Test("deleting the folder around one that is not selected keeps the latter")
    func deletionAround() async throws {
        let pair = try await DrivePair()
        try write("a", pair.here, "d/in/a.txt")
        try write("b", pair.here, "d/b.txt")
        try await pair.settleFully()
        try await pair.one.setSelected(false, "d/in")
        try FileManager.default.removeItem(at: pair.here.appendingPathComponent("d"))
        try await pair.settleFully()
        #expect(text(pair.there, "d/in/a.txt") == "a" && !exists(pair.there, "d/b.txt"))
        await pair.stop()
    }

    @Test("a process that ends while a folder goes from this device deletes nothing", arguments: 0..<6)
    func crash(at count: Int) async throws {
        var pair = try await DrivePair()
        for name in ["a", "b"] { try write(name, pair.here, "d/\(name).txt") }
        try await pair.settleFully()
        let left = Lock(count)
        pair.one.checkpoints.set { _, _ in
            let isNow = left.withLock { left in
                left -= 1
                return left == -1
            }
            if isNow { throw DriveProcessEnd() }
        }
        // With few checkpoints it ends before the choice is kept, with many not at all.
        _ = try? await pair.one.setSelected(false, "d")
        try await pair.restartOne()
        try await pair.settleFully()
        #expect(text(pair.there, "d/a.txt") == "a" && text(pair.there, "d/b.txt") == "b")
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("folders only can be selected, and only what the server has")
    func refusals() async throws {
        let pair = try await DrivePair()
        try write("a", pair.here, "a.txt")
        for (path, isSelected, code) in [
            ("a.txt", false, DriveError.Code.noSuchFile), ("none", false, .noSuchFile), ("none", true, .noSuchFile),
            ("", false, .noPermission),
        ] {
            let error = await #expect(throws: DriveError.self) { try await pair.one.setSelected(isSelected, path) }
            #expect(error?.code == code, "\(path)")
        }
        pair.cloud.faults.inject(.offline, device: "one", times: nil)
        try write("b", pair.here, "d/b.txt")
        let error = await #expect(throws: DriveError.self) { try await pair.one.setSelected(false, "d") }
        #expect(error?.code == .notUploaded && text(pair.here, "d/b.txt") == "b")
        await pair.stop()
    }

    @Test("names in .stratusignore are not synchronized, and ignoring them deletes nothing")
    func ignoring() async throws {
        let pair = try await DrivePair()
        try write("a", pair.here, "node_modules/a.js")
        try write("o", pair.here, "o.o")
        try await pair.settleFully()
        #expect(text(pair.there, "node_modules/a.js") == "a")

        try write("# built\r\nnode_modules/\n\n*.o\n", pair.here, ".stratusignore")
        try write("b", pair.here, "node_modules/b.js")
        try write("o2", pair.here, "o.o")
        try await pair.settleFully()
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        #expect(!exists(pair.there, "node_modules/b.js"), "the other device does not get new ones")
        #expect(text(pair.there, "node_modules/a.js") == "a" && text(pair.there, "o.o") == "o")
        // The file itself came to the other device, and holds there.
        try write("x", pair.there, "x.o")
        try FileManager.default.removeItem(at: pair.there.appendingPathComponent("node_modules"))
        try await pair.settleFully()
        #expect(!exists(pair.here, "x.o") && text(pair.here, "node_modules/a.js") == "a")
        #expect(try await pair.one.status().pending == 0)
        #expect(try await pair.one.recentlyDeleted().isEmpty)

        // Names that are not ignored any more are synchronized again, and nothing of either side is lost.
        try write("", pair.here, ".stratusignore")
        for _ in 0..<3 { try await pair.settleFully() }
        #expect(text(pair.there, "node_modules/b.js") == "b" && text(pair.there, "node_modules/a.js") == "a")
        #expect(text(pair.here, "x.o") == "x")
        let contents = ["o.o", "o 2.o"].map { text(pair.there, $0) }
        #expect(Set(contents) == ["o", "o2"])
        await pair.stop()
    }

    @Test("ignored names are those of items, and not of the placeholders that stand for them")
    func ignoringEvictedItems() async throws {
        let pair = try await DrivePair()
        try write("a", pair.here, "a.txt")
        try write("b", pair.here, "b.txt")
        try await pair.settleFully()
        try await pair.one.evict("a.txt")
        try write(".*\n*cloud\nb*\n", pair.here, ".stratusignore")
        for _ in 0..<3 { try await pair.settleFully() }
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        #expect(text(pair.there, "a.txt") == "a" && text(pair.there, "b.txt") == "b")
        try await pair.one.download("a.txt")
        #expect(text(pair.here, "a.txt") == "a")
        await pair.stop()
    }

    @Test("the names to ignore come before what is here already is uploaded")
    func ignoringAtTheFirstStart() async throws {
        let pair = try await DrivePair()
        try write("*.o\n", pair.there, ".stratusignore")
        try await pair.other.settle()
        try write("o", pair.here, "o.o")
        try write("a", pair.here, "a.txt")
        try await pair.settleFully()
        #expect(text(pair.there, "a.txt") == "a" && !exists(pair.there, "o.o"))
        await pair.stop()
    }

    @Test("a file with names to ignore that is not right is reported, and the names from before still hold")
    func badIgnoreFiles() async throws {
        var pair = try await DrivePair()
        let tooLarge = String(repeating: "#", count: DriveLimits.ignoreFile + 1)
        let tooMany = String(repeating: "x\n", count: DriveLimits.ignoredNames + 1)
        try write("*.o\n", pair.here, ".stratusignore")
        try write("o", pair.here, "build/o.o")
        for (number, (file, reason)) in [
            ("a\nsrc/build\n", "line 2 is a path"), ("/\n", "line 1 is a path"), (tooLarge, "more than 65536 bytes"),
            (tooMany, "more than 1000 names"), (String(repeating: "x", count: 256), "more than 255 bytes"),
        ].enumerated() {
            try await pair.settleFully()
            try write(file, pair.there, ".stratusignore")
            try write("c", pair.there, "\(number).c")
            try await pair.settleFully()
            #expect(text(pair.here, "\(number).c") == "c" && !exists(pair.there, "build/o.o"))
            for agent in [pair.one, pair.other] {
                let failures = try await agent.status().failures
                #expect(failures.map(\.path) == [".stratusignore"], "\(failures)")
                #expect(failures.first?.error.text.contains(reason) == true, "\(failures)")
            }
        }
        // They hold after a restart, too.
        try Data([0xFF]).write(to: pair.here.appendingPathComponent(".stratusignore"))
        try await pair.restartOne()
        try write("o", pair.here, "build/other.o")
        try await pair.settleFully()
        #expect(try await pair.one.status().failures.map(\.path) == [".stratusignore"])
        #expect(!exists(pair.there, "build/o.o") && !exists(pair.there, "build/other.o"))
        // At their limits they are right.
        let longest = String(repeating: "x", count: 255) + "\n"
        try write(longest + String(tooMany.dropFirst(4)), pair.here, ".stratusignore")
        try await pair.settleFully()
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(text(pair.there, "build/o.o") == "o")
        // Names of a file that was deleted do not come back with another one that is not right.
        try FileManager.default.removeItem(at: pair.here.appendingPathComponent(".stratusignore"))
        try await pair.settleFully()
        try Data([0xFF]).write(to: pair.here.appendingPathComponent(".stratusignore"))
        try write("x", pair.here, "x")
        try await pair.settleFully()
        #expect(text(pair.there, "x") == "x")
        await pair.stop()
    }
}
