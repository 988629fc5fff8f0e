import StratusCloudModel
import Testing

@testable import StratusCloudService

/// What participants see of shared files and folders, and what they may do with them.
@Suite struct FileSharingTests {
    /// Ada's files: `top/shared/{a.txt, inner/}` of which `shared` is shared with Bob, and `top/secret.txt` beside it.
    private struct Place {
        let cloud: FileCloud
        let share: Record
        let folder: FileItem
        let (a, inner, secret): (FileItem, FileItem, FileItem)
        var ada: Caller { cloud.caller }
        var bob: Caller { cloud.cloud.user("b") }
        var owner: FileOwner { .other(ada.authorRecordName) }
        var service: CloudService { cloud.service }

        init(_ permission: SharePermission = .readWrite, configuration: ServiceConfiguration = .init()) async throws {
            cloud = try await FileCloud(configuration: configuration)
            let (service, ada) = (cloud.service, cloud.caller)
            let top = try await service.createFolder(FileChanges(name: "top", folder: .root), as: ada)
            folder = try await service.createFolder(FileChanges(name: "shared", folder: .item(top.id)), as: ada)
            _ = try await cloud.put("before", at: ["top", "shared", "a.txt"])
            a = try await cloud.put("now", at: ["top", "shared", "a.txt"])
            inner = try await service.createFolder(FileChanges(name: "inner", folder: .item(folder.id)), as: ada)
            secret = try await cloud.put("secret", at: ["top", "secret.txt"])
            share = try await cloud.share(folder, with: [cloud.cloud.user("b")], permission)
        }

        /// What Bob's device is told of the zone.
        func feed(since token: String? = nil) async throws -> ZoneChangesPage {
            try await cloud.cloud.shared(FileFormat.zoneName, since: token, as: bob)
        }

        func modify(_ operation: RecordOperation) async throws -> RecordResult? {
            let zone = ZoneID(zoneName: FileFormat.zoneName, ownerRecordName: ada.authorRecordName)
            return try await service.modifyRecords(
                ModifyRecordsRequest(operations: [operation], zoneID: zone), in: .shared, as: bob
            ).first
        }

        func place(_ path: String...) async throws -> FilePlace {
            try await service.filePlace(at: path, below: .item(folder.id), of: owner, as: bob)
        }

        func put(_ text: String, at path: String...) async throws -> FileItem {
            let destination: CloudService.FileDestination
            switch try await service.filePlace(at: path, below: .item(folder.id), of: owner, as: bob) {
            case .item(let item, _): destination = .existing(item, ifTagged: nil)
            case .free(let name, let folder): destination = .new(name: name, folder: folder)
            case .root, .nowhere: throw Unexpected(description: "there is no such folder")
            }
            let upload = try await service.beginFileUpload(to: destination, of: owner, length: nil, as: bob)
            return try await service.receiveFile(upload, body: Pieces(Array(text.utf8)), as: bob)
        }

        func visible() async throws -> [String] {
            try await feed().records.filter { $0.recordType == FileFormat.recordType }.compactMap {
                $0.fields.string(FileFormat.name)
            }.sorted()
        }
    }

