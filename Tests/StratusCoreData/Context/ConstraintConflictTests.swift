import Foundation
import StratusCoreData
import Testing

@Suite struct ConstraintConflictTests {
    /// A store with the parent P, who is unique by name, and with the child Ada.
    private func family(_ policy: NSMergePolicy) throws -> Family {
        let family = try Family { model in
            model.entitiesByName["Parent"]?.uniquenessConstraints = [["name"]]
            let city = NSAttributeDescription.make("city", .string)
            model.entitiesByName["Parent"]?.properties += [city]
        }.withStore()
        try family.run { (family: Family) throws in
            let parent = family.insert("Parent", named: "P")
            parent.setValue("Rome", forKey: "city")
            family.insert("Child", named: "Ada").setValue(parent, forKey: "parent")
            try family.context.save()
            family.context.reset()
            family.context.mergePolicy = policy
        }
        return family
    }

    @Test func equalValuesAreAnErrorThatNamesTheObjects() throws {
        try family(.error).run { (family: Family) throws in
            let new = family.insert("Parent", named: "P")
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .managedObjectConstraintMerge)
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
            let conflict = try #require(conflicts?.first)
            #expect(conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "P")
            #expect(conflict.conflictingObjects == [new])
            #expect(conflict.databaseSnapshot?["city"] as? String == "Rome")
            #expect(new.isInserted && new.objectID.isTemporaryID)
        }
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, "Oslo", ["Ada", "Bea"]), (.overwrite, "Oslo", ["Ada", "Bea"]),
        (.mergeByPropertyStoreTrump, "Rome", ["Ada", "Bea"]), (.rollback, "Rome", ["Ada"]),
    ])
    func aNewObjectGivesWayToTheStoredOne(_ policy: NSMergePolicy, _ city: String, _ children: [String]) throws {
        let family = try family(policy)
        try family.run { (family: Family) throws in
            let new = family.insert("Parent", named: "P")
            new.setValue("Oslo", forKey: "city")
            family.insert("Child", named: "Bea").setValue(new, forKey: "parent")
            try family.context.save()
            #expect(new.managedObjectContext == nil && !family.context.hasChanges)
        }
        try Family(beside: family).run { (other: Family) throws in
            let parents = try other.fetch("Parent")
            #expect(parents.map(\.label) == ["P"])
            #expect(parents[0].value(forKey: "city") as? String == city)
            #expect(parents[0].names("children") == children)
            #expect(try other.names("Child") == ["Ada", "Bea"])
        }
    }

    @Test func equalValuesOfABatchAreAnErrorAndNothingIsInserted() throws {
        let family = try family(.error)
        try family.run { (family: Family) throws in
            let request = NSBatchInsertRequest(
                entityName: "Parent", objects: [["name": "Q"], ["name": "P", "city": "Oslo"]])
            let error = #expect(throws: CocoaError.self) { try family.context.execute(request) }
            #expect(error?.code == .managedObjectConstraintMerge)
            let twice = NSBatchInsertRequest(entityName: "Parent", objects: [["name": "Q"], ["name": "Q"]])
            #expect(throws: CocoaError.self) { try family.context.execute(twice) }
            let update = NSBatchUpdateRequest(entityName: "Parent")
            update.propertiesToUpdate = ["name": "R"]
            _ = try family.context.execute(NSBatchInsertRequest(entityName: "Parent", objects: [["name": "Q"]]))
            #expect(throws: CocoaError.self) { try family.context.execute(update) }
            #expect(try family.fetch("Parent").map { $0.value(forKey: "city") as? String } == ["Rome", nil])
        }
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, "Oslo"), (.overwrite, "Oslo"), (.mergeByPropertyStoreTrump, "Rome"),
        (.rollback, "Rome"),
    ])
    func theMergePolicyDecidesAboutABatch(_ policy: NSMergePolicy, _ city: String) throws {
        let family = try family(policy)
        try family.run { (family: Family) throws in
            let request = NSBatchInsertRequest(
                entityName: "Parent", objects: [["name": "Q"], ["name": "P", "city": "Oslo"]])
            request.resultType = .objectIDs
            let ids = (try family.context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID]
            let parents = try family.fetch("Parent")
            #expect(parents.map(\.label) == ["P", "Q"])
            #expect(parents[0].value(forKey: "city") as? String == city)
            #expect(Set(ids ?? []) == Set(parents.map(\.objectID)))
        }
    }

    @Test func ofNewObjectsOneStays() throws {
        let family = try family(.mergeByPropertyObjectTrump)
        try family.run { (family: Family) throws in
            for city in ["Oslo", "Bonn"] { family.insert("Parent", named: "Q").setValue(city, forKey: "city") }
            try family.context.save()
            let parents = try family.fetch("Parent", NSPredicate(format: "name == 'Q'"))
            #expect(parents.map { $0.value(forKey: "city") as? String }.count == 1)
        }
    }

    @Test(arguments: [(NSMergePolicy.mergeByPropertyObjectTrump, ["P"]), (.rollback, ["P", "Q"])])
    func aChangedObjectMeetsAStoredOne(_ policy: NSMergePolicy, _ names: [String]) throws {
        let family = try family(policy)
        try family.run { (family: Family) throws in
            let other = family.insert("Parent", named: "Q")
            try family.context.save()
            other.setValue("P", forKey: "name")
            try family.context.save()
            #expect(!family.context.hasChanges)
        }
        let stored = try Family(beside: family).run { (other: Family) throws in try other.names("Parent") }
        #expect(stored == names)
    }
}
