import Foundation
import Glibc
import StratusTestSupport
import Testing

@testable import StratusDriveMount

/// The directories in which a mount keeps contents.
@Suite struct MountDirectoriesTests {
    @Test("what only this machine has is in the data directory, and the rest in the cache") func directories() throws {
        let own = try MountDirectories(
            of: "a", "c", ["HOME": "/home/ada", "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "/cache"])
        #expect(own.data == "/data/stratus/mount/a/c" && own.cache == "/cache/stratus/mount/a/c")
        let usual = try MountDirectories(of: "a", "c", ["HOME": "/home/ada", "XDG_DATA_HOME": "relative"])
        #expect(usual.data == "/home/ada/.local/share/stratus/mount/a/c")
        #expect(usual.cache == "/home/ada/.cache/stratus/mount/a/c")
        #expect(throws: MountError.self) { try MountDirectories(of: "a", "c", [:]) }
        #expect(throws: MountError.self) { try MountDirectories(of: "a", "../c", ["HOME": "/home/ada"]) }
    }

    /// - Parameter inMemory: Whether the directory of unsent contents is on another file system than the cache.
    @Test("an unsent content outlives an emptied cache, and is in the cache once it is sent", arguments: [false, true])
    func unsent(inMemory: Bool) throws {
        let (data, cached) = (try TemporaryDirectory(inMemory: inMemory), try TemporaryDirectory())
        func open(_ unsent: Set<String>) throws -> ContentCache {
            try ContentCache(
                directory: cached.path + "/contents", unsentDirectory: data.path, limit: 1 << 20, unsent: unsent)
        }
        let (name, descriptor) = try open([]).makeUnsentFile()
        #expect(write(descriptor.number, "new", 3) == 3)
        try FileManager.default.removeItem(atPath: cached.path + "/contents")
        let cache = try open([name])
        let checksum = try cache.checksum(of: descriptor)
        let other = try cache.link(name)
        cache.keep(name, checksum: checksum, size: 3, isOpen: false)
        #expect(cache.contains(checksum: checksum))
        #expect(try Data(contentsOf: URL(fileURLWithPath: cache.path(other))) == Data("new".utf8))
        let linked = try cache.link(checksum: checksum)
        #expect(cache.path(linked).hasPrefix(data.path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: cache.path(linked))) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: cached.path + "/contents").count == 1)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: data.path)) == [other, linked])
        #expect(try open([other]).contains(checksum: checksum), "it is found again")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path) == [other])
    }
}
