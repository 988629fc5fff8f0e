import Foundation
import StratusCoreData
import Testing

@Suite struct FaultTests {
    @Test func valuesAreReadWhenTheyAreUsed() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada"])
        try Family(beside: family).run { (other: Family) throws in
            let parent = try other.fetch("Parent")[0]
            #expect(parent.isFault && parent.hasFault(forRelationshipNamed: "children"))
            #expect(parent.description.contains("<fault>") && parent.isFault)
            #expect(parent.objectIDs(forRelationshipNamed: "children").count == 1)
            #expect(parent.label == "P" && !parent.isFault)
            #expect(parent.hasFault(forRelationshipNamed: "children"))
            #expect(parent.names("children") == ["Ada"])
            #expect(!parent.hasFault(forRelationshipNamed: "children"))
            #expect(try other.fetch("Parent")[0] === parent)
            let children = try other.fetch("Child") { $0.returnsObjectsAsFaults = false }
            #expect(children.allSatisfy { !$0.isFault })
        }
    }

    @Test func objectsWithoutChangesAreReleased() throws {
        let family = try Family().withStore()
        let id = try family.save("P")
        try Family(beside: family).run { (other: Family) throws in
            weak var released: NSManagedObject?
            do {
                let parent = other.context.object(with: id)
                released = parent
                #expect(parent.label == "P")
            }
            #expect(released == nil && other.context.registeredObject(for: id) == nil)
            weak var changed = other.context.object(with: id)
            changed?.setValue("Q", forKey: "name")
            #expect(changed == nil)
            do { other.context.object(with: id).setValue("Q", forKey: "name") }
            changed = other.context.registeredObject(for: id)
            #expect(changed?.label == "Q")
            other.context.retainsRegisteredObjects = true
            other.context.rollback()
            #expect(changed?.label == "P")
        }
    }

    @Test func aFaultWithoutARowIsDeleted() throws {
        let family = try Family().withStore()
        let id = try family.save("P")
        let other = Family(beside: family)
        let fault = other.run { $0.context.object(with: id) }
        try family.run { (family: Family) throws in
            family.context.delete(family.context.object(with: id))
            try family.context.save()
        }
        other.run { other in
            #expect(fault.value(forKey: "name") == nil && fault.isDeleted)
            #expect(!other.context.hasChanges)
            let error = #expect(throws: CocoaError.self) { try other.context.existingObject(with: id) }
            #expect(error?.code == .managedObjectReferentialIntegrity)
        }
    }

    @Test func aFaultWithoutARowStopsTheProgramIfAskedFor() async {
        await #expect(processExitsWith: .failure) {
            let family = try Family().withStore()
            let id = try family.save("P")
            let other = Family(beside: family)
            let fault = other.run { $0.context.object(with: id) }
            try family.run { (family: Family) throws in
                family.context.delete(family.context.object(with: id))
                try family.context.save()
            }
            other.run { other in
                other.context.shouldDeleteInaccessibleFaults = false
                _ = fault.value(forKey: "name")
            }
        }
    }

    @Test func aRefreshTakesOverTheSavedValues() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada"])
        let other = Family(beside: family)
        try other.run { other in
            let parent = try other.context.existingObject(with: id)
            #expect(parent.names("children") == ["Ada"])
            #expect(parent.label == "P")
        }
        try other.run { other in
            let parent = try other.context.existingObject(with: id)
            let ada = try other.fetch("Child")[0]
            ada.setValue("Zoe", forKey: "name")
            #expect(parent.names("children") == ["Zoe"])
            _ = try Family(beside: family).run { (third: Family) throws in
                let parent = try third.context.existingObject(with: id)
                parent.setValue("Q", forKey: "name")
                third.insert("Child", named: "Bea").setValue(parent, forKey: "parent")
                try third.fetch("Child", NSPredicate(format: "name == 'Ada'"))[0].setValue(7, forKey: "age")
                try third.context.save()
            }
            #expect(parent.label == "P")
            other.context.refreshAllObjects()
            #expect(parent.label == "Q" && parent.names("children") == ["Bea", "Zoe"])
            #expect(ada.value(forKey: "age") as? Int == 7)
            #expect(ada.changedValues().keys.sorted() == ["name"])
            other.context.refresh(ada, mergeChanges: false)
            #expect(ada.isFault && ada.label == "Ada" && !other.context.hasChanges)
        }
    }

    @Test func changedDestinationsStayInARefresh() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada", "Bea"])
        let other = Family(beside: family)
        try other.run { other in
            let parent = try other.context.existingObject(with: id)
            let cy = other.insert("Child", named: "Cy")
            cy.setValue(parent, forKey: "parent")
            try other.fetch("Child", NSPredicate(format: "name == 'Ada'"))[0].setValue(nil, forKey: "parent")
            try Family(beside: family).run { (third: Family) throws in
                third.insert("Child", named: "Dee").setValue(third.context.object(with: id), forKey: "parent")
                try third.context.save()
            }
            other.context.refresh(parent, mergeChanges: true)
            #expect(parent.names("children") == ["Bea", "Cy", "Dee"])
            try other.context.save()
        }
        try Family(beside: family).run { (third: Family) throws in
            #expect(try third.fetch("Parent")[0].names("children") == ["Bea", "Cy", "Dee"])
        }
    }

    @Test func aBatchIsReadTogether() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: (0..<10).map { "Child \($0)" })
        try Family(beside: family).run { (other: Family) throws in
            let children = try other.fetch("Child") { $0.fetchBatchSize = 4 }
            #expect(children.count == 10 && children.allSatisfy(\.isFault))
            #expect(children[5].label == "Child 5")
            try family.run { (family: Family) throws in
                for child in try family.fetch("Child") { child.setValue(child.label + "!", forKey: "name") }
                try family.context.save()
            }
            // The row cache has what was saved last, for the batch that was read and for the others.
            #expect(children.map(\.label).filter { $0.hasSuffix("!") }.count == 9)
        }
    }

    @Test func prefetchedDestinationsAreRead() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada", "Bea"])
        try Family(beside: family).run { (other: Family) throws in
            let parent = try other.fetch("Parent") { $0.relationshipKeyPathsForPrefetching = ["children"] }[0]
            #expect(!parent.hasFault(forRelationshipNamed: "children"))
            #expect(throws: CocoaError.self) {
                try other.fetch("Parent") { $0.relationshipKeyPathsForPrefetching = ["friends"] }
            }
        }
    }
}
