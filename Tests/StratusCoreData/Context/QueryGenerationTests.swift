import Foundation
import StratusCoreData
import Testing

@Suite struct QueryGenerationTests {
    private let family: Family
    private let other: Family
    private let id: NSManagedObjectID
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")

    init() throws {
        family = try Family().withStore(file)
        id = try family.save("Pia", with: ["Ada"])
        other = Family(beside: family)
    }

    private func removeFiles() {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) }
    }

    /// Renames the parent in the other context and gives it another child.
    private func change(_ name: String) throws {
        try other.run { (other: Family) throws in
            let parent = other.context.object(with: id)
            parent.setValue(name, forKey: "name")
            other.insert("Child", named: name).setValue(parent, forKey: "parent")
            try other.context.save()
        }
    }

    @Test func aPinnedContextReadsOneState() throws {
        defer { removeFiles() }
        try family.run { (family: Family) throws in
            #expect(family.context.queryGenerationToken == nil)
            try family.context.setQueryGenerationFrom(.current)
            #expect(family.context.queryGenerationToken == .current)
            #expect(try family.names("Child") == ["Ada"])
            #expect(family.context.queryGenerationToken != .current)
        }
        try change("Quin")
        try family.run { (family: Family) throws in
            #expect(try family.names("Parent") == ["Pia"] && family.names("Child") == ["Ada"])
            #expect(try family.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Child")) == 1)
            // A fault and a relationship that nobody has read before.
            let parent = family.context.object(with: id)
            family.context.refresh(parent, mergeChanges: false)
            #expect(parent.label == "Pia" && parent.names("children") == ["Ada"])
            try family.context.setQueryGenerationFrom(nil)
            family.context.refreshAllObjects()
            #expect(try family.names("Child") == ["Ada", "Quin"] && parent.label == "Quin")
        }
    }

    @Test func contextsShareAState() throws {
        defer { removeFiles() }
        let third = Family(beside: family)
        let token = try family.run { (family: Family) throws in
            try family.context.setQueryGenerationFrom(.current)
            _ = try family.names("Child")
            return try #require(family.context.queryGenerationToken)
        }
        try change("Quin")
        try third.run { (third: Family) throws in
            try third.context.setQueryGenerationFrom(token)
            #expect(try third.names("Child") == ["Ada"] && third.context.queryGenerationToken == token)
        }
        let child = Family(childOf: third)
        try child.run { (child: Family) throws in #expect(try child.names("Child") == ["Ada"]) }
    }

    @Test func savesMergesAndResetsAdvance() throws {
        defer { removeFiles() }
        try family.run { (family: Family) throws in
            family.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try family.context.setQueryGenerationFrom(.current)
            _ = try family.names("Child")
        }
        try change("Quin")
        try family.run { (family: Family) throws in
            _ = family.insert("Child", named: "Bea")
            try family.context.save()
            #expect(try family.names("Child") == ["Ada", "Bea", "Quin"])
        }
        try change("Rhea")
        try family.run { (family: Family) throws in
            #expect(try family.names("Child") == ["Ada", "Bea", "Quin"])
            family.context.reset()
            #expect(try family.names("Child") == ["Ada", "Bea", "Quin", "Rhea"])
        }
        try change("Sue")
        try family.run { (family: Family) throws in
            let parent = family.context.object(with: id)
            #expect(parent.label == "Rhea")
            family.context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave, userInfo: [NSUpdatedObjectsKey: Set([parent])]))
            #expect(parent.label == "Sue")
        }
    }

    @Test func aSaveOfAFormerStateConflicts() throws {
        defer { removeFiles() }
        try family.run { (family: Family) throws in
            try family.context.setQueryGenerationFrom(.current)
            #expect(family.context.object(with: id).label == "Pia")
        }
        try change("Quin")
        family.run { family in
            let parent = family.context.object(with: id)
            parent.setValue("Mine", forKey: "name")
            #expect { try family.context.save() } throws: { ($0 as? CocoaError)?.code == .managedObjectMerge }
        }
    }

    @Test func onlySomeStatesAreKept() throws {
        defer { removeFiles() }
        try family.run { (family: Family) throws in
            try family.context.setQueryGenerationFrom(.current)
            _ = try family.names("Child")
        }
        var contexts: [Family] = []
        for _ in 0..<20 {
            let next = Family(beside: family)
            try next.run { (next: Family) throws in
                try next.context.setQueryGenerationFrom(.current)
                _ = try next.names("Child")
            }
            contexts.append(next)
        }
        family.run { family in
            #expect { try family.names("Child") } throws: { ($0 as? CocoaError)?.code == .coreData }
        }
        try contexts.last?.run { (last: Family) throws in #expect(try last.names("Child") == ["Ada"]) }
    }

    @Test func aClosedStoreEndsItsStates() throws {
        defer { removeFiles() }
        let coordinator = try #require(family.context.persistentStoreCoordinator)
        try family.run { (family: Family) throws in
            try family.context.setQueryGenerationFrom(.current)
            _ = try family.names("Child")
        }
        try coordinator.remove(coordinator.persistentStores[0])
        try coordinator.destroyPersistentStore(at: file, ofType: NSSQLiteStoreType)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func storesInMemoryAreReadAsTheyAre() throws {
        let family = try Family().withStore()
        _ = try family.save("Pia")
        try family.run { (family: Family) throws in
            try family.context.setQueryGenerationFrom(.current)
            #expect(try family.names("Parent") == ["Pia"])
        }
        _ = try Family(beside: family).save("Quin")
        try family.run { (family: Family) throws in #expect(try family.names("Parent") == ["Pia", "Quin"]) }
    }
}
