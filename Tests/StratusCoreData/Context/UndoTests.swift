import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct UndoTests {
    /// Makes a store whose context records changes in groups that the test opens.
    private func family(_ rule: NSDeleteRule = .cascadeDeleteRule, isOrdered: Bool = false) throws -> Family {
        let family = try Family(childrenRule: rule, isOrdered: isOrdered).withStore()
        record(family)
        return family
    }

    /// Makes a store with a parent and its children, whose context records what comes then.
    private func saved(_ parent: String, with children: [String]) throws -> (Family, NSManagedObjectID) {
        let family = try Family().withStore()
        let id = try family.save(parent, with: children)
        record(family)
        return (family, id)
    }

    private func record(_ family: Family) {
        family.run { family in
            family.context.undoManager = UndoManager()
            family.context.undoManager?.groupsByEvent = false
        }
    }

    /// Runs changes that are undone together.
    private func group<Value>(_ family: Family, _ body: (Family) throws -> Value) rethrows -> Value {
        family.context.undoManager?.beginUndoGrouping()
        defer { family.context.undoManager?.endUndoGrouping() }
        return try body(family)
    }

    @Test func nothingIsRecordedWithoutAManager() throws {
        let family = try Family().withStore()
        try family.run { (family: Family) throws in
            #expect(family.context.undoManager == nil)
            let child = family.insert("Child", named: "Ada")
            family.context.undo()
            #expect(try family.names("Child") == ["Ada"] && child.label == "Ada")
        }
    }

    @Test func valuesAreUndoneAndRedone() throws {
        let family = try family()
        try family.run { (family: Family) throws in
            let child = group(family) { $0.insert("Child", named: "Ada") }
            try family.context.save()
            group(family) { _ in child.setValue("Bea", forKey: "name") }
            family.context.undo()
            #expect(child.label == "Ada" && !family.context.hasChanges && !child.hasPersistentChangedValues)
            family.context.redo()
            #expect(child.label == "Bea" && family.context.updatedObjects == [child])
        }
    }

    @Test func changesOfOneGroupAreUndoneTogether() throws {
        let family = try family()
        family.run { family in
            let child = group(family) { $0.insert("Child", named: "Ada") }
            group(family) { family in
                child.setValue("Bea", forKey: "name")
                family.context.processPendingChanges()
                child.setValue(7, forKey: "age")
            }
            family.context.undo()
            #expect(child.label == "Ada" && child.value(forKey: "age") as? Int == 3)
        }
    }

    @Test func insertionsAreUndoneAndRedone() throws {
        let family = try family()
        try family.run { (family: Family) throws in
            let parent = group(family) { $0.insert("Parent", named: "Pia") }
            let child = group(family) { family in
                let child = family.insert("Child", named: "Ada")
                child.setValue(parent, forKey: "parent")
                return child
            }
            family.context.undo()
            #expect(child.managedObjectContext == nil && parent.names("children").isEmpty)
            #expect(family.context.insertedObjects == [parent])
            family.context.redo()
            #expect(child.managedObjectContext === family.context && parent.names("children") == ["Ada"])
            try family.context.save()
        }
        try Family(beside: family).run { (family: Family) throws in #expect(try family.names("Child") == ["Ada"]) }
    }

    @Test func deletionsWithCascadesAreUndone() throws {
        let (family, id) = try saved("Pia", with: ["Ada", "Bea"])
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            group(family) { $0.context.delete(parent) }
            #expect(try family.names("Child").isEmpty && family.context.deletedObjects.count == 3)
            family.context.undo()
            #expect(parent.names("children") == ["Ada", "Bea"] && !family.context.hasChanges)
            let parents = try family.fetch("Child").map { $0.value(forKey: "parent") as? NSManagedObject }
            #expect(parents == [parent, parent])
            family.context.redo()
            #expect(try family.names("Parent").isEmpty && family.names("Child").isEmpty)
        }
    }

    @Test func savedChangesAreUndoneByChangesToSave() throws {
        let (family, id) = try saved("Pia", with: ["Ada", "Bea"])
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            group(family) { $0.context.delete(parent) }
            try family.context.save()
            #expect(try family.names("Child").isEmpty)
            family.context.undo()
            #expect(family.context.insertedObjects.count == 3 && parent.objectID == id)
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(other.context.object(with: id).names("children") == ["Ada", "Bea"])
        }
        try family.run { (family: Family) throws in
            family.context.redo()
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(try other.names("Parent").isEmpty && other.names("Child").isEmpty)
        }
    }

    @Test func savedInsertionsAreUndoneByDeletions() throws {
        let family = try family()
        try family.run { (family: Family) throws in
            let child = group(family) { $0.insert("Child", named: "Ada") }
            try family.context.save()
            family.context.undo()
            #expect(family.context.deletedObjects == [child])
            try family.context.save()
            #expect(try family.names("Child").isEmpty)
            family.context.redo()
            #expect(family.context.insertedObjects == [child])
            try family.context.save()
            #expect(try family.names("Child") == ["Ada"])
        }
    }

    @Test func theOrderOfDestinationsIsUndone() throws {
        let family = try family(isOrdered: true)
        family.run { family in
            let (parent, children) = group(family) { family in
                let parent = family.insert("Parent", named: "Pia")
                let children = ["a", "b", "c"].map { family.insert("Child", named: $0) }
                parent.setValue(NSOrderedSet(array: children), forKey: "children")
                return (parent, children)
            }
            func names() -> [String] {
                (parent.value(forKey: "children") as? NSOrderedSet)?.compactMap { ($0 as? NSManagedObject)?.label }
                    ?? []
            }
            group(family) { _ in
                parent.setValue(NSOrderedSet(array: [children[2], children[0]]), forKey: "children")
            }
            family.context.undo()
            #expect(names() == ["a", "b", "c"])
            family.context.redo()
            #expect(names() == ["c", "a"])
        }
    }

    @Test func aRollbackForgetsWhatCouldBeUndone() throws {
        let family = try family()
        family.run { family in
            _ = group(family) { $0.insert("Child", named: "Ada") }
            family.context.rollback()
            #expect(family.context.undoManager?.canUndo == false)
            _ = group(family) { $0.insert("Child", named: "Bea") }
            family.context.reset()
            #expect(family.context.undoManager?.canUndo == false)
        }
    }

    @Test func changesWithoutRegistrationStay() throws {
        let family = try family()
        family.run { family in
            let child = group(family) { $0.insert("Child", named: "Ada") }
            group(family) { _ in child.setValue(9, forKey: "age") }
            family.context.undoManager?.disableUndoRegistration()
            child.setValue("Bea", forKey: "name")
            family.context.processPendingChanges()
            family.context.undoManager?.enableUndoRegistration()
            family.context.undo()
            #expect(child.label == "Bea" && child.value(forKey: "age") as? Int == 3)
        }
    }

    @Test func anEventOfAPrivateQueueIsOneGroup() async throws {
        let family = try Family().withStore()
        family.run { $0.context.undoManager = UndoManager() }
        let context = family.context
        await context.perform {
            let child = NSEntityDescription.insertNewObject(forEntityName: "Child", into: context)
            child.setValue("Ada", forKey: "name")
            context.processPendingChanges()
            child.setValue("Bea", forKey: "name")
        }
        await context.perform(schedule: .enqueued) {
            for child in context.registeredObjects { child.setValue("Cleo", forKey: "name") }
        }
        try family.run { (family: Family) throws in
            family.context.undo()
            #expect(try family.names("Child") == ["Bea"])
            family.context.undo()
            #expect(try family.names("Child").isEmpty)
        }
    }

    @Test func aChildUndoesWhatItHasSaved() throws {
        let family = try Family().withStore()
        let id = try family.save("Pia", with: ["Ada"])
        let child = Family(childOf: family)
        record(child)
        try child.run { (child: Family) throws in
            let parent = child.context.object(with: id)
            group(child) { $0.context.delete(parent) }
            try child.context.save()
            child.context.undo()
            try child.context.save()
            #expect(parent.names("children") == ["Ada"])
        }
        try family.run { (family: Family) throws in
            #expect(try family.names("Parent") == ["Pia"])
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(other.context.object(with: id).names("children") == ["Ada"])
        }
    }

    @Test func objectsLearnWhatWasUndone() throws {
        let family = try Family { model in
            model.entities.forEach { $0.managedObjectClassName = NSStringFromClass(Witness.self) }
        }.withStore()
        record(family)
        try family.run { (family: Family) throws in
            let child = try #require(group(family) { $0.insert("Child", named: "Ada") } as? Witness)
            group(family) { _ in child.setValue("Bea", forKey: "name") }
            family.context.undo()
            family.context.undo()
            family.context.redo()
            #expect(child.events == [.undoUpdate, .undoInsertion, .undoDeletion])
        }
    }
}

/// An object that notes why it got former values.
final class Witness: NSManagedObject {
    private(set) var events: [NSSnapshotEventType] = []

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { events.append(flags) }
}
