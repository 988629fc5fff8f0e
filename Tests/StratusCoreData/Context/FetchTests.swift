import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct FetchTests {
    @Test func resultsReflectChangesThatAreNotSaved() throws {
        let family = try Family().withStore()
        try family.run { (family: Family) throws in
            for name in ["Bea", "Cy", "Dee", "Eve"] { _ = family.insert("Child", named: name) }
            try family.context.save()
        }
        try family.run { (family: Family) throws in
            let children = try family.fetch("Child")
            children[0].setValue("Zoe", forKey: "name")
            family.context.delete(children[1])
            _ = family.insert("Child", named: "Ada")
            #expect(try family.names("Child") == ["Ada", "Dee", "Eve", "Zoe"])
            let late = NSPredicate(format: "name > 'D'")
            #expect(try family.names("Child", late) == ["Dee", "Eve", "Zoe"])
            #expect(try family.names("Child") { ($0.fetchOffset, $0.fetchLimit) = (1, 2) } == ["Dee", "Eve"])
            // The store still has Bea, who is Zoe now, and Cy.
            let stored = try family.names("Child") { $0.includesPendingChanges = false }
            #expect(stored == ["Zoe", "Cy", "Dee", "Eve"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Child")
            #expect(try family.context.count(for: request) == 4)
            request.predicate = late
            #expect(try family.context.count(for: request) == 3)
            request.fetchLimit = 2
            #expect(try family.context.count(for: request) == 2)
            try family.context.save()
            #expect(try family.names("Child", late) == ["Dee", "Eve", "Zoe"])
            #expect(try family.context.count(for: request) == 2)
        }
    }

    /// The objects of both stores have the same primary keys.
    @Test func anObjectEqualsNoneOfAnotherStore() throws {
        let family = try Family().withStore().withStore()
        let stores = try #require(family.context.persistentStoreCoordinator?.persistentStores)
        try family.run { (family: Family) throws in
            var parents: [NSManagedObject] = []
            for (store, name) in zip(stores, ["Ada", "Bea"]) {
                let (parent, child) = (
                    family.insert("Parent", named: "of " + name), family.insert("Child", named: name)
                )
                child.setValue(parent, forKey: "parent")
                for object in [parent, child] { family.context.assign(object, to: store) }
                parents.append(parent)
            }
            try family.context.save()
            #expect(parents[0].objectID.uriRepresentation().path == parents[1].objectID.uriRepresentation().path)
            for (parent, name) in zip(parents, ["Ada", "Bea"]) {
                #expect(try family.names("Child", NSPredicate(format: "parent == %@", parent)) == [name])
                #expect(try family.names("Child", NSPredicate(format: "parent IN %@", [parent])) == [name])
                #expect(try family.names("Child", NSPredicate(format: "parent != %@", parent)) != [name])
                #expect(try family.names("Parent", NSPredicate(format: "SELF == %@", parent)) == ["of " + name])
            }
        }
    }

    @Test func objectsAndIDsArePartsOfPredicates() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada"])
        _ = try family.save("Q", with: ["Bea"])
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            let new = family.insert("Parent", named: "R")
            family.insert("Child", named: "Cy").setValue(parent, forKey: "parent")
            #expect(try family.names("Child", NSPredicate(format: "parent == %@", parent)) == ["Ada", "Cy"])
            #expect(try family.names("Child", NSPredicate(format: "parent == %@", id)) == ["Ada", "Cy"])
            #expect(try family.names("Child", NSPredicate(format: "parent IN %@", [id, new])) == ["Ada", "Cy"])
            #expect(try family.names("Child", NSPredicate(format: "parent == %@", new)) == [])
            #expect(try family.names("Parent", NSPredicate(format: "SELF == %@", parent)) == ["P"])
            #expect(try family.names("Parent", NSPredicate(format: "ANY children.name == 'Cy'")) == ["P"])
        }
    }

    @Test func eachTypeOfResultsIsReturned() throws {
        let family = try Family().withStore()
        let id = try family.save("P")
        try family.run { (family: Family) throws in
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Parent")
            ids.resultType = .managedObjectIDResultType
            #expect(try family.context.fetch(ids) == [id])
            let count = NSFetchRequest<NSNumber>(entityName: "Parent")
            count.resultType = .countResultType
            #expect(try family.context.fetch(count) == [1])
            let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Parent")
            #expect(try family.context.fetch(any).first as? NSManagedObject === family.context.object(with: id))
            #expect(throws: CocoaError.self) {
                try family.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Nobody"))
            }
            #expect(throws: CocoaError.self) {
                try family.fetch("Parent", NSPredicate(block: { _, _ in true }))
            }
        }
    }

    @Test(
        arguments: [
            ("compare:", ["B10", "B9", "a1"]), ("caseInsensitiveCompare:", ["a1", "B10", "B9"]),
            ("localizedStandardCompare:", ["a1", "B9", "B10"]),
        ] as [(Selector, [String])])
    func methodsOfTextsSort(selector: Selector, expected: [String]) throws {
        let family = try Family().withStore()
        _ = try family.save("B9")
        _ = try family.save("a1")
        try family.run { (family: Family) throws in
            // Stores sort what is saved; the context adds what is not.
            _ = family.insert("Parent", named: "B10")
            for isSaved in [false, true] {
                if isSaved { try family.context.save() }
                let names = try family.names("Parent") {
                    $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true, selector: selector)]
                }
                #expect(names == expected)
            }
        }
    }

    @Test func keyPathsOfComputedPropertiesSort() throws {
        let family = try Family {
            $0.entitiesByName["Child"]?.managedObjectClassName = NSStringFromClass(Sorted.self)
            $0.entitiesByName["Parent"]?.managedObjectClassName = NSStringFromClass(SortedParent.self)
        }.withStore()
        _ = try family.save("Q", with: ["Ada"])
        _ = try family.save("P", with: ["Bea"])
        try family.run { (family: Family) throws in
            let request = NSFetchRequest<Sorted>(entityName: "Child")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Sorted.title, ascending: false)]
            #expect(try family.context.fetch(request).map(\.title) == ["Bea", "Ada"])
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \Sorted.age, ascending: true),
                NSSortDescriptor(keyPath: \Sorted.parent!.title, ascending: true),
            ]
            #expect(try family.context.fetch(request).map(\.title) == ["Bea", "Ada"])
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }]
            #expect(throws: CocoaError.self) { try family.context.fetch(request) }
        }
    }

    @Test func theLargestLimitIsNone() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            _ = family.insert("Child", named: "Bea")
            #expect(try family.names("Child") { ($0.fetchLimit, $0.fetchOffset) = (.max, 1) } == ["Bea"])
        }
    }
}

final class Sorted: NSManagedObject {
    var title: String { value(forKey: "name") as? String ?? "" }
    var age: Int16 {
        guard let age = value(forKey: "age") as? Int16 else { preconditionFailure("no age") }
        return age
    }
    var parent: SortedParent? { value(forKey: "parent") as? SortedParent }
}

final class SortedParent: NSManagedObject {
    var title: String { value(forKey: "name") as? String ?? "" }
}
