import Glibc
import StratusCloudKit
import StratusTesting
import Testing

@testable import StratusDriveMount

/// A folder of many items. The numbers of requests are checked, which do not depend on the machine.
@Suite struct LargeFolderTests {
    private let names = (0..<2_000).map { "file \($0).txt" }

    @Test("listing a folder, and the attributes of its items, cost no request") func listing() async throws {
        let files = try await MountedFiles()
        try await files.make(["large"], kind: .folder)
        try await files.make(names, in: "large")
        files.cloud.forgetRequests()
        try await files.fileSystem.fetch()
        // 200 records are in an answer at most.
        #expect((11...14).contains(files.cloud.requests.count), "\(files.cloud.requests.count)")
        files.cloud.forgetRequests()
        let folder = try files.fileSystem.lookUp("large", in: MountFileSystem.rootInode).inode
        #expect(try files.names(in: folder) == Set(names))
        for name in names {
            let inode = try files.fileSystem.lookUp(name, in: folder).inode
            #expect(try files.fileSystem.attributes(of: inode).name == name)
        }
        let handle = try await files.fileSystem.open(
            files.fileSystem.lookUp(names[0], in: folder).inode, truncates: false)
        files.fileSystem.close(handle)
        #expect(files.cloud.requests.isEmpty)
    }

    @Test("a change beside many items costs one request") func oneChange() async throws {
        let files = try await MountedFiles()
        try await files.make(names)
        try await files.fileSystem.fetch()
        try await files.make(["new.txt"])
        files.cloud.forgetRequests()
        try await files.fileSystem.fetch()
        #expect(files.cloud.requests.map(\.calls) == [.fetchZoneChanges])
        #expect(try files.names() == Set(names + ["new.txt"]))
        files.cloud.forgetRequests()
        #expect(await files.fileSystem.sendPending() == false)
        #expect(files.cloud.requests.isEmpty, "nothing is pending")
    }

    @Test("a folder that a program reads from its beginning again shows what is new") func rewinding() async throws {
        let files = try await MountedFiles()
        try await files.make(["a", "b"])
        try await files.fileSystem.fetch()
        let handle = try files.fileSystem.openFolder(MountFileSystem.rootInode)
        let first = try files.names(handle)
        #expect(Set(first) == [".", "..", "a", "b"])
        try await files.make(["c"])
        try await files.fileSystem.fetch()
        #expect(try files.names(handle, from: 3) == Array(first.dropFirst(3)), "the rest is as it was")
        #expect(Set(try files.names(handle)) == [".", "..", "a", "b", "c"])
        files.fileSystem.closeFolder(handle)
        #expect { try files.names(handle) } throws: { ($0 as? SystemError)?.code == EBADF }
    }

    @Test("an open folder that is deleted cannot be read") func deleted() async throws {
        let files = try await MountedFiles()
        try await files.make(["folder"], kind: .folder)
        try await files.fileSystem.fetch()
        let handle = try files.fileSystem.openFolder(
            files.fileSystem.lookUp("folder", in: MountFileSystem.rootInode).inode)
        try await files.fileSystem.remove("folder", in: MountFileSystem.rootInode, isFolder: true)
        #expect { try files.names(handle) } throws: { ($0 as? SystemError)?.code == ENOENT }
    }
}
