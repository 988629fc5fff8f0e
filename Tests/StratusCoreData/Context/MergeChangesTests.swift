import Foundation
import StratusCoreData
import Testing

@Suite struct MergeChangesTests {
    /// A context with P and its child Ada, whose values it has read, and one that changes them.
    private func pair() throws -> (Family, Family, NSManagedObjectID) {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            family.context.retainsRegisteredObjects = true
            _ = try family.fetch("Child").map { $0.value(forKey: "parent") }
            _ = family.context.object(with: id).names("children")
        }
        return (family, Family(beside: family), id)
    }

    @Test func aSaveOfAnotherContextIsMerged() throws {
        let (family, other, id) = try pair()
        let log = NotificationLog(of: other.context)
        try other.run { (other: Family) throws in
            let parent = other.context.object(with: id)
            parent.setValue("Q", forKey: "name")
            other.insert("Child", named: "Bea").setValue(parent, forKey: "parent")
            let ada = try other.fetch("Child", NSPredicate(format: "name == 'Ada'"))[0]
            // The rule of the relationship would delete the parent, too.
            ada.setValue(nil, forKey: "parent")
            other.context.delete(ada)
            try other.context.save()
        }
        let merged = NotificationLog(of: family.context)
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            #expect(parent.label == "P")
            let notification = Notification(
                name: .NSManagedObjectContextDidSave, object: other.context,
                userInfo: log.userInfo(.NSManagedObjectContextDidSave))
            family.context.mergeChanges(fromContextDidSave: notification)
            #expect(parent.label == "Q" && parent.names("children") == ["Bea"])
            #expect(!family.context.hasChanges)
            let sets = try #require(merged.userInfo(.NSManagedObjectContextObjectsDidChange))
            #expect((sets[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.map(\.label) == ["Bea"])
            #expect(sets[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [parent])
            #expect((sets[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
            #expect(merged.names.last == NSManagedObjectContext.didMergeChangesObjectIDsNotification)
        }
    }

    @Test func noObjectLeadsToADeletedOne() throws {
        let family = try Family(childrenRule: .nullifyDeleteRule).withStore()
        let id = try family.save("P", with: ["Ada"])
        let other = Family(beside: family)
        let log = NotificationLog(of: other.context)
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            let ada = try family.fetch("Child")[0]
            #expect(ada.value(forKey: "parent") as? NSManagedObject == parent)
            // The context that deletes does not know about Bea, Q and Cy.
            let bea = family.insert("Child", named: "Bea")
            bea.setValue(parent, forKey: "parent")
            let second = family.insert("Parent", named: "Q")
            family.insert("Child", named: "Cy").setValue(second, forKey: "parent")
            ada.setValue(second, forKey: "parent")
            try other.run { (other: Family) throws in
                let ada = try other.fetch("Child")[0]
                ada.setValue(nil, forKey: "parent")
                other.context.delete(ada)
                other.context.delete(other.context.object(with: id))
                try other.context.save()
            }
            family.context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave, object: other.context,
                    userInfo: log.userInfo(.NSManagedObjectContextDidSave)))
            #expect(bea.value(forKey: "parent") == nil)
            #expect(second.names("children") == ["Cy"])
            try family.context.save()
            #expect(try family.names("Child") == ["Bea", "Cy"] && family.names("Parent") == ["Q"])
        }
    }

    @Test func aContextMergesByItself() async throws {
        let (family, other, id) = try pair()
        family.run { $0.context.automaticallyMergesChangesFromParent = true }
        try await family.context.waitForMerge {
            try other.run { (other: Family) throws in
                other.context.object(with: id).setValue("Q", forKey: "name")
                try other.context.save()
            }
        }
        let name = await family.context.perform { [context = family.context] in context.object(with: id).label }
        #expect(name == "Q")
    }

    @Test func savesOfOtherProcessesAreMergedByTheirURIs() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        let family = try Family().withStore(file)
        let id = try family.save("P")
        let parent = try family.run { try $0.context.existingObject(with: id) }
        // Another coordinator shares nothing but the file.
        let other = try Family().withStore(file)
        try other.run { (other: Family) throws in
            try other.fetch("Parent")[0].setValue("Q", forKey: "name")
            try other.context.save()
        }
        family.run { family in
            family.context.refresh(parent, mergeChanges: true)
            #expect(parent.label == "P")
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [id.uriRepresentation()]], into: [family.context])
            #expect(parent.label == "Q")
            family.context.stalenessInterval = 0
        }
        try other.run { (other: Family) throws in
            try other.fetch("Parent")[0].setValue("R", forKey: "name")
            try other.context.save()
        }
        family.run { family in
            family.context.refresh(parent, mergeChanges: false)
            #expect(parent.label == "R")
        }
    }

    @Test func aSaveOfAnotherCoordinatorIsMerged() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        let (family, other) = (try Family().withStore(file), try Family().withStore(file))
        let id = try family.save("P", with: ["Ada"])
        let log = NotificationLog(of: other.context)
        let parent = try family.run { (family: Family) throws in
            family.context.retainsRegisteredObjects = true
            #expect(family.context.object(with: id).label == "P")
            return family.context.object(with: id)
        }
        try other.run { (other: Family) throws in
            try other.fetch("Parent")[0].setValue("Q", forKey: "name")
            _ = other.insert("Child", named: "Bea")
            try other.context.save()
        }
        try family.run { (family: Family) throws in
            let notification = Notification(
                name: .NSManagedObjectContextDidSave, object: other.context,
                userInfo: log.userInfo(.NSManagedObjectContextDidSave))
            family.context.mergeChanges(fromContextDidSave: notification)
            #expect(parent.label == "Q")
            #expect(family.context.registeredObjects.allSatisfy { $0.objectID.persistentStore === id.persistentStore })
        }
    }
}
