import Foundation
import Glibc
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// Disks that are full, and disks that are mounted in a container.
@Suite struct DriveDiskTests {
    // MARK: - Without room

    private func changeTime(_ url: URL) throws -> [Int] {
        var status = stat()
        try #require(lstat(url.path, &status) == 0)
        return [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    @Test("a file for which the disk has no room is not copied, and its state is written once")
    func largeFile() async throws {
        let pair = try await DrivePair(watches: true)
        let file = pair.here.appendingPathComponent("large")
        try DrivePair.write("", to: file)
        var disk = statvfs()
        try #require(statvfs(file.path, &disk) == 0)
        // It has no blocks on the disk, and a copy would fill all of them.
        try #require(truncate(file.path, Int(disk.f_blocks * UInt(disk.f_frsize)) + 1) == 0)
        defer { unlink(file.path) }
        try await pair.one.settle()
        let failure = try #require(try await pair.one.status().failures.first)
        #expect(failure.path == "large" && failure.error.code == .outOfSpace)
        #expect(failure.error.text == "'large': No space left on device")
        #expect(UbiquityState.of(file.path).uploadFailure?.code == CocoaError.fileWriteOutOfSpace.rawValue)
        let time = try changeTime(file)
        try await pair.one.settle()
        #expect(try changeTime(file) == time)
        #expect(await pair.one.changedPaths() == [])
        await pair.stop()
    }

    @Test("a failure whose text differs each time is not written to the attributes each time")
    func failureThatRepeats() async throws {
        let pair = try await DrivePair(watches: true)
        let file = pair.here.appendingPathComponent("a.txt")
        try DrivePair.write("text", to: file)
        pair.one.checkpoints.set { moment, name in
            if moment == .creating, name == "a.txt" { throw DriveFailure.system(ENOSPC, UUID().uuidString) }
        }
        try await pair.one.settle()
        let time = try changeTime(file)
        try await pair.one.settle()
        #expect(try changeTime(file) == time)
        // Another failure is shown.
        pair.one.checkpoints.set { moment, name in
            if moment == .creating, name == "a.txt" { throw DriveFailure.system(EIO, name) }
        }
        try await pair.one.settle()
        #expect(UbiquityState.of(file.path).uploadFailure?.text == "'a.txt': Input/output error")
        await pair.stop()
    }

    // MARK: - Mounted disks

    /// A disk, as far as an agent sees: a directory with two files that is moved to its place and away.
    private struct Disk {
        let place: URL
        private let away: URL

        /// A disk that is mounted in the container of the first device.
        init(in pair: DrivePair) async throws {
            place = pair.here.appendingPathComponent("folder/disk")
            away = URL(fileURLWithPath: pair.state.path + "/disk")
            try DrivePair.write("a", to: place.appendingPathComponent("a"))
            try DrivePair.write("b", to: place.appendingPathComponent("inner/b"))
            let identity = try #require(FileIdentity(place.path))
            await pair.one.folder.mounts.find { descriptor in
                var status = stat()
                return fstat(descriptor, &status) == 0 && FileIdentity(status) == identity ? 7 : 0
            }
        }

        func unmount() throws {
            try FileManager.default.moveItem(at: place, to: away)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }

        func mount() throws {
            try FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: away, to: place)
        }
    }

    @Test(
        "what is on a disk that is not mounted is not deleted, and nothing is written in its place",
        arguments: [false, true])
    func unmounted(watches: Bool) async throws {
        let pair = try await DrivePair(watches: watches)
        let disk = try await Disk(in: pair)
        try await pair.settleFully()
        let there = pair.there.appendingPathComponent("folder/disk")
        #expect(DrivePair.text(there.appendingPathComponent("inner/b")) == "b")

        try disk.unmount()
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == ["folder/disk"])
        #expect(await pair.one.scanInterval == DriveLimits.unwatchedScan)
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        #expect(DrivePair.text(there.appendingPathComponent("inner/b")) == "b")

        // Everything else is synchronized.
        try DrivePair.write("new", to: there.appendingPathComponent("new"))
        try DrivePair.write("changed", to: there.appendingPathComponent("a"))
        try DrivePair.write("other", to: pair.there.appendingPathComponent("folder/other"))
        try await pair.settleFully()
        #expect(DrivePair.text(pair.here.appendingPathComponent("folder/other")) == "other")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.place.path).isEmpty)
        let failures = try await pair.one.status().failures.map(\.error.text)
        #expect(!failures.isEmpty && failures.allSatisfy { $0 == "the disk of 'disk' is not mounted" }, "\(failures)")

        try disk.mount()
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == nil)
        #expect(try await pair.one.status().failures.isEmpty)
        #expect(DrivePair.text(disk.place.appendingPathComponent("new")) == "new")
        #expect(DrivePair.text(disk.place.appendingPathComponent("a")) == "changed")
        #expect(DrivePair.text(there.appendingPathComponent("inner/b")) == "b")
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("an agent that starts while a disk is not mounted deletes nothing")
    func restart() async throws {
        var pair = try await DrivePair(watches: true)
        let disk = try await Disk(in: pair)
        try await pair.settleFully()
        try disk.unmount()
        try await pair.restartOne()
        try await pair.settleFully()
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == ["folder/disk"])
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("a directory that is removed with its disk, and one that has the same files without it, are as they are")
    func withoutDisk() async throws {
        let pair = try await DrivePair(watches: true)
        let disk = try await Disk(in: pair)
        try await pair.settleFully()
        try disk.unmount()
        try DrivePair.write("a", to: disk.place.appendingPathComponent("a"))
        try DrivePair.write("changed", to: disk.place.appendingPathComponent("inner/b"))
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == nil)
        let there = pair.there.appendingPathComponent("folder/disk")
        #expect(DrivePair.text(there.appendingPathComponent("inner/b")) == "changed")

        try FileManager.default.removeItem(at: disk.place)
        try await pair.settleFully()
        #expect(!FileManager.default.fileExists(atPath: there.path))
        await pair.stop()
    }

    @Test("a disk that is mounted on a folder with files hides these, and deletes none")
    func hiddenFiles() async throws {
        let pair = try await DrivePair(watches: true)
        let disk = try await Disk(in: pair)
        try disk.unmount()
        try DrivePair.write("hidden", to: disk.place.appendingPathComponent("hidden"))
        try await pair.settleFully()
        let (place, hidden) = (disk.place, URL(fileURLWithPath: pair.state.path + "/hidden"))
        try FileManager.default.moveItem(at: place, to: hidden)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try disk.mount()
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == ["folder/disk"])
        #expect(DrivePair.text(pair.there.appendingPathComponent("folder/disk/hidden")) == "hidden")
        try disk.unmount()
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: hidden, to: place)
        try await pair.settleFully()
        #expect(try await pair.one.status().unmounted == nil)
        #expect(try await pair.one.recentlyDeleted().isEmpty)
        await pair.stop()
    }

    @Test("the system says on which directories something is mounted")
    func device() throws {
        let mounts = DriveMounts()
        #expect(mounts.device(of: try DriveDirectory.root("/proc")) != 0)
        let directory = try TemporaryDirectory()
        #expect(mounts.device(of: try DriveDirectory.root(directory.path)) == 0)
    }
}