    @Test("a shared folder is seen with everything in it, and with nothing around it")
    func visibility() async throws {
        let place = try await Place()
        #expect(try await place.visible() == ["a.txt", "inner", "shared"])
        let roots = try await place.service.sharedFiles(as: place.bob)
        #expect(roots.map(\.item.id) == [place.folder.id] && roots.first?.permission == .readWrite)
        #expect(roots.first?.item.folder == nil && roots.first?.shortGUID == place.share.shortGUID)
        #expect(
            try await place.service.listFiles(in: .item(place.folder.id), of: place.owner, as: place.bob).items
                .map(\.name) == ["a.txt", "inner"])
        let item = try #require(try await place.place("A.TXT").item)
        let download = try await place.service.downloadFile(item, of: place.owner, as: place.bob)
        #expect(try place.service.bytes(of: download) == Array("now".utf8))
        #expect(try await place.service.sharedFiles(as: place.ada).isEmpty)
        #expect(try await place.cloud.item(place.folder.id)?.share == place.share.recordName)
    }

    @Test("what is around a shared folder, and what was in its files, cannot be found out")
    func concealed() async throws {
        let place = try await Place()
        let (service, bob, owner) = (place.service, place.bob, place.owner)
        for name in [place.secret.id, try #require(place.folder.folder)] {
            await #expect(throws: CloudError.self) { try await service.file(named: name, of: owner, as: bob) }
            #expect(try await service.listFiles(in: .item(name), of: owner, as: bob).items.isEmpty)
            let lookup = LookupRecordsRequest(items: [.init(recordName: name)], zoneID: owner.zoneID)
            #expect(try await service.lookupRecords(lookup, in: .shared, as: bob).first?.error?.code == .notFound)
        }
        #expect(try await service.listFiles(in: .root, of: owner, as: bob).items.isEmpty)
        #expect(try await service.filePlace(at: ["top"], of: owner, as: bob) == .nowhere)
        #expect(try await service.filePlace(at: [], of: owner, as: bob) == .nowhere)
        // The folder that the root is in: by its record, by a change feed, by a query for it.
        let root = try await service.file(named: place.folder.id, of: owner, as: bob)
        #expect(root.folder == nil)
        for record in try await place.feed().records where record.recordName == place.folder.id {
            #expect(record.fields[FileFormat.folder] == nil)
        }
        let parent = Reference(recordName: try #require(place.folder.folder))
        let query = QueryRecordsRequest(
            query: Query(
                recordType: FileFormat.recordType,
                filters: [
                    Filter(.equals, .named(FileFormat.folder), FieldInput(.scalar(.reference(parent))))
                ]), zoneID: owner.zoneID)
        #expect(try await service.queryRecords(query, in: .shared, as: bob).records.isEmpty)
        // Former contents are the owner's.
        let item = try await service.file(named: place.a.id, of: owner, as: bob)
        #expect(item.versions.isEmpty)
        let former = try #require(place.a.versions.first).content
        let back = try await place.modify(
            .file(.forceUpdate, place.a.id, nil, nil, ["content": .scalar(.asset(former))]))
        #expect(back?.error?.code == .badRequest)
        let cleared = try await place.modify(.file(.forceUpdate, place.a.id, nil, nil, ["versions": .null]))
        #expect(cleared?.error?.code == .accessDenied)
        let resolved = try await place.modify(.file(.forceUpdate, place.a.id, nil, nil, ["conflicts": .null]))
        #expect(resolved?.error?.code == .accessDenied)
        #expect(try await place.cloud.item(place.a.id)?.versions.count == 1)
    }

    @Test("who may write adds, changes, moves and deletes within the share")
    func writing() async throws {
        let place = try await Place()
        let (service, bob, owner) = (place.service, place.bob, place.owner)
        let new = try await place.put("new", at: "inner", "new.txt")
        #expect(new.folder == place.inner.id)
        let changed = try await place.put("changed", at: "a.txt")
        #expect(changed.id == place.a.id)
        let kept = try #require(try await place.cloud.item(place.a.id))
        #expect(try await place.cloud.content(kept) == "changed" && kept.versions.count == 2)
        let taken = await refusal {
            try await service.createFolder(
                FileChanges(name: "INNER", folder: .item(place.folder.id)), of: owner, as: bob)
        }
        #expect(taken?.code == .uniqueFieldError)
        let moved = try await service.moveFile(
            new, to: .item(place.folder.id), named: "moved.txt", of: owner, as: bob)
        #expect(moved.folder == place.folder.id)
        _ = try await service.copyFile(moved, to: .item(place.inner.id), named: "copy", of: owner, as: bob)
        _ = try await service.deleteFile(moved, of: owner, as: bob)
        #expect(try await place.visible() == ["a.txt", "copy", "inner", "shared"])
        let deleted = try await service.listRecentlyDeletedFiles(as: place.ada).items
        #expect(deleted.map(\.id) == [moved.id], "it is in its owner's Recently Deleted")
        await #expect(throws: CloudError.self) { try await service.file(named: moved.id, of: owner, as: bob) }
        let restored = try await place.modify(.file(.forceUpdate, moved.id, nil, nil, ["deleted": .null]))
        #expect(restored?.saved == nil)
    }

    @Test("nobody takes anything out of a share, nor moves, renames or deletes what was shared itself")
    func outOfTheShare() async throws {
        let place = try await Place()
        let (a, root, top) = (place.a.id, place.folder.id, try #require(place.folder.folder))
        let refused: [(RecordOperation, Set<CloudError.Code>)] = [
            (.file(.forceUpdate, a, nil, nil, ["folder": .null]), [.accessDenied]),
            (.file(.forceUpdate, a, in: top, nil), [.accessDenied]),
            (.file(.forceReplace, a, "a.txt"), [.accessDenied]),
            (.file(.forceUpdate, root, in: place.inner.id, nil), [.accessDenied]),
            (.file(.forceUpdate, root, in: top, nil), [.accessDenied]),
            (.file(.forceUpdate, root, "secret.txt", nil), [.accessDenied]),
            (.file(.forceUpdate, root, "free", nil), [.accessDenied]),
            (.file(.forceUpdate, root, nil, nil, ["deleted": .integer(1)]), [.accessDenied]),
            (RecordOperation(.forceDelete, RecordInput(recordName: root)), [.accessDenied]),
            (RecordOperation(.forceDelete, RecordInput(recordName: a)), [.badRequest]),
            (.file(.create, "x", "x"), [.accessDenied]),
            (.file(.create, "x", "x", in: top), [.accessDenied]),
            (.file(.create, "x", "x", in: place.secret.id), [.accessDenied]),
            (.file(.create, "x", "x", in: root, .folder, ["deleted": .integer(1)]), [.accessDenied]),
            (.file(.create, place.secret.id, "x", in: root), [.accessDenied]),
            (.file(.forceUpdate, place.secret.id, in: root, nil), [.accessDenied]),
        ]
        for (operation, codes) in refused {
            let code = try await place.modify(operation)?.error?.code
            #expect(code.map(codes.contains) == true, "\(operation): \(String(describing: code))")
        }
        // What does not see where the root is cannot mean to move it.
        let saved = try await place.modify(.file(.forceReplace, root, "shared"))?.saved
        #expect(saved != nil && saved?.fields[FileFormat.folder] == nil)
        #expect(try await place.cloud.item(root)?.folder == top)
        #expect(try await place.cloud.item(place.secret.id)?.folder == top)
        // A folder that is none of the share's is no way out, though the same batch claims it.
        let zone = place.owner.zoneID
        let results = try await place.service.modifyRecords(
            ModifyRecordsRequest(
                operations: [.file(.forceUpdate, top, in: root, nil), .file(.create, "y", "y", in: top)], zoneID: zone,
                atomic: false), in: .shared, as: place.bob)
        #expect(results.allSatisfy { $0.saved == nil })
    }

    @Test("who may only read changes nothing")
    func reading() async throws {
        let place = try await Place(.readOnly)
        for operation: RecordOperation in [
            .file(.create, "x", "x", in: place.folder.id), .file(.forceUpdate, place.a.id, "b.txt", nil),
            .file(.forceUpdate, place.a.id, nil, nil, ["deleted": .integer(1)]),
        ] {
            #expect(try await place.modify(operation)?.error?.code == .accessDenied)
        }
        let upload = await refusal {
            try await place.service.beginFileUpload(
                to: .new(name: "x", folder: .item(place.folder.id)), of: place.owner, length: 1, as: place.bob)
        }
        #expect(upload?.code == .accessDenied)
        #expect(try await place.visible() == ["a.txt", "inner", "shared"])
    }

    @Test("moving an item into or out of a shared folder shares it or not, with everything in it")
    func moving() async throws {
        let place = try await Place()
        let (service, ada) = (place.service, place.ada)
        var token = try await place.feed().syncToken
        let tags = try await place.cloud.item(place.folder.id)?.changeTag
        let tree = try await service.createFolder(FileChanges(name: "tree", folder: .root), as: ada)
        for number in 0..<5 { _ = try await place.cloud.put("x", at: ["tree", "f\(number)"]) }
        let inside = try await service.moveFile(tree, to: .item(place.folder.id), named: "tree", as: ada)
        #expect(try await place.cloud.item(place.folder.id)?.changeTag == tags)
        var page = try await place.feed(since: token)
        #expect(
            Set(page.records.compactMap { $0.fields.string("name") }) == ["tree", "f0", "f1", "f2", "f3", "f4"])
        token = page.syncToken
        _ = try await service.moveFile(inside, to: .root, named: "tree", as: ada)
        page = try await place.feed(since: token)
        #expect(page.changes.count == 6 && page.records.isEmpty)
        #expect(try await place.visible() == ["a.txt", "inner", "shared"])
    }

    @Test("what is shared is not seen while it is in Recently Deleted, and comes back with its share")
    func deletedRoot() async throws {
        let place = try await Place()
        let (service, ada) = (place.service, place.ada)
        _ = try await service.deleteFile(place.folder, as: ada)
        #expect(try await place.visible().isEmpty)
        #expect(try await service.sharedFiles(as: place.bob).isEmpty)
        #expect(try await service.listFiles(in: .item(place.folder.id), of: place.owner, as: place.bob).items.isEmpty)
        #expect(try await place.modify(.file(.create, "x", "x", in: place.folder.id))?.saved == nil)
        let again = await refusal { try await place.cloud.share(place.folder, with: []) }
        #expect(again != nil)
        _ = try await service.restoreFile(named: place.folder.id, as: ada)
        #expect(try await place.visible() == ["a.txt", "inner", "shared"])
        #expect(try await service.sharedFiles(as: place.bob).map(\.item.id) == [place.folder.id])
        _ = try await place.put("again", at: "inner", "x")
        #expect(try await service.checkConsistency(repairing: false).problems == 0)
    }

    @Test("deleting for good ends the share", arguments: [true, false])
    func deletedForGood(byTime: Bool) async throws {
        let place = try await Place()
        let (service, ada) = (place.service, place.ada)
        _ = try await service.deleteFile(place.folder, as: ada)
        if byTime {
            place.cloud.advance(days: 31)
            try await service.purgeFiles()
        } else {
            try await service.deleteFilePermanently(named: place.folder.id, as: ada)
        }
        await #expect(throws: CloudError.self) { try await place.feed() }
        #expect(
            try await place.cloud.cloud.accept(place.share, as: place.cloud.cloud.user("c")).error?.code == .notFound)
        #expect(try await place.cloud.cloud.lookup([place.share.recordName], zone: FileFormat.zoneName)[0].saved == nil)
    }

    @Test("people leave, are removed, and the owner stops sharing")
    func endings() async throws {
        let place = try await Place()
        let (service, zone) = (place.service, place.owner.zoneID)
        _ = try await service.modifyZones([ZoneOperation(.delete, zone)], in: .shared, as: place.bob)
        await #expect(throws: CloudError.self) { try await place.feed() }
        #expect(try await service.sharedFiles(as: place.bob).isEmpty)
        let carol = place.cloud.cloud.user("c")
        _ = try await place.cloud.cloud.update(place.share.recordName, in: FileFormat.zoneName) {
            $0.publicPermission = .readOnly
        }
        try await place.cloud.cloud.accept(place.share, as: carol)
        #expect(try await service.sharedFiles(as: carol).first?.permission == .readOnly)
        let item = try await service.file(named: place.a.id, of: place.owner, as: carol)
        let deletion = RecordOperation(
            .delete,
            RecordInput(
                recordName: place.share.recordName,
                recordChangeTag: try await place.cloud.cloud.lookup(
                    [place.share.recordName], zone: FileFormat.zoneName)[0].saved?.recordChangeTag))
        #expect(try await place.cloud.modify([deletion]).first?.isDeleted == true)
        #expect(try await service.sharedFiles(as: carol).isEmpty)
        await #expect(throws: CloudError.self) {
            try await service.downloadFile(item, of: place.owner, as: carol)
        }
        #expect(try await place.cloud.item(place.folder.id)?.share == nil)
        #expect(try await place.cloud.names(in: .item(place.folder.id)) == ["a.txt", "inner"])
    }

    @Test("an item is in one share, and what cannot be shared is not")
    func refusals() async throws {
        let place = try await Place()
        let (service, ada) = (place.service, place.ada)
        for item in [place.a, place.inner, place.folder] {
            #expect(await refusal { try await place.cloud.share(item, with: []) }?.code == .badRequest)
        }
        let top = try await service.file(named: try #require(place.folder.folder), as: ada)
        #expect(await refusal { try await place.cloud.share(top, with: []) } != nil, "something in it is shared")
        let outer = try await service.createFolder(FileChanges(name: "outer", folder: .root), as: ada)
        let child = try await service.createFolder(FileChanges(name: "child", folder: .item(outer.id)), as: ada)
        _ = try await service.deleteFile(outer, as: ada)
        for item in [outer, child] {
            let stored = try await service.file(named: item.id, as: ada)
            #expect(await refusal { try await service.shareFile(stored, as: ada) }?.code == .badRequest)
        }
        let whole = try await place.cloud.modify([
            RecordOperation(
                .create,
                RecordInput(
                    recordName: SystemRecordType.zoneShareName, recordType: SystemRecordType.share,
                    share: Boxed(ShareInput())))
        ])
        #expect(whole.first?.error?.code == .badRequest)
        let alone = try await place.cloud.put("x", at: ["alone"])
        let link = try await service.shareFile(alone, as: ada)
        let stored = try await service.file(named: alone.id, as: ada)
        #expect(stored.shortGUID == link)
        #expect(try await service.shareFile(stored, as: ada) == link)
        // Two shares never become one.
        #expect(
            await refusal {
                try await service.moveFile(stored, to: .item(place.folder.id), named: "alone", as: ada)
            } != nil)
    }

    @Test("a list shows up to a number of shared items")
    func longList() async throws {
        let cloud = try await FileCloud()
        let (bob, step) = (cloud.cloud.user("b"), 91)
        for start in stride(from: 0, to: FileLimits.sharedItemsListed + 1, by: step) {
            let operations = (start..<start + step).flatMap { number -> [RecordOperation] in
                var input = ShareInput()
                input.forRecord = ShareInput.Root(recordName: "i\(number)")
                input.publicPermission = .readOnly
                let share = RecordInput(recordType: SystemRecordType.share, share: Boxed(input))
                return [.file(.create, "i\(number)", "i\(number)"), RecordOperation(.create, share)]
            }
            let links = try await cloud.modify(operations).compactMap(\.saved).filter {
                $0.recordType == SystemRecordType.share
            }.map { ShareLinkRequest(shortGUID: $0.shortGUID ?? "") }
            try #require(links.count == step)
            _ = try await cloud.service.acceptShareLinks(links, as: bob)
        }
        #expect(try await cloud.service.sharedFiles(as: bob).count == FileLimits.sharedItemsListed)
    }

    @Test("what participants save counts to the owner's quota")
    func quota() async throws {
        let place = try await Place(configuration: ServiceConfiguration(quotas: Quotas(privateAssets: 30)))
        _ = try await place.put("12345", at: "b")
        let error = await refusal { try await place.put("1234567890123", at: "c") }
        #expect(error?.code == .quotaExceeded)
        #expect(try await place.service.fileRoom(as: place.bob).used == 0)
        #expect(try await place.service.fileRoom(as: place.ada).used == 6 + 3 + 6 + 5)
    }
}

extension FileCloud {
    /// Shares an item with people, who come in.
    @discardableResult
    func share(
        _ item: FileItem, with people: [Caller], _ permission: SharePermission = .readWrite
    ) async throws -> Record {
        var input = ShareInput()
        input.forRecord = ShareInput.Root(
            recordName: item.id, recordChangeTag: try await service.file(named: item.id, as: caller).changeTag)
        input.participants = people.map {
            ShareParticipantInput(lookup: .userRecordName($0.authorRecordName), permission: permission)
        }
        let share = try await save(
            RecordOperation(.create, RecordInput(recordType: SystemRecordType.share, share: Boxed(input))))
        for person in people { try await cloud.accept(share, as: person) }
        return share
    }
}

extension ZoneChangesPage {
    /// The records that are saved.
    fileprivate var records: [Record] {
        changes.compactMap { if case .saved(let record) = $0 { record } else { nil } }
    }
}
