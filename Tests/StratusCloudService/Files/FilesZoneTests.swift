import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

/// The rules of files, against plain modifications of records.
@Suite struct FilesZoneTests {
    @Test(
        "names in a folder are equal whatever their case and form of Unicode",
        arguments: [
            ("Report", "report"), ("é", "e\u{301}"), ("É", "e\u{301}"), ("Straße", "STRASSE"), ("ſ", "S"),
            ("Å", "\u{212B}"),
            ("ΣΑΣ", "σας"),
        ])
    func twins(one: String, other: String) async throws {
        let cloud = try await FileCloud()
        let saved = try await cloud.save(.file(.create, "a", one))
        #expect(saved.fields.string("name") == one)
        let error = try await cloud.refusal(.file(.create, "b", other))
        #expect(error?.code == .uniqueFieldError)
        #expect(error?.reason.contains("'b'") == true)
        #expect(try await cloud.names() == [one])
        #expect(try await cloud.service.filePlace(at: [other], as: cloud.caller).item?.id == "a")
    }

    @Test("other names are others", arguments: [("ı", "i"), ("a", "ａ"), ("fi", "ﬃ"), ("a", "á"), ("a ", "a")])
    func others(one: String, other: String) async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.save(.file(.create, "a", one))
        _ = try await cloud.save(.file(.create, "b", other))
    }

    @Test(
        "of two devices that make the same name at once, one is told, and both keep their file",
        arguments: Engine.allCases)
    func atOnce(engine: Engine) async throws {
        let cloud = try await FileCloud(engine)
        let results = try await withThrowingTaskGroup(of: RecordResult?.self) { group in
            for device in 0..<8 {
                group.addTask { try await cloud.modify([.file(.create, "d\(device)", "Notes")]).first }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0?.saved != nil } == 1)
        #expect(results.count { $0?.error?.code == .uniqueFieldError } == 7)
        #expect(try await cloud.names() == ["Notes"])
        _ = try await cloud.save(.file(.create, "again", FileName.numbered("Notes", 2)))
        #expect(try await cloud.names() == ["Notes", "Notes 2"])
    }

    @Test(
        "names that are none are refused",
        arguments: [
            "", ".", "..", "a/b", "a\0b", "\u{1}", String(repeating: "a", count: 256),
        ])
    func badNames(name: String) async throws {
        let cloud = try await FileCloud()
        #expect(try await cloud.refusal(.file(.create, "a", name))?.code == .badRequest)
        _ = try await cloud.save(.file(.create, "a", "good"))
        #expect(try await cloud.refusal(.file(.forceUpdate, "a", name, nil))?.code == .badRequest)
        #expect(try await cloud.names() == ["good"])
    }

    @Test("a folder is never in itself", arguments: [true, false])
    func circles(atomic: Bool) async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.modify([
            .file(.create, "a", "a"), .file(.create, "b", "b", in: "a"), .file(.create, "c", "c", in: "b"),
            .file(.create, "x", "x"), .file(.create, "y", "y"),
        ])
        for folder in ["a", "b", "c"] {
            let error = try await cloud.refusal(.file(.forceUpdate, "a", in: folder, nil))
            #expect(error?.code == .validatingReferenceError, "\(folder)")
        }
        let both = try await cloud.modify(
            [.file(.forceUpdate, "x", in: "y", nil), .file(.forceUpdate, "y", in: "x", nil)], atomic: atomic)
        #expect(both.contains { $0.error?.code == .validatingReferenceError })
        #expect(both.contains { $0.saved != nil } != atomic)
        #expect(try await cloud.item("a")?.folder == nil)
    }

    @Test("what an item is put into is a folder that exists and is not deleted")
    func folders() async throws {
        let cloud = try await FileCloud()
        #expect(try await cloud.refusal(.file(.create, "a", "a", in: "none"))?.code == .validatingReferenceError)
        _ = try await cloud.save(.file(.create, "f", "f", .file))
        #expect(try await cloud.refusal(.file(.create, "a", "a", in: "f"))?.code == .badRequest)
        _ = try await cloud.save(.file(.create, "d", "d"))
        _ = try await cloud.save(.file(.create, "e", "e", in: "d"))
        _ = try await cloud.save(
            .file(.forceUpdate, "d", nil, nil, ["deleted": .scalar(.timestamp(Timestamp(milliseconds: 1)))]))
        for folder in ["d", "e"] {
            #expect(try await cloud.refusal(.file(.create, "a", "a", in: folder))?.code == .validatingReferenceError)
        }
    }

    @Test("the order of a batch does not matter")
    func batches() async throws {
        let cloud = try await FileCloud()
        let made = try await cloud.modify([
            .file(.create, "c", "c", in: "b"), .file(.create, "b", "b", in: "a"), .file(.create, "a", "a"),
        ])
        #expect(made.allSatisfy { $0.saved != nil })
        let renamed = try await cloud.modify([
            .file(.create, "n", "a"), .file(.forceUpdate, "a", "other", nil),
        ])
        #expect(renamed.allSatisfy { $0.saved != nil })
        #expect(try await cloud.names() == ["a", "other"])
        #expect(try await cloud.service.filePlace(at: ["a"], as: cloud.caller).item?.id == "n")
        let twins = try await cloud.modify([.file(.create, "t", "t"), .file(.create, "u", "T")], atomic: false)
        #expect(twins[0].saved != nil && twins[1].error?.code == .uniqueFieldError)
    }

    @Test("10,000 levels: folders are nested up to a limit")
    func depth() async throws {
        let cloud = try await FileCloud()
        var folder: String?
        for start in stride(from: 0, to: FileLimits.folderDepth, by: 128) {
            let operations = (start..<start + 128).map { level in
                defer { folder = "l\(level)" }
                return RecordOperation.file(.create, "l\(level)", "l", in: folder)
            }
            #expect(try await cloud.modify(operations).allSatisfy { $0.saved != nil })
        }
        let last = "l\(FileLimits.folderDepth - 1)"
        _ = try await cloud.save(.file(.create, "leaf", "leaf", in: last))
        #expect(try await cloud.refusal(.file(.create, "deep", "deep", in: "leaf"))?.code == .badRequest)
        let path = Array(repeating: "l", count: FileLimits.folderDepth) + ["leaf"]
        #expect(try await cloud.service.filePlace(at: path, as: cloud.caller).item?.id == "leaf")
        let long = Array(repeating: "l", count: 10_000)
        await #expect(throws: CloudError.self) { try await cloud.service.filePlace(at: long, as: cloud.caller) }
    }

    @Test("kinds have their fields, and never change")
    func kinds() async throws {
        let cloud = try await FileCloud()
        for (kind, fields): (FileKind?, KeyValuePairs<String, InputValue>) in [
            (nil, [:]), (.folder, ["target": .text("x")]), (.file, ["target": .text("x")]), (.link, [:]),
            (.link, ["target": .text("")]), (.link, ["target": .text("x"), "executable": .integer(1)]),
            (.link, ["target": .text(String(repeating: "x", count: FileLimits.targetSize + 1))]),
            (nil, ["kind": .text("device")]),
        ] {
            #expect(try await cloud.refusal(.file(.create, "a", "a", kind, fields))?.code == .badRequest, "\(fields)")
        }
        let link = try await cloud.save(.file(.create, "a", "a", .link, ["target": .text("../../etc/passwd")]))
        #expect(link.fields.string("target") == "../../etc/passwd")
        #expect(try await cloud.refusal(.file(.forceUpdate, "a", nil, .file))?.code == .badRequest)
        let place = try await cloud.service.filePlace(at: ["a", "b"], as: cloud.caller)
        #expect(place == .nowhere, "a link is not followed")
    }

    @Test("what is the server's, clients cannot set")
    func ownFields() async throws {
        let cloud = try await FileCloud()
        let saved = try await cloud.save(
            .file(
                .create, "a", "a", .file,
                [
                    "size": .integer(99), "contentVersion": .integer(7), "deletedFrom": .text("x"),
                    "versionNumbers": .list([.integer(1)]),
                ]))
        let item = try #require(FileItem(saved))
        #expect(item.size == 0 && item.contentVersion == 0 && item.deletedFrom == nil && item.versions.isEmpty)
        let other = RecordOperation.file(.create, "b", "b", .file, ["colour": .text("red")])
        #expect(try await cloud.refusal(other)?.code == .badRequest)
    }

    @Test(
        "only what is in Recently Deleted can be deleted for good, with everything in it",
        arguments: [
            RecordOperation.Kind.delete, .forceDelete,
        ])
    func deleting(kind: RecordOperation.Kind) async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.modify([
            .file(.create, "d", "d"), .file(.create, "e", "e", in: "d"), .file(.create, "f", "f", in: "e", .file),
        ])
        func deletion(_ name: String) async throws -> RecordOperation {
            let tag = try await cloud.item(name)?.changeTag
            return RecordOperation(
                kind, RecordInput(recordName: name, recordType: FileFormat.recordType, recordChangeTag: tag))
        }
        for name in ["d", "e", "f"] {
            #expect(try await cloud.refusal(try await deletion(name))?.code == .badRequest)
        }
        _ = try await cloud.service.deleteFile(try #require(try await cloud.item("d")), as: cloud.caller)
        #expect(try await cloud.refusal(try await deletion("e"))?.code == .badRequest)
        #expect(try await cloud.modify([try await deletion("d")])[0].isDeleted)
        for name in ["d", "e", "f"] { #expect(try await cloud.item(name) == nil) }
        #expect(try await cloud.names().isEmpty)
    }

    @Test("an item that is deleted by itself stays when its former folder is deleted for good")
    func deletedBefore() async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.modify([.file(.create, "d", "d"), .file(.create, "e", "e", in: "d")])
        _ = try await cloud.service.deleteFile(try #require(try await cloud.item("e")), as: cloud.caller)
        _ = try await cloud.service.deleteFile(try #require(try await cloud.item("d")), as: cloud.caller)
        try await cloud.service.deleteFilePermanently(named: "d", as: cloud.caller)
        #expect(try await cloud.item("e")?.deletedFrom == "d")
        let restored = try await cloud.service.restoreFile(named: "e", as: cloud.caller)
        #expect(restored.folder == nil && restored.deleted == nil)
        #expect(try await cloud.names() == ["e"])
    }

    @Test("properties are bounded")
    func properties() async throws {
        let cloud = try await FileCloud()
        func properties(_ count: Int, _ size: Int) -> RecordOperation {
            let value = InputValue.text(String(repeating: "x", count: size))
            return .file(.forceReplace, "a", "a", .folder, ["properties": .list(Array(repeating: value, count: count))])
        }
        _ = try await cloud.save(properties(FileLimits.propertiesPerItem, 1))
        _ = try await cloud.save(properties(1, FileLimits.propertiesSize))
        #expect(try await cloud.refusal(properties(FileLimits.propertiesPerItem + 1, 1))?.code == .badRequest)
        #expect(try await cloud.refusal(properties(1, FileLimits.propertiesSize + 1))?.code == .badRequest)
    }

    @Test("other people see nothing of it")
    func strangers() async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.save(.file(.create, "a", "a"))
        let stranger = cloud.cloud.user("b")
        #expect(try await cloud.service.listFiles(in: .root, as: stranger).items.isEmpty)
        await #expect(throws: CloudError.self) { try await cloud.service.file(named: "a", as: stranger) }
        await #expect(throws: CloudError.self) {
            try await cloud.service.listFiles(in: .root, as: cloud.cloud.anonymous)
        }
    }

    /// Random batches: afterwards the names lead to exactly the items that the records say, and the tree is one.
    @Test("the names of folders are those of the records, whatever happens", arguments: [1, 2, 3, 4])
    func index(run: Int) async throws {
        var random = SeededRandom(seed: Seed.draw(run))
        let cloud = try await FileCloud()
        let (ids, names) = ((0..<12).map { "i\($0)" }, ["a", "A", "b", "é", "e\u{301}"])
        for _ in 0..<60 {
            let operations = ids.shuffled(using: &random).prefix(random.below(4) + 1).map { id in
                Self.operation(id, ids, names, &random)
            }
            _ = try await cloud.modify(Array(operations), atomic: random.chance(50))
            try await check(cloud, ids, "\(random)")
        }
    }

    private static func operation(
        _ id: String, _ ids: [String], _ names: [String], _ random: inout SeededRandom
    ) -> RecordOperation {
        let name = names[random.below(names.count)]
        let folder = random.chance(70) ? ids[random.below(ids.count)] : nil
        switch random.below(5) {
        case 0: return RecordOperation(.forceDelete, RecordInput(recordName: id, recordType: FileFormat.recordType))
        case 1: return .file(.forceUpdate, id, nil, nil, ["deleted": .scalar(.timestamp(Timestamp(milliseconds: 5)))])
        case 2: return .file(.forceUpdate, id, name, in: folder, nil, ["deleted": .null])
        default: return .file(.forceUpdate, id, name, in: folder)
        }
    }

    private func check(_ cloud: FileCloud, _ ids: [String], _ note: String) async throws {
        var stored: [String: FileItem] = [:]
        for id in ids { stored[id] = try await cloud.item(id) }
        var listed: [String] = []
        var folders = [FileFolder.root][...]
        while let folder = folders.popFirst() {
            for item in try await cloud.service.listFiles(in: folder, as: cloud.caller).items {
                #expect(item.deleted == nil && item.folder == folder.recordName, "\(note)")
                listed.append(item.id)
                folders.append(.item(item.id))
                try #require(listed.count <= ids.count, "\(note)")
            }
        }
        #expect(Set(listed).count == listed.count, "\(note)")
        func isReachable(_ item: FileItem) -> Bool {
            var (next, steps): (FileItem?, Int) = (item, 0)
            while let current = next, steps <= ids.count {
                if current.deleted != nil { return false }
                guard let folder = current.folder else { return true }
                (next, steps) = (stored[folder], steps + 1)
            }
            return false
        }
        #expect(Set(listed) == Set(stored.values.filter(isReachable).map(\.id)), "\(note)")
    }

    @Test("a folder has a limited number of items, the root folder any")
    func itemsPerFolder() async throws {
        let cloud = try await FileCloud()
        _ = try await cloud.modify([.file(.create, "d", "d"), .file(.create, "x", "x"), .file(.create, "y", "y")])
        // The count is what a folder of so many items has.
        try await cloud.cloud.store.write(cloud.cloud.home()) { transaction in
            let zone = try #require(try ZoneHeader.find(FileFormat.zoneName, in: transaction)?.number)
            var count = ReferrerCount()
            count.deleteSelf = UInt64(FileLimits.itemsPerFolder - 1)
            transaction.set(Keyspace.referrerCount(zone: zone, target: "d"), count)
        }
        _ = try await cloud.save(.file(.forceUpdate, "x", in: "d", nil))
        for refused in [RecordOperation.file(.forceUpdate, "y", in: "d", nil), .file(.create, "z", "z", in: "d")] {
            let error = try await cloud.refusal(refused)
            #expect(error?.code == .badRequest)
            #expect(error?.reason.contains("has \(FileLimits.itemsPerFolder) items, which is the maximum") == true)
        }
        #expect(try await cloud.item("y")?.folder == nil)
        #expect(try await cloud.item("z") == nil)
        _ = try await cloud.save(.file(.forceUpdate, "x", "renamed", nil))
        let results = try await cloud.modify([
            .file(.create, "z", "z", in: "d"),
            .file(.forceUpdate, "x", nil, nil, ["deleted": .scalar(.timestamp(Timestamp(milliseconds: 1)))]),
        ])
        #expect(results.allSatisfy { $0.saved != nil }, "what leaves the folder makes room for what comes")
    }
}
