import Foundation
import Testing

@testable import StratusCoreData

@Suite struct ParentContextTests {
    @Test func aSaveOfAChildReachesTheStoreWithTheParents() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada", "Bea"])
        let child = Family(childOf: family)
        try child.run { (child: Family) throws in
            #expect(child.context.persistentStoreCoordinator === family.context.persistentStoreCoordinator)
            let parent = child.context.object(with: id)
            parent.setValue("Q", forKey: "name")
            child.insert("Child", named: "Cy").setValue(parent, forKey: "parent")
            try child.fetch("Child", NSPredicate(format: "name == 'Ada'"))[0].setValue(nil, forKey: "parent")
            try child.context.save()
            #expect(!child.context.hasChanges)
            #expect(parent.label == "Q" && parent.names("children") == ["Bea", "Cy"])
        }
        let before = try Family(beside: family).run { (other: Family) throws in try other.names("Child") }
        #expect(before == ["Ada", "Bea"])
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            #expect(parent.label == "Q" && parent.names("children") == ["Bea", "Cy"])
            #expect(family.context.insertedObjects.count == 1)
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(try other.names("Parent") == ["Q"])
            #expect(try other.names("Child") == ["Ada", "Bea", "Cy"])
            #expect(other.context.object(with: id).names("children") == ["Bea", "Cy"])
        }
    }

    @Test func identitiesAreKeptUntilTheChildrenKnowThem() throws {
        let family = try Family().withStore()
        let child = Family(childOf: family)
        func save(_ name: String) throws -> NSManagedObjectID {
            let temporary = try child.run { (child: Family) throws in
                let object = child.insert("Child", named: name)
                defer { withExtendedLifetime(object) {} }
                try child.context.save()
                return object.objectID
            }
            try family.run { try $0.context.save() }
            return temporary
        }
        for number in 0..<20 {
            let temporary = try save("\(number)")
            child.run { #expect(!$0.context.object(with: temporary).objectID.isTemporaryID) }
        }
        #expect(family.context.identities.count == 0)
        // A context without children keeps nothing.
        let alone = try Family().withStore()
        do {
            let child = Family(childOf: alone)
            try child.run { (child: Family) throws in
                _ = child.insert("Child", named: "Ada")
                try child.context.save()
            }
        }
        try alone.run { (alone: Family) throws in
            try alone.context.save()
            #expect(alone.context.identities.count == 0 && alone.context.permanentIDs.isEmpty)
        }
    }

    @Test func aChildDeterminesTheStoreOfANewObject() throws {
        let family = try Family().withStore().withStore()
        let second = try #require(family.context.persistentStoreCoordinator?.persistentStores.last)
        let child = Family(childOf: Family(childOf: family))
        try child.run { (child: Family) throws in
            child.context.assign(child.insert("Child", named: "Ada"), to: second)
            try child.context.save()
            try child.context.parent?.save()
        }
        try family.run { (family: Family) throws in
            try family.context.save()
            #expect(try family.fetch("Child").map(\.objectID.persistentStore) == [second])
        }
    }

    @Test func aChildSeesWhatItsParentHasNotSaved() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada"])
        let new = try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            parent.setValue("Q", forKey: "name")
            let new = family.insert("Child", named: "Bea")
            new.setValue(parent, forKey: "parent")
            return new.objectID
        }
        let child = Family(childOf: family)
        try child.run { (child: Family) throws in
            #expect(try child.names("Parent") == ["Q"])
            #expect(child.context.object(with: id).names("children") == ["Ada", "Bea"])
            let bea = child.context.object(with: new)
            #expect(bea.label == "Bea" && bea.objectID.isTemporaryID && !bea.isInserted)
            #expect((bea.value(forKey: "parent") as? NSManagedObject)?.objectID == id)
            #expect(
                try child.names("Child", NSPredicate(format: "parent == %@", child.context.object(with: id))) == [
                    "Ada", "Bea",
                ])
            #expect(try child.names("Child", NSPredicate(format: "SELF == %@", bea)) == ["Bea"])
            #expect(try child.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Child")) == 2)
            bea.setValue("Cy", forKey: "name")
            try child.context.save()
        }
        try family.run { (family: Family) throws in try family.context.save() }
        try child.run { (child: Family) throws in
            // The child knows the object by the ID that it had.
            let cy = child.context.object(with: new)
            child.context.refresh(cy, mergeChanges: false)
            #expect(cy.label == "Cy")
            cy.setValue("Dee", forKey: "name")
            try child.context.save()
        }
        let names = try family.run { (family: Family) throws in
            #expect(family.context.updatedObjects.count == 1)
            return try family.names("Child")
        }
        #expect(names == ["Ada", "Dee"])
    }

    @Test func deletionsAndGrandchildrenReachTheParent() throws {
        let family = try Family(isOrdered: true).withStore()
        let id = try family.save("P", with: ["Ada", "Bea"])
        let child = Family(childOf: family)
        let grandchild = Family(childOf: child)
        try grandchild.run { (grandchild: Family) throws in
            let parent = grandchild.context.object(with: id)
            let children = parent.mutableOrderedSetValue(forKey: "children")
            children.insert(grandchild.insert("Child", named: "Cy"), at: 0)
            children.exchangeObject(at: 1, withObjectAt: 2)
            let stranger = grandchild.insert("Child", named: "Dee")
            try grandchild.context.save()
            grandchild.context.delete(stranger)
            try grandchild.context.save()
        }
        try child.run { (child: Family) throws in try child.context.save() }
        try family.run { (family: Family) throws in
            #expect(try family.names("Child") == ["Ada", "Bea", "Cy"])
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            let children = other.context.object(with: id).value(forKey: "children") as? NSOrderedSet
            #expect(children?.array.compactMap { ($0 as? NSManagedObject)?.label } == ["Cy", "Bea", "Ada"])
            other.context.delete(other.context.object(with: id))
            try other.context.save()
        }
    }

    @Test func aChildMergesWhatItsParentSaves() async throws {
        let family = try Family().withStore()
        let id = try family.save("P")
        let child = Family(childOf: family)
        try child.run { (child: Family) throws in
            child.context.automaticallyMergesChangesFromParent = true
            child.context.retainsRegisteredObjects = true
            #expect(try child.names("Parent") == ["P"])
        }
        try await child.context.waitForMerge {
            try family.run { (family: Family) throws in
                family.context.object(with: id).setValue("Q", forKey: "name")
                try family.context.save()
            }
        }
        let name = await child.context.perform { [context = child.context] in context.object(with: id).label }
        #expect(name == "Q")
    }

    @Test func aChildForgetsTheTemporaryIDsOfReleasedObjects() throws {
        let family = try Family().withStore()
        let child = Family(childOf: family)
        let last = try child.run { (child: Family) throws in
            var last = NSManagedObjectID(entity: NSEntityDescription())
            for _ in 0..<4 {
                for _ in 0..<500 { last = child.insert("Parent", named: "P").objectID }
                try child.context.save()
                try family.run { try $0.context.save() }
                child.context.reset()
            }
            return last
        }
        child.run { (child: Family) in
            #expect(child.context.object(with: last).label == "P")
            #expect(child.context.permanentIDs.count < 1_600)
        }
    }
}
