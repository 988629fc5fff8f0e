import Foundation
import StratusCoreData
import StratusObservation
import Testing

/// A class whose changes of other properties than the model's make objects changed ones.
final class NotedParent: NSManagedObject {
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
}

/// Changes of objects that observers are notified of.
@Suite struct ObjectObservationTests {
    private final class Counter {
        var count = 0
    }

    private func observing(_ object: NSManagedObject) -> Counter {
        let counter = Counter()
        object.objectWillChange.listen {
            counter.count += 1
            return true
        }
        return counter
    }

    @Test func observersAreNotifiedBeforeEachChange() throws {
        try Family().withStore().run { (family: Family) throws in
            let object = family.insert("Parent", named: "Ann")
            let counter = observing(object)
            object.setValue("Ben", forKey: "name")
            #expect(counter.count == 1)
            try family.context.save()
            object.setValue("Cid", forKey: "name")
            #expect(counter.count == 2)
            family.context.refresh(object, mergeChanges: false)
            #expect(counter.count == 3)
            object.setValue("Dan", forKey: "name")
            #expect(counter.count == 4)
            #expect(object.objectWillChange === object.objectWillChange)
        }
    }

    @Test func propertiesThatTheModelDoesNotDescribeAreAnnounced() throws {
        try Family().withStore().run { (family: Family) throws in
            let object = family.insert("Parent", named: "Ann")
            try family.context.save()
            let counter = observing(object)
            object.willChangeValue(forKey: "initials")
            object.didChangeValue(forKey: "initials")
            #expect(counter.count == 1 && !family.context.hasChanges)
        }
    }

    @Test func aClassCanCountThemAsChanges() throws {
        let family = try Family { model in
            model.entitiesByName["Parent"]?.managedObjectClassName = NSStringFromClass(NotedParent.self)
        }.withStore()
        try family.run { (family: Family) throws in
            let parent = try #require(family.model.entitiesByName["Parent"])
            let object = NotedParent(entity: parent, insertInto: family.context)
            object.setValue("Ann", forKey: "name")
            try family.context.save()
            object.willChangeValue(forKey: "initials")
            object.didChangeValue(forKey: "initials")
            #expect(family.context.updatedObjects == [object])
            try family.context.save()
            #expect(!family.context.hasChanges)
        }
    }
}
