import Foundation
import StratusCoreData
import Testing

/// Requests for some of the stores, and those that are executed without naming a context.
@Suite struct RequestStoresTests {
    private let family: Family
    private let first: NSPersistentStore
    private let second: NSPersistentStore

    init() throws {
        family = try Family().withStore()
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        first = try #require(coordinator.persistentStores.first)
        second = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    @Test func batchesAreForTheAffectedStores() throws {
        try family.run { (family: Family) throws in
            for store in [first, second] {
                let insertion = NSBatchInsertRequest(entityName: "Parent", objects: [["name": "Ann"], ["name": "Ben"]])
                insertion.affectedStores = [store]
                _ = try family.context.execute(insertion)
            }
            #expect(try family.names("Parent") { $0.affectedStores = [second] } == ["Ann", "Ben"])
            let update = NSBatchUpdateRequest(entityName: "Parent")
            update.propertiesToUpdate = ["name": "Cid"]
            update.predicate = NSPredicate(format: "name == 'Ben'")
            update.affectedStores = [second]
            _ = try family.context.execute(update)
            #expect(try family.names("Parent") == ["Ann", "Ann", "Ben", "Cid"])
            let deletion = NSBatchDeleteRequest(
                fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Parent"))
            deletion.affectedStores = [first]
            _ = try family.context.execute(deletion)
            #expect(try family.names("Parent") == ["Ann", "Cid"])
        }
    }

    @Test func changesThatAreNotSavedAreOfTheirStores() throws {
        try family.run { (family: Family) throws in
            _ = family.insert("Parent", named: "Ann")
            family.context.assign(family.insert("Parent", named: "Ben"), to: second)
            #expect(try family.names("Parent") { $0.affectedStores = [first] } == ["Ann"])
            #expect(try family.names("Parent") { $0.affectedStores = [second] } == ["Ben"])
            #expect(try family.names("Parent") == ["Ann", "Ben"])
        }
    }

    @Test func aRequestIsExecutedInTheContextOfItsBlock() throws {
        _ = try family.save("Ann")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Parent")
        #expect(throws: CocoaError.self) { try request.execute() }
        let other = Family(beside: family)
        try family.run { (family: Family) throws in
            let object = try #require(try request.execute().first)
            #expect(object.managedObjectContext === family.context)
            try other.run { (other: Family) throws in
                #expect(try request.execute().first?.managedObjectContext === other.context)
            }
            #expect(try request.execute() == [object])
        }
    }

    @Test func aHandlerFillsObjectsForABatch() throws {
        try family.run { (family: Family) throws in
            let parent = family.insert("Parent", named: "Ann")
            try family.context.save()
            var number = 0
            let request = NSBatchInsertRequest(entityName: "Child") { (child: NSManagedObject) in
                number += 1
                guard number < 4 else { return true }
                child.setValue("Child \(number)", forKey: "name")
                return false
            }
            request.resultType = .objectIDs
            let result = try family.context.execute(request) as? NSBatchInsertResult
            #expect((result?.result as? [NSManagedObjectID])?.count == 3)
            #expect(try family.names("Child") == ["Child 1", "Child 2", "Child 3"])
            #expect(request.managedObjectHandler != nil && request.dictionaryHandler == nil)
            #expect(parent.names("children") == [])
        }
    }

    @Test func objectsAreDeletedByTheirIDs() throws {
        let ids = [try family.save("Ann"), try family.save("Ben"), try family.save("Cid")]
        try family.run { (family: Family) throws in
            let request = NSBatchDeleteRequest(objectIDs: [ids[0], ids[2]])
            request.resultType = .resultTypeObjectIDs
            let result = try family.context.execute(request) as? NSBatchDeleteResult
            #expect(Set(result?.result as? [NSManagedObjectID] ?? []) == [ids[0], ids[2]])
            #expect(try family.names("Parent") == ["Ben"])
        }
    }

    @Test func asynchronousResultsKnowTheirContext() throws {
        family.run { (family: Family) in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Parent")
            let result = try? family.context.execute(NSAsynchronousFetchRequest(fetchRequest: fetch))
            #expect((result as? NSPersistentStoreAsynchronousResult)?.managedObjectContext === family.context)
        }
    }
}
