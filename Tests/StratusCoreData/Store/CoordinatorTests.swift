import Foundation
import StratusCoreData
import StratusSQLite
import Testing

/// Requests, metadata and files of a coordinator.
@Suite final class CoordinatorTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private var file: URL { folder.appendingPathComponent("a.sqlite") }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func coordinator(_ family: Family) throws -> NSPersistentStoreCoordinator {
        try #require(family.context.persistentStoreCoordinator)
    }

    @Test func metadataIsWrittenByTheNextSave() throws {
        let family = try Family().withStore(file)
        let coordinator = try coordinator(family)
        coordinator.name = "main"
        #expect(coordinator.name == "main")
        let store = try #require(coordinator.persistentStores.first)
        coordinator.setMetadata(["author": "Eve", NSStoreUUIDKey: "another"], for: store)
        #expect(coordinator.metadata(for: store)["author"] as? String == "Eve")
        func stored() throws -> [String: Any] {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: file)
        }
        #expect(try stored()["author"] == nil)
        _ = try family.save("Ann")
        #expect(try stored()["author"] as? String == "Eve")
        #expect(try stored()[NSStoreUUIDKey] as? String == store.identifier)
        #expect(try stored()[NSStoreModelVersionIdentifiersKey] as? [String] != nil)
    }

    @Test func onlyStoresThatAreWrittenAsAWholeMove() throws {
        let coordinator = try coordinator(Family().withStore(file))
        let store = try #require(coordinator.persistentStores.first)
        #expect(!coordinator.setURL(folder.appendingPathComponent("b.sqlite"), for: store))
        #expect(coordinator.url(for: store) == file)
    }

    @Test func aMigratedStoreIsAnnouncedWithTheFormerOne() throws {
        let coordinator = try coordinator(Family().withStore(file))
        let store = try #require(coordinator.persistentStores.first)
        nonisolated(unsafe) var changed: [NSPersistentStore] = []
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { notification in
            changed += notification.userInfo?[NSUUIDChangedPersistentStoresKey] as? [NSPersistentStore] ?? []
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let new = try coordinator.migratePersistentStore(
            store, to: folder.appendingPathComponent("b.sqlite"), type: .sqlite)
        #expect(changed.count == 2 && changed[0] === store && changed[1] === new)
    }

    @Test func requestsAreAnsweredByTheStoresAlone() throws {
        let family = try Family().withStore()
        let id = try family.save("Ann")
        let coordinator = try coordinator(family)
        try family.run { (family: Family) throws in
            _ = family.insert("Parent", named: "Zoe")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parent")
            let found = try coordinator.execute(request, with: family.context) as? [NSManagedObject]
            #expect(found?.map(\.objectID) == [id])
            let batch = NSBatchDeleteRequest(objectIDs: [id])
            batch.resultType = .resultTypeCount
            let result = try coordinator.execute(batch, with: family.context) as? NSBatchDeleteResult
            #expect(result?.result as? Int == 1)
            let save = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
            let error = #expect(throws: CocoaError.self) { try coordinator.execute(save, with: family.context) }
            #expect(error?.code == .persistentStoreUnsupportedRequestType)
        }
    }

    @Test func aSaveOfOneOfTwoStoresIsIncomplete() throws {
        let family = try Family().withStore()
        let coordinator = try coordinator(family)
        let second = try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentStoreTimeoutOption: 0])
        try family.run { (family: Family) throws in
            _ = family.insert("Parent", named: "Ann")
            let other = family.insert("Parent", named: "Ben")
            family.context.assign(other, to: second)
            try family.context.obtainPermanentIDs(for: [other])
            let blocker = try SQLiteConnection(path: file.path)
            try blocker.execute("BEGIN IMMEDIATE")
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .persistentStoreIncompleteSave)
            #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [second])
            #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [other])
            #expect(family.context.insertedObjects == [other])
            try blocker.execute("COMMIT")
            try family.context.save()
            #expect(try family.names("Parent") == ["Ann", "Ben"])
        }
    }

    @Test func anOpenStoreIsDestroyedByForce() throws {
        let family = try Family().withStore(file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: family.model)
        let error = #expect(throws: CocoaError.self) { try coordinator.destroyPersistentStore(at: file, type: .sqlite) }
        #expect(error?.code == .persistentStoreTimeout)
        try coordinator.destroyPersistentStore(
            at: file, type: .sqlite, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func filesAreAnalyzedAndVacuumedWhenTheyAreOpened() throws {
        let family = try Family().withStore(file)
        try family.run { (family: Family) throws in
            for number in 0..<2_000 { _ = family.insert("Parent", named: String(repeating: "\(number)", count: 50)) }
            try family.context.save()
            for parent in try family.fetch("Parent") { family.context.delete(parent) }
            try family.context.save()
        }
        let former = try coordinator(family)
        for store in former.persistentStores { try former.remove(store) }
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        }
        let before = try size()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: family.model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSSQLiteAnalyzeOption: true, NSSQLiteManualVacuumOption: true])
        try coordinator.remove(store)
        #expect(try size() < before / 2)
        #expect(try Data(contentsOf: file).range(of: Data("sqlite_stat1".utf8)) != nil)
    }
}
