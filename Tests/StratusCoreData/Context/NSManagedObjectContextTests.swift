import Foundation
import StratusCoreData
import Testing

@Suite struct NSManagedObjectContextTests {
    @Test func aCascadeInACycleDeletesEachObjectOnce() {
        Family().run { family in
            let parent = family.insert("Parent", named: "P")
            let children = ["Ada", "Bea"].map { family.insert("Child", named: $0) }
            for child in children { child.setValue(parent, forKey: "parent") }
            let stranger = family.insert("Child", named: "Cy")
            family.context.delete(children[0])
            #expect(children[0].isDeleted && !parent.isDeleted)
            family.context.processPendingChanges()
            #expect(family.context.registeredObjects == [stranger])
            #expect((children + [parent]).allSatisfy { $0.isDeleted && $0.managedObjectContext == nil })
        }
    }

    @Test func withoutTheEndOfTheEventDeletionsCascadeAtOnce() {
        Family().run { family in
            let parent = family.insert("Parent", named: "P")
            let child = family.insert("Child")
            child.setValue(parent, forKey: "parent")
            family.context.propagatesDeletesAtEndOfEvent = false
            family.context.delete(parent)
            #expect(child.isDeleted)
        }
    }

    @Test func aRuleToNullifyLeavesTheOthers() {
        Family(childrenRule: .nullifyDeleteRule).run { family in
            let parent = family.insert("Parent", named: "P")
            let child = family.insert("Child")
            child.setValue(parent, forKey: "parent")
            family.context.delete(parent)
            family.context.processPendingChanges()
            #expect(!child.isDeleted)
            #expect(child.value(forKey: "parent") == nil)
        }
    }

    @Test func theNotificationHasEachObjectInOneSet() throws {
        try Family().run { family in
            let old = family.insert("Child", named: "Old")
            family.context.processPendingChanges()
            let received = Received()
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: family.context, queue: nil
            ) { received.userInfo = $0.userInfo }
            defer { NotificationCenter.default.removeObserver(observer) }
            let new = family.insert("Child", named: "New")
            old.setValue("Older", forKey: "name")
            let passing = family.insert("Child")
            family.context.delete(passing)
            family.context.processPendingChanges()
            let sets = try #require(received.userInfo)
            #expect(sets.count == 2)
            #expect(sets[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
            #expect(sets[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [old])
        }
    }

    @Test func blocksRunOnTheQueueAndReturnTheirResults() async throws {
        let context = Family().context
        let count = await context.perform { () -> Int in
            // A call on the queue itself does not wait for the queue.
            context.performAndWait {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Child", into: context)
                return context.insertedObjects.count
            }
        }
        #expect(count == 1)
        await #expect(throws: CocoaError.self) {
            try await context.perform(schedule: .enqueued) { throw CocoaError(.validationMultipleErrors) }
        }
    }

    @Test func anObjectRunsItsLifeCycleMethods() throws {
        let family = Family { $0.entitiesByName["Child"]?.managedObjectClassName = NSStringFromClass(Diary.self) }
        try family.run { (family: Family) throws in
            let diary = try #require(family.insert("Child") as? Diary)
            #expect(diary.value(forKey: "name") as? String == "awake")
            try diary.validateForInsert()
            #expect(diary.value(forKey: "name") as? String == "valid")
            family.context.delete(diary)
            family.context.delete(diary)
            #expect(diary.deletions == 1)
        }
    }

    @Test(arguments: ["Diary", ".Diary", NSStringFromClass(Diary.self)])
    func aClassFindsItsEntity(_ name: String) {
        let family = Family { $0.entitiesByName["Child"]?.managedObjectClassName = name }
        family.run { family in
            let diary = Diary(context: family.context)
            #expect(diary.entity.name == "Child")
            #expect(family.context.insertedObjects == [diary])
        }
    }

    @Test func aClassMakesRequestsForItsEntity() {
        let family = Family { model in
            model.entitiesByName["Child"]?.name = "Requested"
            model.entitiesByName["Requested"]?.managedObjectClassName = NSStringFromClass(Requested.self)
        }
        #expect(Requested.entity() === family.model.entitiesByName["Requested"])
        #expect(Requested.fetchRequest().entityName == "Requested")
    }

    @Test @MainActor func theMainContextIsUsedOnTheMainActor() async {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        let family = Family()
        context.persistentStoreCoordinator = family.context.persistentStoreCoordinator
        let object = context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Parent", into: context)
        }
        object.setValue("P", forKey: "name")
        let names = await context.perform { context.insertedObjects.compactMap { $0.value(forKey: "name") as? String } }
        #expect(names == ["P"])
    }

    @Test func objectsThatLeadToEachOtherAreReleased() {
        weak var kept: NSManagedObject?
        weak var deleted: NSManagedObject?
        let family = Family()
        func makePair() -> NSManagedObject {
            let child = family.insert("Child")
            child.setValue(family.insert("Parent"), forKey: "parent")
            return child
        }
        family.run { family in
            let child = makePair()
            deleted = child
            family.context.delete(child)
            family.context.processPendingChanges()
            let other = makePair()
            kept = other
            family.context.processPendingChanges()
        }
        #expect(deleted == nil && kept != nil)
        family.run { $0.context.reset() }
        #expect(kept == nil)
    }

    @Test func aResetForgetsTheObjects() {
        Family().run { family in
            let child = family.insert("Child", named: "Ada")
            child.setValue(family.insert("Parent"), forKey: "parent")
            family.context.reset()
            #expect(family.context.registeredObjects.isEmpty && !family.context.hasChanges)
            #expect(child.managedObjectContext == nil && !child.hasChanges)
        }
    }
}

/// Changed only on the queue of the context that posts.
private final class Received: @unchecked Sendable {
    var userInfo: [AnyHashable: Any]?
}

final class Requested: NSManagedObject {}

final class Diary: NSManagedObject {
    private(set) var deletions = 0

    override func awakeFromInsert() { setValue("awake", forKey: "name") }
    override func prepareForDeletion() { deletions += 1 }

    override func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        if key == "name" { value.pointee = "valid" as NSString }
        try super.validateValue(value, forKey: key)
    }
}
