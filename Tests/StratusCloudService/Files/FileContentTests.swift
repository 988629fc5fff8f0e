import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Contents, former contents, Recently Deleted and copies.
@Suite struct FileContentTests {
    @Test("a file's content, its size and its version", arguments: Engine.allCases)
    func content(engine: Engine) async throws {
        let cloud = try await FileCloud(engine)
        let first = try await cloud.put("one", at: ["a.txt"])
        #expect(first.size == 3 && first.contentVersion == 1 && first.versions.isEmpty)
        let second = try await cloud.put("second", at: ["A.TXT"])
        #expect(second.id == first.id && second.size == 6 && second.contentVersion == 2)
        #expect(second.name == "a.txt")
        #expect(try await cloud.content(second) == "second")
        let same = try await cloud.put("second", at: ["a.txt"])
        #expect(same.contentVersion == 2 && same.versions.count == 1)
        let empty = try await cloud.put("", at: ["empty"])
        #expect(empty.size == 0)
        #expect(try await cloud.content(empty) == "")
    }

    @Test("former contents are kept for a number and a time, and can be gone back to")
    func versions() async throws {
        let cloud = try await FileCloud()
        for number in 0...FileLimits.versionsPerFile + 1 {
            _ = try await cloud.put("content \(number)", at: ["a"])
            cloud.advance(days: 1)
        }
        var item = try #require(try await cloud.service.filePlace(at: ["a"], as: cloud.caller).item)
        #expect(item.versions.map(\.number) == (2...11).reversed().map(Int64.init))
        item = try await cloud.service.restoreVersion(2, of: item, as: cloud.caller)
        #expect(try await cloud.content(item) == "content 1")
        #expect(item.versions.first?.number == 12 && item.versions.count == FileLimits.versionsPerFile)
        #expect(!item.versions.contains { $0.number == 2 })
        await #expect(throws: CloudError.self) {
            try await cloud.service.restoreVersion(1, of: item, as: cloud.caller)
        }
        cloud.advance(days: 30)
        try await cloud.service.purgeFiles()
        let later = try #require(try await cloud.item(item.id))
        #expect(later.versions.isEmpty)
        #expect(try await cloud.content(later) == "content 1")
        let usage = try await cloud.service.usage(of: .private, as: cloud.caller)
        #expect(usage.assetBytes == later.size)
    }

    @Test("a client gives up former contents, and makes none up")
    func clearedVersions() async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.put("one", at: ["a"])
        let item = try await cloud.put("two", at: ["a"])
        let other = try await cloud.put("other", at: ["b"])
        let foreign = InputValue.scalar(.asset(try #require(other.content)))
        #expect(
            try await cloud.refusal(.file(.forceUpdate, item.id, nil, nil, ["content": foreign]))?.code == .badRequest)
        #expect(
            try await cloud.refusal(.file(.forceUpdate, item.id, nil, nil, ["versions": .list([foreign])]))?.code
                == .badRequest)
        let former = InputValue.scalar(.asset(try #require(item.versions.first).content))
        let back = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["content": former]))
        #expect(back.fields.integer("contentVersion") == 3)
        let cleared = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["versions": .null]))
        #expect(FileItem(cleared)?.versions.isEmpty == true)
    }

    @Test("an item that is deleted can be restored for 30 days, under a name that is free")
    func recentlyDeleted() async throws {
        let cloud = try await FileCloud()
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        let first = try await cloud.put("one", at: ["d", "a.txt"])
        _ = try await cloud.service.deleteFile(first, as: cloud.caller)
        #expect(try await cloud.names(in: .item(folder.id)).isEmpty)
        _ = try await cloud.put("two", at: ["d", "a.txt"])
        #expect(try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items.map(\.id) == [first.id])
        let restored = try await cloud.service.restoreFile(named: first.id, as: cloud.caller)
        #expect(restored.name == "a 2.txt" && restored.folder == folder.id)
        #expect(try await cloud.content(restored) == "one")
        await #expect(throws: CloudError.self) {
            try await cloud.service.restoreFile(named: first.id, as: cloud.caller)
        }
        _ = try await cloud.service.deleteFile(restored, as: cloud.caller)
        _ = try await cloud.service.deleteFile(folder, as: cloud.caller)
        #expect(try await cloud.service.restoreFile(named: first.id, as: cloud.caller).folder == nil)
    }

    @Test("content for an item in Recently Deleted is refused, unless the same change restores the item")
    func contentOfDeletedItem() async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.put("one", at: ["a"])
        let item = try await cloud.put("two", at: ["a"])
        let former = InputValue.scalar(.asset(try #require(item.versions.first).content))
        _ = try await cloud.service.deleteFile(item, as: cloud.caller)
        let refused = try await cloud.refusal(.file(.forceUpdate, item.id, nil, nil, ["content": former]))
        #expect(refused?.code == .conflict && refused?.serverRecord?.value.fields["deleted"] != nil)
        let kept = try #require(try await cloud.item(item.id))
        #expect(try await cloud.content(kept) == "two" && kept.deleted != nil)
        // What is not the content may change there.
        _ = try await cloud.save(.file(.forceUpdate, item.id, nil, nil, ["executable": .integer(1)]))
        let restored = try await cloud.save(
            .file(.forceUpdate, item.id, nil, nil, ["content": former, "deleted": .null]))
        let current = try #require(FileItem(restored))
        #expect(try await cloud.content(current) == "one" && current.deleted == nil)
    }

    @Test("an upload that replaces a file makes a new one if the file is deleted meanwhile")
    func replacedFileIsDeleted() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("one", at: ["a"])
        let destination = try await cloud.service.fileDestination(
            named: "a", in: .root, ifTaken: .replace, as: cloud.caller)
        let upload = try await cloud.service.beginFileUpload(to: destination, length: 3, as: cloud.caller)
        _ = try await cloud.service.deleteFile(item, as: cloud.caller)
        let saved = try await cloud.service.receiveFile(upload, body: Pieces(Array("two".utf8)), as: cloud.caller)
        #expect(saved.id != item.id && saved.name == "a" && saved.deleted == nil)
        #expect(try await cloud.content(saved) == "two")
        let former = try #require(try await cloud.item(item.id))
        #expect(try await cloud.content(former) == "one" && former.deleted != nil)
    }

    @Test("what was deleted goes after 30 days, and no sooner", arguments: Engine.allCases)
    func purge(engine: Engine) async throws {
        let cloud = try await FileCloud(engine)
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        let file = try await cloud.put("one", at: ["d", "a"])
        let kept = try await cloud.put("kept", at: ["kept"])
        _ = try await cloud.service.deleteFile(folder, as: cloud.caller)
        cloud.cloud.clock.withLock { $0 += FileLimits.recentlyDeletedLifetime - 1 }
        #expect(try await cloud.service.purgeFiles() == 0)
        #expect(try await cloud.item(folder.id) != nil)
        cloud.cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.service.purgeFiles() == 1)
        #expect(try await cloud.item(folder.id) == nil)
        #expect(try await cloud.item(file.id) == nil)
        #expect(try await cloud.item(kept.id) != nil)
        #expect(try await cloud.service.usage(of: .private, as: cloud.caller).assetBytes == kept.size)
    }

    @Test("folders alone are purged, too")
    func purgeWithoutContents() async throws {
        let cloud = try await FileCloud()
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        _ = try await cloud.service.deleteFile(folder, as: cloud.caller)
        cloud.advance(days: 31)
        #expect(try await cloud.service.purgeFiles() == 1)
    }

    @Test("contents, former ones and deleted ones count to the quota; beyond it nothing changes")
    func quota() async throws {
        let quotas = Quotas(privateAssets: 10)
        let cloud = try await FileCloud(configuration: ServiceConfiguration(quotas: quotas))
        let item = try await cloud.put("1234", at: ["a"])
        _ = try await cloud.put("5678", at: ["a"])
        #expect(try await cloud.service.fileRoom(as: cloud.caller) == .init(used: 8, available: 2))
        for path in [["a"], ["b"]] {
            do {
                _ = try await cloud.put("abc", at: path)
                Issue.record("the file was saved beyond the quota")
            } catch let error as CloudError {
                #expect(error.code == .quotaExceeded)
            }
        }
        let kept = try #require(try await cloud.item(item.id))
        #expect(try await cloud.content(kept) == "5678")
        _ = try await cloud.service.deleteFile(kept, as: cloud.caller)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).available == 2)
        try await cloud.service.deleteFilePermanently(named: item.id, as: cloud.caller)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).available == 10)
    }

    @Test("a move is one change, however much is in the folder")
    func move() async throws {
        let cloud = try await FileCloud()
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        let target = try await cloud.service.createFolder(FileChanges(name: "t", folder: .root), as: cloud.caller)
        for number in 0..<5 { _ = try await cloud.put("\(number)", at: ["d", "\(number)"]) }
        let before = try await cloud.item(target.id)?.changeTag
        let moved = try await cloud.service.moveFile(folder, to: .item(target.id), named: "e", as: cloud.caller)
        #expect(moved.folder == target.id && moved.name == "e")
        #expect(try await cloud.item(target.id)?.changeTag == before)
        #expect(try await cloud.names(in: .item(folder.id)).count == 5)
        #expect(try await cloud.service.filePlace(at: ["t", "e", "3"], as: cloud.caller).item?.size == 1)
        let stale = await refusal { try await cloud.service.moveFile(folder, to: .root, named: "x", as: cloud.caller) }
        #expect(stale?.code == .conflict, "it was moved meanwhile")
    }

    @Test("what a move or a copy replaces is deleted only in the state in which it was seen")
    func replacedMeanwhile() async throws {
        let cloud = try await FileCloud()
        let item = try await cloud.put("one", at: ["a"])
        let seen = try await cloud.put("two", at: ["b"])
        let changed = try await cloud.put("three", at: ["b"])
        for error in [
            await refusal {
                try await cloud.service.moveFile(item, to: .root, named: "b", replacing: seen, as: cloud.caller)
            },
            await refusal {
                try await cloud.service.copyFile(item, to: .root, named: "b", replacing: seen, as: cloud.caller)
            },
        ] {
            #expect(error?.code == .conflict)
        }
        #expect(try await cloud.names() == ["a", "b"])
        #expect(try await cloud.item(seen.id) == changed)
    }

    @Test("a copy has everything, and what it replaces can be restored")
    func copy() async throws {
        let cloud = try await FileCloud()
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        _ = try await cloud.service.createFolder(FileChanges(name: "e", folder: .item(folder.id)), as: cloud.caller)
        _ = try await cloud.put("deep", at: ["d", "e", "a"])
        _ = try await cloud.service.createLink(
            FileChanges(name: "l", folder: .item(folder.id)), to: "/nowhere", as: cloud.caller)
        let old = try await cloud.put("old", at: ["c"])
        let copy = try await cloud.service.copyFile(folder, to: .root, named: "c", replacing: old, as: cloud.caller)
        #expect(try await cloud.names() == ["c", "d"])
        let deep = try #require(try await cloud.service.filePlace(at: ["c", "e", "a"], as: cloud.caller).item)
        #expect(try await cloud.content(deep) == "deep")
        #expect(try await cloud.service.filePlace(at: ["c", "l"], as: cloud.caller).item?.target == "/nowhere")
        #expect(try await cloud.item(old.id)?.deleted != nil)
        let inside = try await cloud.service.copyFile(copy, to: .item(copy.id), named: "self", as: cloud.caller)
        #expect(try await cloud.names(in: .item(inside.id)) == ["e", "l"])
    }

    @Test("a copy beyond the quota leaves everything as it was")
    func copyBeyondQuota() async throws {
        let quotas = Quotas(privateAssets: 20)
        let cloud = try await FileCloud(configuration: ServiceConfiguration(quotas: quotas))
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        _ = try await cloud.put("12345678", at: ["d", "a"])
        let old = try await cloud.put("12345678", at: ["c"])
        let error = await refusal {
            try await cloud.service.copyFile(folder, to: .root, named: "c", replacing: old, as: cloud.caller)
        }
        #expect(error?.code == .quotaExceeded)
        #expect(try await cloud.names() == ["c", "d"])
        #expect(try await cloud.item(old.id)?.deleted == nil)
        #expect(try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items.isEmpty)
    }

    @Test("a copy makes a limited number of items, or none")
    func copyLimit() async throws {
        let cloud = try await FileCloud()
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: cloud.caller)
        _ = try await cloud.service.createFolder(FileChanges(name: "e", folder: .item(folder.id)), as: cloud.caller)
        _ = try await cloud.put("1", at: ["d", "e", "1"])
        let copy = try await cloud.service.copyFile(folder, to: .root, named: "c", limit: 3, as: cloud.caller)
        #expect(try await cloud.names(in: .item(copy.id)) == ["e"])
        _ = try await cloud.put("2", at: ["d", "e", "2"])
        let error = await refusal {
            try await cloud.service.copyFile(folder, to: .root, named: "b", limit: 3, as: cloud.caller)
        }
        #expect(error?.code == .badRequest && error?.reason.contains("one copy makes 3 at most") == true)
        #expect(try await cloud.names() == ["c", "d"])
        #expect(try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items.isEmpty)
    }

    @Test("a restored item tries a limited number of names")
    func numbersTried() async throws {
        let cloud = try await FileCloud()
        var deleted: [FileItem] = []
        for text in ["one", "two"] {
            deleted.append(try await cloud.put(text, at: ["a.txt"]))
            _ = try await cloud.service.deleteFile(deleted[deleted.count - 1], as: cloud.caller)
        }
        let numbers = 2..<FileLimits.numbersTried
        let names = ["a.txt"] + numbers.map { FileName.numbered("a.txt", $0) }
        let made = try await cloud.modify(names.map { .file(.create, "r \($0)", $0, .file) })
        #expect(made.allSatisfy { $0.saved != nil })
        let restored = try await cloud.service.restoreFile(named: deleted[0].id, as: cloud.caller)
        #expect(restored.name == "a \(FileLimits.numbersTried).txt")
        let error = await refusal { try await cloud.service.restoreFile(named: deleted[1].id, as: cloud.caller) }
        #expect(error?.code == .uniqueFieldError)
        #expect(try await cloud.item(deleted[1].id)?.deleted != nil)
        #expect(try await cloud.names().count == FileLimits.numbersTried)
    }
}
