import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel
import StratusSQLite
import StratusTestSupport
import StratusTesting
import Testing

@testable import StratusUbiquity

/// What programs ask of the agent of a folder.
@Suite struct DriveAgentTests {
    /// Two folders of one person.
    private struct Folders {
        let cloud: LocalCloud
        let root: TemporaryDirectory
        let one: DriveAgent
        let other: DriveAgent

        init() async throws {
            cloud = try await LocalCloud(LocalCloud.Options(seed: 1))
            root = try TemporaryDirectory()
            one = try await Self.agent("one", cloud, root)
            other = try await Self.agent("other", cloud, root)
        }

        static func agent(
            _ name: String, _ cloud: LocalCloud, _ root: TemporaryDirectory, ignored: [String]? = nil
        ) async throws -> DriveAgent {
            var settings = DriveSettings(deviceName: name)
            if let ignored { settings.ignored = ignored }
            let directory = root.path + "/" + name
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let device = cloud.account("ada").device(name)
            let agent = DriveAgent(
                directory: directory, state: directory + ".sqlite", database: device.container.privateCloudDatabase,
                settings: settings)
            try await agent.startManually()
            return agent
        }

        func path(_ path: String) -> String { root.path + "/" + path }

        func write(_ text: String, to path: String) throws {
            let url = URL(fileURLWithPath: self.path(path))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: self.path(path)).map { String(decoding: $0, as: UTF8.self) }
        }

        func settle() async throws {
            try await one.settle()
            try await other.settle()
        }

