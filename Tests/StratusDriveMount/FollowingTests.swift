import StratusCloudKit
import StratusTesting
import Testing

@testable import StratusDriveMount

/// What a mount makes of the server's changes.
@Suite struct FollowingTests {
    @Test(
        "if changes cannot be followed any more, all is listed again, and what is gone goes",
        arguments: [
            CKError.Code.changeTokenExpired, .zoneNotFound, .userDeletedZone,
        ]) func listingAgain(code: CKError.Code) async throws
    {
        let files = try await MountedFiles()
        try await files.make(["stays", "goes"])
        try await files.fileSystem.fetch()
        try await files.deleteForGood("goes")
        if code == .changeTokenExpired {
            files.cloud.expireChangeTokens()
        } else {
            files.cloud.faults.inject(.error(code), on: .fetchZoneChanges)
        }
        try await files.fileSystem.fetch()
        #expect(files.cloud.faults.pending.isEmpty)
        #expect(try files.names() == ["stays"])
    }

    @Test("a zone that stays away has no items") func withoutZone() async throws {
        let files = try await MountedFiles()
        try await files.make(["a"])
        try await files.fileSystem.fetch()
        files.cloud.faults.inject(.error(.zoneNotFound), on: .fetchZoneChanges, times: 2)
        try await files.fileSystem.fetch()
        #expect(try files.names().isEmpty)
        // The next attempt lists all.
        try await files.fileSystem.fetch()
        #expect(try files.names() == ["a"])
    }

    @Test("a listing that breaks off removes nothing, and begins again") func interruption() async throws {
        let files = try await MountedFiles()
        let names = (0..<500).map { "\($0)" }
        try await files.make(names)
        try await files.fileSystem.fetch()
        try await files.make(["new"])
        for code in [CKError.Code.changeTokenExpired, .internalError] {
            files.cloud.faults.inject(.error(code), on: .fetchZoneChanges)
        }
        await #expect(throws: CKError.self) { try await files.fileSystem.fetch() }
        #expect(files.cloud.faults.pending.isEmpty)
        #expect(try files.names() == Set(names))
        try await files.fileSystem.fetch()
        #expect(try files.names() == Set(names + ["new"]))
    }

    @Test("what was written to a file that another device deleted meanwhile becomes a new file")
    func deletedMeanwhile() async throws {
        let files = try await MountedFiles()
        try await files.make(["a.txt"])
        try await files.fileSystem.fetch()
        let inode = try files.fileSystem.lookUp("a.txt", in: MountFileSystem.rootInode).inode
        let handle = try await files.fileSystem.open(inode, truncates: true)
        try await files.write("written", to: handle)
        try await files.delete("a.txt")
        let file = try files.fileSystem.file(handle)
        try await files.fileSystem.publish(file, closing: handle)
        files.fileSystem.close(handle)
        #expect(try await files.contentsOnServer() == ["a.txt": "written"])
        try await files.fileSystem.fetch()
        #expect(try files.names() == ["a.txt"])
        #expect(try files.fileSystem.attributes(of: inode).size == 7)
    }
}
