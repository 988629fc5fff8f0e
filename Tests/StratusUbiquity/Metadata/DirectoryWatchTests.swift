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

    private func follow(_ name: String) throws -> FileIdentity {
        let path = root.path + name
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        #expect(watch.follow(path, descriptor))
        return try #require(FileIdentity(path))
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
        #expect(watch.isFollowing(path, former))
        try FileManager.default.moveItem(atPath: path, toPath: root.path + "/b")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(!watch.isFollowing(path, try #require(FileIdentity(path))))
        // The former one is followed to its new path.
        #expect(try follow("/b") == former)
        #expect(watch.isFollowing(root.path + "/b", former) && !watch.isFollowing(path, former))
    }

    @Test("directories of different disks that have the same number are different directories")
    func disks() throws {
        // The first directory of both file systems has the number 1.
        for path in ["/proc", "/sys"] {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY)
            defer { close(descriptor) }
            #expect(watch.follow(path, descriptor))
        }
        for path in ["/proc", "/sys"] { #expect(watch.isFollowing(path, try #require(FileIdentity(path)))) }
    }

    @Test("no more directories are watched than the limit, and others take the places of forgotten ones")
    func limit() throws {
        let watch = try #require(DirectoryWatch(limit: 1, queue: nil))
        func follow(_ name: String) throws -> Bool {
            let path = root.path + name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let descriptor = open(path, O_RDONLY | O_DIRECTORY)
            defer { close(descriptor) }
            return watch.follow(path, descriptor)
        }
        #expect(try follow("/a"))
        #expect(try follow("/a"))
        #expect(try !follow("/b"))
        watch.forget(except: [])
        #expect(try follow("/b"))
    }

    @Test("attributes that their owner sets are not reported, and those that others set are")
    func ownAttributes() throws {
        for name in ["/a", "/a/inner"] {
            try FileManager.default.createDirectory(atPath: root.path + name, withIntermediateDirectories: true)
            _ = try follow(name)
        }
        for name in ["file", "inner"] {
            let path = root.path + "/a/" + name
            if name == "file" { try Data().write(to: URL(fileURLWithPath: path)) }
            #expect(watch.takeChanges().paths.isEmpty == (name == "inner"))
            try watch.changeAttributes(of: name, in: root.path + "/a") {
                #expect(ExtendedAttributes.set("user.test", to: [1], at: path) == 0)
            }
            #expect(watch.takeChanges().paths.isEmpty)
            #expect(chmod(path, 0o700) == 0)
            #expect(watch.takeChanges().paths.contains(Array((root.path + "/a").utf8)))
        }
        // What happened just before, and to others meanwhile.
        #expect(chmod(root.path + "/a/file", 0o600) == 0)
        try watch.changeAttributes(of: "file", in: root.path + "/a") {}
        #expect(watch.takeChanges().paths == paths("/a"))
        try watch.changeAttributes(of: "file", in: root.path + "/a") {
            #expect(chmod(root.path + "/a/inner", 0o755) == 0)
        }
        #expect(watch.takeChanges().paths == paths("/a", "/a/inner"))
    }

    @Test("a file that is truncated or gets other attributes without being opened is reported at once")
    func changesByPath() async throws {
        let path = root.path + "/file"
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        let (calls, call) = AsyncStream<Void>.makeStream()
        let watch = try #require(
            DirectoryWatch(seesWrites: true, queue: DispatchQueue(label: "org.stratus.test")) { call.yield() })
        let descriptor = open(root.path, O_RDONLY | O_DIRECTORY)
        #expect(watch.follow(root.path, descriptor))
        close(descriptor)
        var changes = calls.makeAsyncIterator()
        for change: () -> Int32 in [
            { truncate(path, 1) }, { chmod(path, 0o600) }, { utimes(path, nil) }, { truncate(path, 0) },
        ] {
            #expect(change() == 0)
            _ = await changes.next()
            #expect(watch.takeChanges().paths == paths(""))
        }
        watch.stop()
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
