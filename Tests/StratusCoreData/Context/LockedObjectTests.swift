import Foundation
import StratusCoreData
import Testing

/// Objects without changes that a save compares with the store.
@Suite struct LockedObjectTests {
    /// Saves two parents, lets another context change the first, and returns both.
    private func parents(_ family: Family) throws -> [NSManagedObject] {
        let ids = [try family.save("Ann"), try family.save("Ben")]
        let parents = family.run { family in ids.map { family.context.object(with: $0) } }
        family.run { $0.context.detectConflicts(for: parents[0]) }
        try Family(beside: family).run { (other: Family) throws in
            other.context.object(with: ids[0]).setValue("Zoe", forKey: "name")
            try other.context.save()
        }
        family.run { _ in parents[1].setValue("Bea", forKey: "name") }
        return parents
    }

    @Test func aChangeInTheStoreIsAConflict() throws {
        let family = try Family().withStore()
        let parents = try parents(family)
        try family.run { (family: Family) throws in
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .managedObjectMerge)
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [parents[0]])
            family.context.rollback()
            parents[1].setValue("Bea", forKey: "name")
            try family.context.save()
        }
    }

    @Test func aPolicyResolvesIt() throws {
        let family = try Family().withStore()
        let parents = try parents(family)
        try family.run { (family: Family) throws in
            family.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try family.context.save()
            #expect(parents.map(\.label) == ["Zoe", "Bea"])
            #expect(try family.names("Parent") == ["Bea", "Zoe"])
        }
    }

    @Test func anUnchangedRowIsLeftAsItIs() throws {
        let family = try Family().withStore()
        let ids = [try family.save("Ann"), try family.save("Ben")]
        let other = Family(beside: family)
        try other.run { (other: Family) throws in other.context.object(with: ids[0]).setValue("Zoe", forKey: "name") }
        try family.run { (family: Family) throws in
            family.context.detectConflicts(for: family.context.object(with: ids[0]))
            family.context.object(with: ids[1]).setValue("Bea", forKey: "name")
            try family.context.save()
        }
        try other.run { try $0.context.save() }
        #expect(try other.run { try $0.names("Parent") } == ["Bea", "Zoe"])
    }
}
