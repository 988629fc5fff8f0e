import Foundation
import Glibc
import StratusTestSupport
import Testing

@testable import StratusUbiquity

@Suite struct DirectoryWatchTests {
    private let root: TemporaryDirectory
    private let watch: DirectoryWatch

    init() throws {
        root = try TemporaryDirectory()
        watch = try #require(DirectoryWatch(seesWrites: true, queue: nil))
    }

    private func follow(_ name: String) throws -> UInt64 {
        let path = root.path + name
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        #expect(watch.follow(path, descriptor))
        var status = stat()
        #expect(stat(path, &status) == 0)
        return UInt64(status.st_ino)
    }

    private func paths(_ names: String...) -> Set<[UInt8]> { Set(names.map { Array((root.path + $0).utf8) }) }

    @Test("the directories in which something happened are reported once")
    func changes() throws {
        try FileManager.default.createDirectory(atPath: root.path + "/a", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: root.path + "/b", withIntermediateDirectories: true)
        for name in ["", "/a", "/b"] { _ = try follow(name) }
        #expect(watch.takeChanges().paths.isEmpty)
        try Data("text".utf8).write(to: URL(fileURLWithPath: root.path + "/a/file"))
        #expect(watch.takeChanges().paths == paths("/a"))
        try FileManager.default.moveItem(atPath: root.path + "/a/file", toPath: root.path + "/b/file")
        #expect(watch.takeChanges().paths == paths("/a", "/b"))
        // Without opening it.
        #expect(truncate(root.path + "/b/file", 1) == 0)
        #expect(watch.takeChanges().paths == paths("/b"))
        try FileManager.default.removeItem(atPath: root.path + "/b")
        let changes = watch.takeChanges()
        #expect(changes.paths.isSuperset(of: paths("", "/b")) && !changes.isIncomplete)
        #expect(watch.takeChanges().paths.isEmpty)
    }

    @Test("names of different bytes are different directories, though their strings are equal")
    func unicodeForms() throws {
        for name in ["/e\u{301}", "/\u{e9}"] {
            try FileManager.default.createDirectory(atPath: root.path + name, withIntermediateDirectories: true)
            _ = try follow(name)
            try Data().write(to: URL(fileURLWithPath: root.path + name + "/file"))
        }
        #expect(watch.takeChanges().paths == paths("/e\u{301}", "/\u{e9}"))
    }

    @Test("a directory that took the place of another one is not watched")
    func replacedDirectory() throws {
        let path = root.path + "/a"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let former = try follow("/a")
        #expect(watch.isFollowing(path, inode: former))
        try FileManager.default.moveItem(atPath: path, toPath: root.path + "/b")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(!watch.isFollowing(path, inode: UInt64(status.st_ino)))
        // The former one is followed to its new path.
        #expect(try follow("/b") == former)
        #expect(watch.isFollowing(root.path + "/b", inode: former) && !watch.isFollowing(path, inode: former))
    }

    @Test("lost reports are noticed")
    func overflow() throws {
        _ = try follow("")
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let path = root.path + "/file"
        // Making and removing a file are two reports at least.
        for _ in 0...limit / 2 {
            close(creat(path, 0o600))
            unlink(path)
        }
        #expect(watch.takeChanges().isIncomplete)
        #expect(!watch.takeChanges().isIncomplete)
    }
}
