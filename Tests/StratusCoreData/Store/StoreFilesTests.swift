import Foundation
import StratusCoreData
import Testing

/// Stores as files: metadata, destruction, replacement and migration.
@Suite final class StoreFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var file: URL { folder.appendingPathComponent("a.sqlite") }
    private var other: URL { folder.appendingPathComponent("b.sqlite") }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Makes a family with a portrait of a parent, which is large enough for a file of its own.
    private func family(_ url: URL?, saving name: String? = nil) throws -> Family {
        let family = Family { model in
            let portrait = NSAttributeDescription.make("portrait", .binaryData)
            portrait.allowsExternalBinaryDataStorage = true
            portrait.isOptional = true
            model.entitiesByName["Parent"]?.properties.append(portrait)
        }
        _ = try family.withStore(url)
        guard let name else { return family }
        try family.run { (family: Family) throws in
            let parent = family.insert("Parent", named: name)
            parent.setValue(Data(repeating: 1, count: 200_000), forKey: "portrait")
            try family.context.save()
        }
        return family
    }

    private func close(_ family: Family) throws {
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    }

    private func external(_ name: String) -> URL {
        folder.appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
    }

    private func contents() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    private func portraits(_ family: Family) throws -> [Int] {
        try family.run { try $0.fetch("Parent").map { ($0.value(forKey: "portrait") as? Data)?.count ?? 0 } }
    }

    @Test func metadataIsReadWithoutOpening() throws {
        let family = try family(file, saving: "P")
        let store = try #require(family.context.persistentStoreCoordinator?.persistentStores.first)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: file)
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(family.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        let missing = #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: other)
        }
        #expect(missing?.userInfo[NSFilePathErrorKey] as? String == other.path)
        try Data("no database at all, but a text".utf8).write(to: other)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: other)
        }
    }

    @Test func aCoordinatorClosesItsStoreBeforeItDestroysOrReplacesIt() throws {
        let family = try family(file, saving: "P")
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        try coordinator.destroyPersistentStore(at: file, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        try coordinator.addPersistentStore(type: .sqlite, at: file)
        #expect(try family.run { try $0.fetch("Parent").isEmpty })
        let second = try self.family(other, saving: "Q")
        try coordinator.replacePersistentStore(at: file, withPersistentStoreFrom: other, type: .sqlite)
        #expect(coordinator.persistentStores.isEmpty)
        try close(second)
        try coordinator.addPersistentStore(type: .sqlite, at: file)
        #expect(try family.run { try $0.names("Parent") } == ["Q"])
    }

    @Test func destructionDeletesAllFilesOfAClosedStore() throws {
        let family = try family(file, saving: "P")
        #expect(throws: CocoaError.self) { try coordinator().destroyPersistentStore(at: file, type: .sqlite) }
        #expect(try portraits(family) == [200_000])
        try close(family)
        try coordinator().destroyPersistentStore(at: file, type: .sqlite)
        #expect(try contents().isEmpty)
        try coordinator().destroyPersistentStore(at: file, type: .sqlite)
        try Data("no database at all, but a text".utf8).write(to: other)
        #expect(throws: CocoaError.self) { try coordinator().destroyPersistentStore(at: other, type: .sqlite) }
        #expect(try contents() == ["b.sqlite"])
    }

    @Test func replacementTakesContentsAndExternalData() throws {
        let source = try family(file, saving: "P")
        let destination = try family(other, saving: "Q")
        #expect(throws: CocoaError.self) {
            try coordinator().replacePersistentStore(at: other, withPersistentStoreFrom: file, type: .sqlite)
        }
        try close(destination)
        try coordinator().replacePersistentStore(at: other, withPersistentStoreFrom: file, type: .sqlite)
        let replaced = try family(other)
        #expect(try replaced.run { try $0.names("Parent") } == ["P"])
        #expect(try portraits(replaced) == [200_000])
        #expect(try FileManager.default.contentsOfDirectory(atPath: external("b").path).count == 1)
        // The two stores do not share files.
        try close(source)
        try coordinator().destroyPersistentStore(at: file, type: .sqlite)
        #expect(try portraits(try family(other)) == [200_000])
        #expect(throws: CocoaError.self) {
            try coordinator().replacePersistentStore(at: other, withPersistentStoreFrom: file, type: .sqlite)
        }
    }

    @Test func aFileThatAFormerCopyLeftIncompleteIsReplaced() throws {
        _ = try family(file, saving: "P")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: external("a").path).first {
                UUID(uuidString: $0) != nil
            })
        try FileManager.default.createDirectory(at: external("b"), withIntermediateDirectories: true)
        try Data([1, 2]).write(to: external("b").appendingPathComponent(name))
        try coordinator().replacePersistentStore(at: other, withPersistentStoreFrom: file, type: .sqlite)
        #expect(try portraits(try family(other)) == [200_000])
        #expect(try FileManager.default.contentsOfDirectory(atPath: external("b").path) == [name])
    }

    /// As with Apple, the names of both stores lead to one directory.
    @Test func storesWithTheSameNameKeepTheirExternalData() throws {
        let sibling = folder.appendingPathComponent("a.db")
        let kept = try family(file, saving: "P")
        try close(try family(sibling, saving: "Q"))
        try close(try family(other, saving: "R"))
        try coordinator().replacePersistentStore(at: sibling, withPersistentStoreFrom: other, type: .sqlite)
        #expect(try FileManager.default.contentsOfDirectory(atPath: external("a").path).count == 2)
        #expect(throws: CocoaError.self) {
            try coordinator().replacePersistentStore(at: sibling, withPersistentStoreFrom: file, type: .sqlite)
        }
        #expect(try portraits(try family(file)) == [200_000])
        let replaced = try family(sibling)
        #expect(try replaced.run { try $0.names("Parent") } == ["R"] && portraits(replaced) == [200_000])
        try close(replaced)
        try coordinator().destroyPersistentStore(at: sibling, type: .sqlite)
        kept.run { $0.context.reset() }
        #expect(try portraits(kept) == [200_000])
        #expect(try FileManager.default.contentsOfDirectory(atPath: external("a").path).count == 1)
    }

    @Test func noSaveIsLostInAMigration() throws {
        let family = try family(file)
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        let saves = DispatchGroup()
        let count = 300
        DispatchQueue.global().async(group: saves) { [context = family.context] in
            context.performAndWait {
                for number in 0..<count {
                    let parent = NSEntityDescription.insertNewObject(forEntityName: "Parent", into: context)
                    parent.setValue("\(number)", forKey: "name")
                    // While the stores change, a save fails. The next one saves the object, too.
                    _ = try? context.save()
                }
            }
        }
        for name in ["b", "c", "d"] {
            try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: folder.appendingPathComponent("\(name).sqlite"), type: .sqlite)
        }
        saves.wait()
        try family.run { (family: Family) throws in
            try family.context.save()
            family.context.reset()
            #expect(Set(try family.names("Parent")).count == count)
        }
    }

    @Test(arguments: [false, true])
    func migrationOpensTheCopy(isFromMemory: Bool) throws {
        let family = try family(isFromMemory ? nil : file, saving: "P")
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        let former = coordinator.persistentStores[0]
        let store = try coordinator.migratePersistentStore(former, to: other, type: .sqlite)
        #expect(coordinator.persistentStores == [store] && store.url == other)
        #expect(store.identifier == former.identifier)
        family.run { $0.context.reset() }
        #expect(try portraits(family) == [200_000])
    }

    /// Faults that wait for the store while it is copied find that it was removed.
    @Test func readersOfAStoreThatMovesGoOn() throws {
        for round in 0..<20 {
            let family = try family(nil)
            let coordinator = try #require(family.context.persistentStoreCoordinator)
            let store = try #require(coordinator.persistentStores.first)
            let ids = try (0..<40).map { try family.save("P\($0)", with: ["A"]) }
            let reader = Family(beside: family).context
            let reads = DispatchGroup()
            let isReading = DispatchSemaphore(value: 0)
            DispatchQueue.global().async(group: reads) {
                reader.performAndWait {
                    for (index, id) in ids.enumerated() {
                        let parent = reader.object(with: id)
                        #expect(parent.names("children") == ["A"] || parent.isDeleted || store.isRemoved)
                        if index == 2 { isReading.signal() }
                    }
                }
            }
            isReading.wait()
            let url = folder.appendingPathComponent("moved\(round).sqlite")
            try coordinator.migratePersistentStore(store, to: url, type: .sqlite)
            reads.wait()
            #expect(try family.run { try $0.names("Parent").count } == ids.count)
        }
    }
}

extension NSPersistentStore {
    fileprivate var isRemoved: Bool { persistentStoreCoordinator == nil }
}
