import Foundation
import StratusCoreData
import Testing

/// A class of a program that answers each request by itself.
@Suite final class IncrementalStoreTests {
    private let type = UUID().uuidString
    private let family = Family.withoutCascades()
    private let store: DictionaryStore

    init() throws {
        NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: type)
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        store = try #require(
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: URL(fileURLWithPath: "/dev/null")) as? DictionaryStore)
    }

    deinit { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: type) }

    @Test func savedObjectsAreFetchedAsFaults() throws {
        let id = try family.save("Ann", with: ["Bob", "Cid"])
        #expect(store.key(id).hasPrefix("key/"))
        let other = Family(beside: family)
        try other.run { (other: Family) throws in
            let children = try other.fetch("Child", NSPredicate(format: "name != 'Eve'"))
            #expect(children.allSatisfy { $0.isFault })
            #expect(children.map(\.label) == ["Bob", "Cid"])
            let parent = try #require(children[0].value(forKey: "parent") as? NSManagedObject)
            #expect(parent.objectID == id)
            #expect(parent.names("children") == ["Bob", "Cid"])
            #expect(try other.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Child")) == 2)
        }
    }

    @Test func idsSurviveAsURIs() throws {
        let id = try family.save("Ann")
        let coordinator = family.context.persistentStoreCoordinator
        #expect(id.uriRepresentation().path == "/Parent/pkey/1")
        #expect(coordinator?.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        let entity = try #require(family.model.entitiesByName["Parent"])
        let number = store.newObjectID(for: entity, referenceObject: 17)
        #expect(coordinator?.managedObjectID(forURIRepresentation: number.uriRepresentation()) == number)
    }

    @Test func changesAndDeletionsReachTheStore() throws {
        _ = try family.save("Ann", with: ["Bob", "Cid"])
        try family.run { (family: Family) throws in
            let children = try family.fetch("Child")
            children[0].setValue("Bea", forKey: "name")
            family.context.delete(children[1])
            try family.context.save()
            #expect(store.requests.last == .saveRequestType)
        }
        let other = Family(beside: family)
        #expect(try other.run { try $0.names("Child") } == ["Bea"])
    }

    @Test func changesThatAreNotSavedAreAmongTheResults() throws {
        _ = try family.save("Ann", with: ["Bob", "Cid"])
        try family.run { (family: Family) throws in
            try family.fetch("Child")[0].setValue("Zed", forKey: "name")
            _ = family.insert("Child", named: "Amy")
            #expect(try family.names("Child") == ["Amy", "Cid", "Zed"])
            #expect(try family.names("Child") { $0.includesPendingChanges = false } == ["Zed", "Cid"])
            #expect(try family.names("Child") { $0.fetchLimit = 2 } == ["Amy", "Cid"])
        }
    }

    @Test func aChildContextReadsAndSavesThroughItsParent() throws {
        _ = try family.save("Ann", with: ["Bob"])
        let child = Family(childOf: family)
        try child.run { (child: Family) throws in
            #expect(try child.names("Child") == ["Bob"])
            try child.fetch("Child")[0].setValue("Bea", forKey: "name")
            try child.context.save()
        }
        try family.run { try $0.context.save() }
        #expect(try Family(beside: family).run { try $0.names("Child") } == ["Bea"])
    }

    @Test func errorsOfTheStoreReachTheProgram() throws {
        _ = try family.save("Ann")
        store.failure = CocoaError(.fileReadNoPermission)
        try family.run { (family: Family) throws in
            let fetching = #expect(throws: CocoaError.self) { try family.names("Parent") }
            #expect(fetching?.code == .fileReadNoPermission)
            _ = family.insert("Parent", named: "Zoe")
            #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(family.context.hasChanges)
            store.failure = nil
            try family.context.save()
            #expect(try family.names("Parent") == ["Ann", "Zoe"])
        }
    }

    @Test func missingObjectsAreErrors() throws {
        let id = try family.save("Ann")
        let other = Family(beside: family)
        try family.run { (family: Family) throws in
            family.context.delete(family.context.object(with: id))
            try family.context.save()
        }
        other.run { (other: Family) in
            let error = #expect(throws: CocoaError.self) { try other.context.existingObject(with: id) }
            #expect(error?.code == .managedObjectReferentialIntegrity)
        }
    }

    @Test func theStoreKnowsWhichObjectsAreInUse() throws {
        let id = try family.save("Ann")
        let other = Family(beside: family)
        family.run { $0.context.reset() }
        #expect(!store.registered.contains(id))
        try other.run { (other: Family) throws in
            let object = try other.context.existingObject(with: id)
            #expect(store.registered == [object.objectID])
        }
    }

    @Test func asynchronousFetchesReachTheStore() async throws {
        _ = try family.save("Ann")
        let names: [String] = await withCheckedContinuation { continuation in
            family.run { family in
                let fetch = NSFetchRequest<NSManagedObject>(entityName: "Parent")
                let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
                    continuation.resume(returning: (result.finalResult ?? []).map { $0.label })
                }
                do {
                    _ = try family.context.execute(request)
                } catch {
                    continuation.resume(returning: ["\(error)"])
                }
            }
        }
        #expect(names == ["Ann"])
    }

    @Test func dictionariesAndIDsComeFromTheStore() throws {
        let id = try family.save("Ann")
        try family.run { (family: Family) throws in
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Parent")
            dictionaries.resultType = .dictionaryResultType
            #expect(try family.context.fetch(dictionaries).map { $0["name"] as? String } == ["Ann"])
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Parent")
            ids.resultType = .managedObjectIDResultType
            #expect(try family.context.fetch(ids) == [id])
        }
    }

    @Test func aStoreBesideADatabaseSharesTheContext() throws {
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        let memory = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try family.run { (family: Family) throws in
            _ = family.insert("Parent", named: "Ann")
            let second = family.insert("Parent", named: "Ben")
            family.context.assign(second, to: memory)
            try family.context.save()
            #expect(second.objectID.persistentStore === memory)
            #expect(try family.names("Parent") == ["Ann", "Ben"])
            #expect(try family.names("Parent") { $0.affectedStores = [memory] } == ["Ben"])
            #expect(try family.names("Parent") { $0.affectedStores = [store] } == ["Ann"])
        }
    }
}
