import Foundation
import StratusCoreData
import Testing

@Suite struct SaveTests {
    @Test(arguments: [false, true])
    func aSavedGraphIsFetchedInAnotherContext(inFile: Bool) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        let family = try Family().withStore(inFile ? file : nil)
        let id = try family.save("P", with: ["Bea", "Ada"])
        #expect(!id.isTemporaryID)
        try Family(beside: family).run { (other: Family) throws in
            let parent = try #require(try other.fetch("Parent").first)
            #expect(parent.objectID == id && parent.label == "P")
            #expect(parent.names("children") == ["Ada", "Bea"])
            let children = try other.fetch("Child")
            #expect(children.map(\.label) == ["Ada", "Bea"])
            #expect(children.allSatisfy { $0.value(forKey: "parent") as? NSManagedObject === parent })
            #expect(children[0].value(forKey: "age") as? Int == 3)
            #expect(!other.context.hasChanges && !parent.hasChanges && !parent.isInserted)
        }
    }

    @Test func changesAndDeletionsAreSaved() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada", "Bea"])
        _ = try family.save("Q", with: ["Cy"])
        try family.run { (family: Family) throws in
            let children = try family.fetch("Child")
            children[0].setValue("Zoe", forKey: "name")
            children[0].setValue(children[2].value(forKey: "parent"), forKey: "parent")
            children[1].setValue(nil, forKey: "parent")
            family.context.delete(try #require(try family.fetch("Parent").first))
            #expect(family.context.updatedObjects.isSuperset(of: children[0...1]))
            try family.context.save()
            #expect(!family.context.hasChanges)
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(try other.names("Parent") == ["Q"])
            #expect(try other.names("Child") == ["Bea", "Cy", "Zoe"])
            #expect(try other.fetch("Parent")[0].names("children") == ["Cy", "Zoe"])
        }
        try family.run { (family: Family) throws in
            // A rule to cascade deletes what has not been read yet, too.
            family.context.delete(try family.fetch("Parent")[0])
            try family.context.save()
        }
        try Family(beside: family).run { (other: Family) throws in
            #expect(try other.names("Parent") == [])
            #expect(try other.names("Child") == ["Bea"])
        }
    }

    @Test func eachInvalidObjectIsReportedAndNothingIsSaved() throws {
        try Family().withStore().run { family in
            let valid = family.insert("Parent", named: "P")
            family.insert("Parent").setValue(nil, forKey: "name")
            family.insert("Child").setValue(1_000_000, forKey: "age")
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .validationMultipleErrors)
            let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(Set(details.map(\.code)) == [1570, 1610])
            #expect(family.context.insertedObjects.count == 3 && valid.objectID.isTemporaryID)
            let stored = try Family(beside: family).run { try $0.names("Parent") }
            #expect(stored == [])
        }
    }

    @Test func withoutAStoreNothingCanBeSaved() {
        Family().run { family in
            _ = family.insert("Parent", named: "P")
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .persistentStoreSave)
        }
    }

    @Test func observersGetObjectsAndIDs() throws {
        let family = try Family().withStore()
        _ = try family.save("P")
        _ = try family.save("Q")
        let log = NotificationLog(of: family.context)
        try family.run { (family: Family) throws in
            let parents = try family.fetch("Parent")
            parents[0].setValue("R", forKey: "name")
            family.context.delete(parents[1])
            let child = family.insert("Child", named: "Ada")
            try family.context.save()
            let saved = try #require(log.userInfo(NSManagedObjectContext.didSaveObjectsNotification))
            #expect(saved[NSInsertedObjectsKey] as? Set<NSManagedObject> == [child])
            #expect(saved[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [parents[0]])
            #expect(saved[NSDeletedObjectsKey] as? Set<NSManagedObject> == [parents[1]])
            let ids = try #require(log.userInfo(NSManagedObjectContext.didSaveObjectIDsNotification))
            let key = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
            #expect(ids[key] as? Set<NSManagedObjectID> == [child.objectID])
            #expect(!child.objectID.isTemporaryID)
            #expect(
                log.names == [
                    .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
                    .NSManagedObjectContextDidSave, NSManagedObjectContext.didSaveObjectIDsNotification,
                ])
            // Nothing has changed, and nothing is saved.
            try family.context.save()
            #expect(log.names.count == 4)
            #expect(parents[1].managedObjectContext == nil)
        }
    }

    @Test func aRollbackRestoresWhatWasSaved() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            let parent = try family.fetch("Parent")[0]
            let ada = try family.fetch("Child")[0]
            parent.setValue("Q", forKey: "name")
            let bea = family.insert("Child", named: "Bea")
            bea.setValue(parent, forKey: "parent")
            family.context.delete(ada)
            family.context.processPendingChanges()
            family.context.rollback()
            #expect(!family.context.hasChanges && !ada.isDeleted && !parent.hasChanges)
            #expect(parent.label == "P" && parent.names("children") == ["Ada"])
            #expect(bea.managedObjectContext == nil)
            #expect(ada.value(forKey: "parent") as? NSManagedObject === parent)
        }
    }

    @Test func theFormerValuesAreKnownUntilTheSave() throws {
        let family = try Family().withStore()
        _ = try family.save("P", with: ["Ada"])
        try family.run { (family: Family) throws in
            let ada = try family.fetch("Child")[0]
            let parent = ada.value(forKey: "parent") as? NSManagedObject
            ada.setValue("Zoe", forKey: "name")
            ada.setValue(nil, forKey: "parent")
            #expect(ada.changedValues().keys.sorted() == ["name", "parent"])
            let committed = ada.committedValues(forKeys: ["name", "age"])
            #expect(committed["name"] as? String == "Ada" && committed["age"] as? Int == 3)
            #expect((parent?.committedValues(forKeys: ["children"])["children"] as? NSSet)?.count == 1)
            try family.context.save()
            #expect(ada.changedValues().isEmpty)
            #expect(ada.committedValues(forKeys: nil)["parent"] is NSNull)
        }
    }

    @Test func permanentIDsAreGivenBeforeTheSave() throws {
        try Family().withStore().run { family in
            let parent = family.insert("Parent", named: "P")
            try family.context.obtainPermanentIDs(for: [parent])
            let id = parent.objectID
            #expect(!id.isTemporaryID && parent.isInserted)
            #expect(family.context.registeredObject(for: id) === parent)
            try family.context.save()
            #expect(parent.objectID == id)
            let coordinator = try #require(family.context.persistentStoreCoordinator)
            #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
            let store = try #require(id.persistentStore)
            #expect(id.uriRepresentation().absoluteString == "x-coredata://\(store.identifier ?? "")/Parent/p1")
            for wrong in [
                "x-coredata://\(UUID())/Parent/p1", "x-coredata://\(store.identifier ?? "")/Nobody/p1",
                "x-coredata:///Parent/p1", "http://a/Parent/p1",
            ] {
                let url = try #require(URL(string: wrong))
                #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil)
            }
        }
    }

    @Test func aDestinationOutsideOfTheContextIsAnError() throws {
        try Family(childrenRule: .noActionDeleteRule).withStore().run { family in
            let child = family.insert("Child", named: "Ada")
            let parent = family.insert("Parent", named: "P")
            child.setPrimitiveValue(parent, forKey: "parent")
            family.context.delete(parent)
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .managedObjectValidation)
        }
    }

    @Test func aSaveOfSomeStoresNamesTheOneThatFailed() throws {
        let family = Family { model in
            model.entitiesByName["Child"]?.properties.append(NSAttributeDescription.make("weight", .double))
            for (name, entity) in model.entitiesByName { model.setEntities([entity], forConfigurationName: name) }
        }
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        let stores = try ["Parent", "Child"].map {
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: $0, at: nil)
        }
        try family.run { (family: Family) throws in
            _ = family.insert("Parent", named: "P")
            let child = family.insert("Child", named: "Ada")
            child.setValue(Double.nan, forKey: "weight")
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .persistentStoreIncompleteSave)
            #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [stores[1]])
            #expect(error?.userInfo[NSUnderlyingErrorKey] is NSError)
            #expect(family.context.insertedObjects == [child])
            child.setValue(1, forKey: "weight")
            try family.context.save()
            #expect(try family.names("Child") == ["Ada"] && family.names("Parent") == ["P"])
        }
    }
}

/// The notifications of a context in their order. They are posted on the queue of the context.
final class NotificationLog: @unchecked Sendable {
    private var posted: [Notification] = []
    private var observer: (any NSObjectProtocol)?

    init(of context: NSManagedObjectContext) {
        observer = NotificationCenter.default.addObserver(forName: nil, object: context, queue: nil) { [weak self] in
            self?.posted.append($0)
        }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var names: [Notification.Name] { posted.map(\.name) }

    /// The content of the last notification of a name.
    func userInfo(_ name: Notification.Name) -> [AnyHashable: Any]? { posted.last { $0.name == name }?.userInfo }
}