        func stop() async {
            await one.stop()
            await other.stop()
        }
    }

    @Test("a file that is evicted leaves a placeholder, and comes back")
    func eviction() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/d/a.txt")
        try await folders.one.evict("d/a.txt")
        #expect(folders.text("one/d/a.txt") == nil)
        let placeholder = UbiquityState.of(folders.path("one/d/a.txt"))
        #expect(placeholder.download == .notDownloaded && placeholder.size == 5 && placeholder.isUploaded)
        let item = try #require(try await folders.one.items(in: "d").first)
        #expect(item.path == "d/a.txt" && !item.isDownloaded && item.isUploaded && item.size == 5)

        // The placeholder follows a move, and a newer content does not fill it.
        try await folders.other.settle()
        try FileManager.default.moveItem(atPath: folders.path("other/d/a.txt"), toPath: folders.path("other/b.txt"))
        try folders.write("hello, again", to: "other/b.txt")
        try await folders.other.settle()
        try await folders.one.settle()
        #expect(folders.text("one/b.txt") == nil)
        #expect(UbiquityState.of(folders.path("one/b.txt")).size == 12)

        try await folders.one.download("")
        #expect(folders.text("one/b.txt") == "hello, again")
        #expect(!FileManager.default.fileExists(atPath: folders.path("one/.b.txt.icloud")))
        #expect(UbiquityState.of(folders.path("one/b.txt")).download == .current)
        await folders.stop()
    }

    @Test("a placeholder gives way to its file where the file's new name leaves no room for one")
    func longNames() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try await folders.settle()
        try await folders.one.evict("a.txt")
        let name = String(repeating: "n", count: 250)
        try FileManager.default.moveItem(atPath: folders.path("other/a.txt"), toPath: folders.path("other/\(name)"))
        try await folders.other.settle()
        try await folders.one.settle()
        #expect(folders.text("one/\(name)") == "hello")
        #expect(try await folders.one.status().failures.isEmpty)
        // Two items with a placeholder whose number makes its name too long.
        let longest = String(repeating: "n", count: 247)
        try folders.write("first", to: "one/\(longest)")
        try folders.write("second", to: "one/b.txt")
        try await folders.settle()
        try await folders.one.evict("b.txt")
        try FileManager.default.moveItem(
            atPath: folders.path("one/.b.txt.icloud"), toPath: folders.path("one/.\(longest.uppercased()).icloud"))
        try await folders.settle()
        try await folders.settle()
        #expect(folders.text("one/\(longest)") == "first")
        let status = try await folders.one.status()
        #expect(status.pending == 0 && status.failures.isEmpty)
        #expect(folders.text("other/\(longest.uppercased()) 2") == "second")
        await folders.stop()
    }

    @Test("a placeholder that was moved stands for its item, also where a new file took its place")
    func movedPlaceholders() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try await folders.one.evict("a.txt")
        try FileManager.default.moveItem(
            atPath: folders.path("one/.a.txt.icloud"), toPath: folders.path("one/.b.txt.icloud"))
        try folders.write("new", to: "one/a.txt")
        try await folders.settle()
        #expect(folders.text("other/a.txt") == "new" && folders.text("other/b.txt") == "hello")
        try await folders.one.download("")
        #expect(folders.text("one/b.txt") == "hello")
        #expect(try await folders.one.conflicts().isEmpty)
        await folders.stop()
    }

    @Test("a placeholder that takes the former place of another one stays the item that it was")
    func swappedPlaceholders() async throws {
        let folders = try await Folders()
        func move(_ name: String, _ newName: String) throws {
            try FileManager.default.moveItem(
                atPath: folders.path("one/.\(name).icloud"), toPath: folders.path("one/.\(newName).icloud"))
        }
        try folders.write("first", to: "one/a.txt")
        try folders.write("second", to: "one/b.txt")
        try folders.write("third", to: "one/c.txt")
        try await folders.settle()
        for name in ["a.txt", "b.txt", "c.txt"] { try await folders.one.evict(name) }
        try move("a.txt", "d.txt")
        try move("b.txt", "a.txt")
        try move("c.txt", "b.txt")
        try await folders.settle()
        #expect(folders.text("other/d.txt") == "first" && folders.text("other/a.txt") == "second")
        #expect(folders.text("other/b.txt") == "third" && folders.text("other/c.txt") == nil)
        #expect(try await folders.one.recentlyDeleted().isEmpty)
        try await folders.one.download("")
        #expect(folders.text("one/d.txt") == "first" && folders.text("one/a.txt") == "second")
        await folders.stop()
    }

    @Test("a package that cannot be unpacked does not keep others from being synchronized")
    func damagedPackages() async throws {
        let folders = try await Folders()
        try folders.write("text", to: "one/Notes.rtfd/TXT.rtf")
        try await folders.one.settle()
        let name = try await folders.one.record(of: "Notes.rtfd").recordName
        let database = folders.cloud.account("ada").device("one").container.privateCloudDatabase
        let record = try await database.record(for: FileRecord.recordID(name))
        try folders.write("not an archive", to: "archive")
        record[FileFormat.content] = CKAsset(fileURL: URL(fileURLWithPath: folders.path("archive")))
        try await database.save(record)
        try folders.write("hello", to: "one/a.txt")
        try await folders.one.settle()
        try await folders.other.settle()
        #expect(folders.text("other/a.txt") == "hello")
        #expect(try await folders.other.status().failures.count == 1)
        #expect(folders.text("one/Notes.rtfd/TXT.rtf") == "text")
        await folders.stop()
    }

    @Test("a full disk loses nothing, and what waits is done once there is room")
    func fullDisk() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try await folders.one.settle()
        folders.other.checkpoints.set { moment, _ in if moment == .creating { throw CocoaError(.fileWriteOutOfSpace) } }
        try await folders.other.settle()
        #expect(try await folders.other.status().failures.map(\.error.code) == [.outOfSpace])
        folders.other.checkpoints.set { moment, _ in
            if moment == .noting { throw SQLiteError(.diskFull, "the disk is full") }
        }
        let error = await #expect(throws: DriveError.self) { try await folders.other.settle() }
        #expect(error?.code == .outOfSpace)
        folders.other.checkpoints.set(nil)
        try await folders.other.settle()
        #expect(folders.text("other/a.txt") == "hello")
        #expect(try await folders.other.status().failures.isEmpty)
        await folders.stop()
    }

    @Test("what the server does not have is not evicted")
    func evictionWhileOffline() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        folders.cloud.faults.inject(.offline, device: "one", times: nil)
        let error = await #expect(throws: DriveError.self) { try await folders.one.evict("a.txt") }
        #expect(error?.code == .notUploaded)
        #expect(folders.text("one/a.txt") == "hello")
        #expect(try await !folders.one.status().isOnline)
        await folders.stop()
    }

    @Test("a file written in the place of a placeholder does not replace the content that was never seen")
    func placeholderOverwritten() async throws {
        let folders = try await Folders()
        try folders.write("first", to: "one/a.txt")
        try await folders.one.evict("a.txt")
        try folders.write("second", to: "one/a.txt")
        try await folders.settle()
        #expect(!FileManager.default.fileExists(atPath: folders.path("one/.a.txt.icloud")))
        #expect(try await folders.one.conflicts().map(\.path) == ["a.txt"])
        await folders.stop()
    }

    @Test("a directory that is replaced by an empty one deletes nothing")
    func otherDirectory() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/d/a.txt")
        try await folders.settle()
        try FileManager.default.moveItem(atPath: folders.path("one"), toPath: folders.path("away"))
        try FileManager.default.createDirectory(atPath: folders.path("one"), withIntermediateDirectories: true)
        await #expect(throws: DriveError.self) { try await folders.one.settle() }
        await folders.one.stop()
        let again = try await Folders.agent("one", folders.cloud, folders.root)
        try await again.settle()
        try await folders.other.settle()
        #expect(folders.text("one/d/a.txt") == "hello" && folders.text("other/d/a.txt") == "hello")
        await again.stop()
        await folders.stop()
    }

    @Test("a package is one item, whose contents come and go as a whole")
    func packages() async throws {
        let folders = try await Folders()
        try folders.write("text", to: "one/d/Notes.rtfd/TXT.rtf")
        try folders.write("picture", to: "one/d/Notes.rtfd/pictures/1.png")
        try await folders.settle()
        #expect(folders.text("other/d/Notes.rtfd/pictures/1.png") == "picture")
        #expect(try await folders.other.items(in: "d").map(\.kind) == [.package])
        #expect(try await folders.other.status().items == 2)

        try FileManager.default.removeItem(atPath: folders.path("other/d/Notes.rtfd/pictures"))
        try folders.write("new text", to: "other/d/Notes.rtfd/TXT.rtf")
        try FileManager.default.moveItem(
            atPath: folders.path("other/d/Notes.rtfd"), toPath: folders.path("other/Renamed.rtfd"))
        try await folders.other.settle()
        try await folders.settle()
        #expect(folders.text("one/Renamed.rtfd/TXT.rtf") == "new text")
        #expect(!FileManager.default.fileExists(atPath: folders.path("one/Renamed.rtfd/pictures")))
        #expect(!FileManager.default.fileExists(atPath: folders.path("one/d/Notes.rtfd")))
        #expect(try await folders.one.versions(of: "Renamed.rtfd").count == 1)

        try FileManager.default.removeItem(atPath: folders.path("one/Renamed.rtfd"))
        try await folders.settle()
        #expect(!FileManager.default.fileExists(atPath: folders.path("other/Renamed.rtfd")))
        #expect(try await folders.one.status().failures.isEmpty)
        await folders.stop()
    }

    @Test("names that one machine ignores stay on the server")
    func ignoredNames() async throws {
        let folders = try await Folders()
        let all = try await Folders.agent("all", folders.cloud, folders.root, ignored: [])
        try folders.write("hello", to: "all/x.tmp")
        try folders.write("hello", to: "all/build.tmp/a.txt")
        for _ in 0..<2 {
            try await all.settle()
            try await folders.one.settle()
        }
        #expect(folders.text("one/x.tmp") == nil && folders.text("one/build.tmp/a.txt") == nil)
        #expect(folders.text("all/x.tmp") == "hello" && folders.text("all/build.tmp/a.txt") == "hello")
        #expect(try await all.recentlyDeleted().isEmpty)
        await all.stop()
        await folders.stop()
    }

    @Test("a file that a program has open for writing is neither replaced nor deleted")
    func openFiles() async throws {
        let folders = try await Folders()
        try folders.write("first", to: "one/a.txt")
        try folders.write("first", to: "one/b.txt")
        try await folders.settle()
        let open = try ["a.txt", "b.txt"].map { name in
            try #require(FileHandle(forUpdatingAtPath: folders.path("other/\(name)")))
        }
        try folders.write("second", to: "one/a.txt")
        try FileManager.default.removeItem(atPath: folders.path("one/b.txt"))
        try await folders.settle()
        #expect(folders.text("other/a.txt") == "first" && folders.text("other/b.txt") == "first")
        #expect(try await folders.other.status().failures.count == 2)
        for handle in open {
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data("mine, and longer".utf8))
            try handle.close()
        }
        try await folders.other.settle()
        try await folders.settle()
        // A change wins over a deletion, and of two contents both are kept.
        #expect(folders.text("one/b.txt") == "mine, and longer")
        let current = Int64(folders.text("one/a.txt")?.utf8.count ?? 0)
        let contents = try await folders.one.versions(of: "a.txt").map(\.size) + [current]
        #expect(contents.contains(16) && contents.contains(6))
        #expect(try await folders.one.conflicts().map(\.path) == ["a.txt"])
        await folders.stop()
    }

    @Test("dates beyond all clocks are synchronized", arguments: [-86_400, 10_413_792_000, 400_000_000_000])
    func dates(_ seconds: Int) async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        let time = timespec(tv_sec: seconds, tv_nsec: 500_000_000)
        try #require(utimensat(AT_FDCWD, folders.path("one/a.txt"), [time, time], 0) == 0)
        try await folders.settle()
        #expect(folders.text("other/a.txt") == "hello")
        try await folders.settle()
        #expect(try await folders.other.status().failures.isEmpty)
        await folders.stop()
    }

    @Test("a symbolic link that points elsewhere does so on every device")
    func links() async throws {
        let folders = try await Folders()
        let (here, there) = (folders.path("one/link"), folders.path("other/link"))
        try FileManager.default.createSymbolicLink(atPath: here, withDestinationPath: "first")
        try await folders.settle()
        try FileManager.default.removeItem(atPath: there)
        try FileManager.default.createSymbolicLink(atPath: there, withDestinationPath: "second")
        for _ in 0..<2 {
            try await folders.other.settle()
            try await folders.one.settle()
        }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: here) == "second")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: there) == "second")
        await folders.stop()
    }

    @Test("files of one person do not go to another who signs in")
    func otherAccount() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try await folders.one.settle()
        let device = folders.cloud.account("ada").device("one")
        let grace = folders.cloud.account("grace")
        device.signIn(as: grace)
        try folders.write("secret", to: "one/b.txt")
        await #expect(throws: DriveError.self) { try await folders.one.settle() }
        await #expect(throws: DriveError.self) { try await folders.one.settle() }
        #expect(folders.text("one/a.txt") == "hello")
        // Also when nobody was signed in between.
        device.signOut()
        await folders.one.stop()
        let again = try await Folders.agent("one", folders.cloud, folders.root)
        device.signIn(as: grace)
        await #expect(throws: DriveError.self) { try await again.settle() }
        await again.stop()
        let zone = CKRecordZone.ID(zoneName: FileFormat.zoneName)
        let records = (try? await folders.cloud.records(in: zone, of: grace)) ?? []
        #expect(records.isEmpty)
        await folders.stop()
    }

    @Test("an item that is excluded stays on its machine")
    func exclusion() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try folders.write("hello", to: "one/d/b.txt")
        var state = UbiquityState()
        state.isExcluded = true
        try state.write(to: folders.path("one/a.txt"))
        try state.write(to: folders.path("one/d"))
        try await folders.settle()
        #expect(folders.text("one/a.txt") == "hello" && folders.text("one/d/b.txt") == "hello")
        #expect(try await folders.other.status().items == 0)
        await folders.stop()
    }

    @Test("folders in more folders than the server takes do not keep others from it")
    func depth() async throws {
        let folders = try await Folders()
        let deep = (0..<DriveLimits.depth + 2).map { _ in "d" }.joined(separator: "/")
        try folders.write("deep", to: "one/\(deep)/a.txt")
        try folders.write("hello", to: "one/b.txt")
        try await folders.settle()
        #expect(folders.text("other/b.txt") == "hello")
        #expect(folders.text("one/\(deep)/a.txt") == "deep")
        let deepest = (0..<FileLimits.folderDepth).map { _ in "d" }.joined(separator: "/")
        #expect(FileManager.default.fileExists(atPath: folders.path("other/\(deepest)")))
        #expect(try await !folders.one.status().failures.isEmpty)
        // The folder that was entered last is the last one that is known.
        let last = (0..<DriveLimits.depth).map { _ in "d" }.joined(separator: "/")
        #expect(try await folders.one.items(in: last).count == 1)
        #expect(try await folders.one.items(in: last + "/d").isEmpty)
        await folders.stop()
    }

    @Test("a pinned file comes back at once")
    func pinning() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/a.txt")
        try await folders.one.evict("a.txt")
        try await folders.one.setPinned(true, "a.txt")
        #expect(folders.text("one/a.txt") == "hello")
        #expect(try await folders.one.items(in: "").first?.isPinned == true)
        await folders.stop()
    }

    @Test("a former version becomes the current one on every device")
    func versions() async throws {
        let folders = try await Folders()
        for text in ["first", "second", "third"] {
            try folders.write(text, to: "one/a.txt")
            try await folders.settle()
        }
        let versions = try await folders.other.versions(of: "a.txt")
        #expect(versions.map(\.size) == [6, 5])
        #expect(versions.map(\.device) == ["one", "one"])
        try await folders.other.restore("a.txt", version: try #require(versions.last).identifier)
        try await folders.one.settle()
        #expect(folders.text("one/a.txt") == "first" && folders.text("other/a.txt") == "first")
        let error = await #expect(throws: DriveError.self) {
            try await folders.one.restore("a.txt", version: "9999")
        }
        #expect(error?.code == .noSuchVersion)
        await folders.stop()
    }

    @Test("of two contents in conflict, the one that is kept is the current one on every device")
    func conflicts() async throws {
        let folders = try await Folders()
        try folders.write("first", to: "one/a.txt")
        try await folders.settle()
        try folders.write("one's", to: "one/a.txt")
        try folders.write("the other's", to: "other/a.txt")
        try await folders.settle()
        try await folders.settle()
        let conflict = try #require(try await folders.one.conflicts().first)
        #expect(conflict.path == "a.txt" && conflict.hasConflict)
        #expect(try await folders.one.status().conflicts == 1)
        let version = try #require(try await folders.one.versions(of: "a.txt").first { $0.isConflict })
        try await folders.one.resolve("a.txt", keeping: version.identifier)
        try await folders.settle()
        #expect(try await folders.one.conflicts().isEmpty)
        #expect(try await folders.other.conflicts().isEmpty)
        let kept = version.size == 5 ? "one's" : "the other's"
        #expect(folders.text("one/a.txt") == kept && folders.text("other/a.txt") == kept)
        let error = await #expect(throws: DriveError.self) {
            try await folders.one.resolve("a.txt", keeping: "current")
        }
        #expect(error?.code == .noSuchVersion)
        await folders.stop()
    }

    @Test("a deleted file comes back from Recently Deleted")
    func recentlyDeleted() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/d/a.txt")
        try await folders.settle()
        try FileManager.default.removeItem(atPath: folders.path("other/d/a.txt"))
        try await folders.other.settle()
        try await folders.one.settle()
        #expect(folders.text("one/d/a.txt") == nil)
        let deleted = try #require(try await folders.one.recentlyDeleted().first)
        #expect(deleted.path == "a.txt" && deleted.deleted != nil)
        let path = try await folders.one.restoreDeleted(try #require(deleted.recordName))
        #expect(path == "d/a.txt")
        try await folders.other.settle()
        #expect(folders.text("one/d/a.txt") == "hello" && folders.text("other/d/a.txt") == "hello")
        await folders.stop()
    }

    @Test("the status counts, and paths that lead nowhere are refused")
    func statusAndPaths() async throws {
        let folders = try await Folders()
        try folders.write("hello", to: "one/d/a.txt")
        try await folders.settle()
        let status = try await folders.other.status()
        #expect(status.isOnline && status.items == 2 && status.bytes == 5 && status.pending == 0)
        #expect(try await folders.one.record(of: "d/a.txt") == folders.other.record(of: "d/a.txt"))
        for path in ["b.txt", "../one/d", "/d/a.txt", "d//a.txt", "d/a.txt/", ".", "d/..", ".stratus"] {
            let error = await #expect(throws: DriveError.self) { try await folders.one.record(of: path) }
            #expect(error?.code == .noSuchFile, "\(path)")
        }
        let error = await #expect(throws: DriveError.self) { try await folders.one.items(in: "d/a.txt") }
        #expect(error?.code == .noSuchFile)
        await folders.stop()
    }
}
