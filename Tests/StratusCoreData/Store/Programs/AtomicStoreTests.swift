import Foundation
import StratusCoreData
import Testing

/// A class of a program that reads and writes a file as a whole.
@Suite(.serialized) final class AtomicStoreTests {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init() { NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.type) }

    deinit {
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: JSONStore.type)
        try? FileManager.default.removeItem(at: file)
    }

    private func family() throws -> Family {
        let family = Family.withoutCascades()
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        try coordinator.addPersistentStore(ofType: JSONStore.type, configurationName: nil, at: file)
        return family
    }

    @Test func objectsAreReadBackFromTheFile() throws {
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[JSONStore.type] is JSONStore.Type)
        let first = try family()
        let id = try first.save("Ann", with: ["Bob", "Cid"])
        let second = try family()
        try second.run { (family: Family) throws in
            let predicate = NSPredicate(format: "parent.name == 'Ann' AND age == 3")
            #expect(try family.names("Child", predicate) == ["Bob", "Cid"])
            let parent = try #require(try family.fetch("Parent").first)
            #expect(parent.names("children") == ["Bob", "Cid"])
            let uri = id.uriRepresentation()
            let found = family.context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
            #expect(found == parent.objectID)
        }
    }

    @Test func changesAndDeletionsAreWritten() throws {
        let first = try family()
        _ = try first.save("Ann", with: ["Bob", "Cid"])
        try first.run { (family: Family) throws in
            let children = try family.fetch("Child")
            children[0].setValue("Bea", forKey: "name")
            children[0].setValue(nil, forKey: "parent")
            family.context.delete(children[1])
            try family.context.save()
            family.context.reset()
            #expect(try family.names("Child") == ["Bea"])
        }
        let second = try family()
        try second.run { (family: Family) throws in
            #expect(try family.names("Child", NSPredicate(format: "parent == nil")) == ["Bea"])
            #expect(try family.fetch("Parent")[0].names("children") == [])
        }
    }

    @Test func aFailedSaveLeavesTheStoreAsItWas() throws {
        let first = try family()
        _ = try first.save("Ann", with: ["Bob"])
        try first.run { (family: Family) throws in
            let child = try family.fetch("Child")[0]
            child.setValue("Bea", forKey: "name")
            _ = family.insert("Parent", named: "Zoe")
            JSONStore.isFull = true
            defer { JSONStore.isFull = false }
            #expect(throws: (any Error).self) { try family.context.save() }
            #expect(family.context.hasChanges)
            let other = Family(beside: family)
            #expect(try other.run { try $0.names("Child") } == ["Bob"])
            #expect(try other.run { try $0.names("Parent") } == ["Ann"])
            JSONStore.isFull = false
            try family.context.save()
        }
        let second = try family()
        #expect(try second.run { try $0.names("Child") } == ["Bea"])
        #expect(try second.run { try $0.names("Parent") } == ["Ann", "Zoe"])
    }

    @Test func contextsConflictAsWithOtherStores() throws {
        let first = try family()
        _ = try first.save("Ann", with: ["Bob"])
        let other = Family(beside: first)
        let child = try other.run { try $0.fetch("Child")[0] }
        other.run { _ in child.setValue("Bea", forKey: "name") }
        try first.run { (family: Family) throws in
            try family.fetch("Child")[0].setValue("Ben", forKey: "name")
            try family.context.save()
        }
        other.run { (other: Family) in
            let error = #expect(throws: CocoaError.self) { try other.context.save() }
            #expect(error?.code == .managedObjectMerge)
        }
    }

    @Test func theNextSaveWritesNewMetadataToANewPlace() throws {
        let first = try family()
        _ = try first.save("Ann")
        let coordinator = try #require(first.context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let moved = file.appendingPathExtension("moved")
        defer { try? FileManager.default.removeItem(at: moved) }
        coordinator.setMetadata(["author": "Eve", NSStoreUUIDKey: "another"], for: store)
        #expect(coordinator.setURL(moved, for: store))
        _ = try first.save("Zoe")
        #expect(coordinator.url(for: store) == moved)
        let second = Family()
        try second.context.persistentStoreCoordinator?.addPersistentStore(
            ofType: JSONStore.type, configurationName: nil, at: moved)
        let found = try #require(second.context.persistentStoreCoordinator?.persistentStores.first)
        #expect(found.metadata["author"] as? String == "Eve")
        #expect(found.identifier == store.identifier)
        #expect(try second.run { try $0.names("Parent") } == ["Ann", "Zoe"])
    }

    @Test func batchesWorkOnObjects() throws {
        let first = try family()
        try first.run { (family: Family) throws in
            _ = try family.context.execute(NSBatchInsertRequest(entityName: "Parent", objects: [["name": "Ann"]]))
            #expect(try family.names("Parent") == ["Ann"])
        }
        #expect(try family().run { try $0.names("Parent") } == ["Ann"])
    }
}
