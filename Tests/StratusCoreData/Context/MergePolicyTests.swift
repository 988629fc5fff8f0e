import Foundation
import StratusCoreData
import Testing

@Suite struct MergePolicyTests {
    /// A child that two contexts change at the same time: one saves the name "Zoe", the other then saves the age 9
    /// and, if `both`, the name "Kim".
    private func conflict(_ policy: NSMergePolicy, both: Bool) throws -> (Family, NSManagedObject) {
        let family = try Family().withStore()
        try family.run { (family: Family) throws in
            _ = family.insert("Child", named: "Ada")
            try family.context.save()
        }
        let child = try family.run { (family: Family) throws in
            let child = try family.fetch("Child")[0]
            #expect(child.label == "Ada")
            return child
        }
        try Family(beside: family).run { (other: Family) throws in
            try other.fetch("Child")[0].setValue("Zoe", forKey: "name")
            try other.context.save()
        }
        family.run { family in
            child.setValue(9, forKey: "age")
            if both { child.setValue("Kim", forKey: "name") }
            family.context.mergePolicy = policy
        }
        return (family, child)
    }

    private func stored(_ family: Family) throws -> [String] {
        try Family(beside: family).run { (other: Family) throws in
            try other.fetch("Child").map { "\($0.label) \($0.value(forKey: "age") as? Int ?? 0)" }
        }
    }

    @Test func aConflictIsAnErrorThatNamesTheObject() throws {
        let (family, child) = try conflict(.error, both: true)
        try family.run { (family: Family) throws in
            let error = #expect(throws: CocoaError.self) { try family.context.save() }
            #expect(error?.code == .managedObjectMerge)
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            let conflict = try #require(conflicts?.first)
            #expect(conflict.sourceObject === child)
            #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
            #expect(conflict.objectSnapshot?["name"] as? String == "Ada")
            #expect(conflict.cachedSnapshot?["name"] as? String == "Zoe")
            #expect(conflict.persistedSnapshot == nil)
            #expect(child.hasChanges && child.label == "Kim")
        }
        #expect(try stored(family) == ["Zoe 3"])
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, true, "Kim 9"), (.mergeByPropertyObjectTrump, false, "Zoe 9"),
        (.mergeByPropertyStoreTrump, true, "Zoe 9"), (.mergeByPropertyStoreTrump, false, "Zoe 9"),
        (.overwrite, true, "Kim 9"), (.overwrite, false, "Ada 9"), (.rollback, true, "Zoe 3"),
    ])
    func eachPolicyPrefersASide(_ policy: NSMergePolicy, both: Bool, _ result: String) throws {
        let (family, child) = try conflict(policy, both: both)
        try family.run { (family: Family) throws in
            try family.context.save()
            #expect(!family.context.hasChanges && !child.hasChanges)
            #expect("\(child.label) \(child.value(forKey: "age") as? Int ?? 0)" == result)
        }
        #expect(try stored(family) == [result])
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, ["Kim 9"]), (.overwrite, ["Kim 9"]),
        (.mergeByPropertyStoreTrump, []), (.rollback, []),
    ])
    func aChangeMeetsADeletion(_ policy: NSMergePolicy, _ result: [String]) throws {
        let (family, child) = try conflict(policy, both: true)
        try Family(beside: family).run { (other: Family) throws in
            other.context.delete(try other.fetch("Child")[0])
            try other.context.save()
        }
        try family.run { (family: Family) throws in
            try family.context.save()
            #expect(!family.context.hasChanges && (child.managedObjectContext == nil) == result.isEmpty)
        }
        #expect(try stored(family) == result)
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, []), (.overwrite, []),
        (.mergeByPropertyStoreTrump, ["Zoe 3"]), (.rollback, ["Zoe 3"]),
    ])
    func aDeletionMeetsAChange(_ policy: NSMergePolicy, _ result: [String]) throws {
        let (family, child) = try conflict(policy, both: false)
        try family.run { (family: Family) throws in
            family.context.delete(child)
            try family.context.save()
            #expect(!family.context.hasChanges && !child.isDeleted)
        }
        #expect(try stored(family) == result)
    }

    @Test func addedDestinationsOfTwoContextsAreMerged() throws {
        let family = try Family().withStore()
        let id = try family.save("P", with: ["Ada"])
        let other = Family(beside: family)
        try other.run { (other: Family) throws in
            #expect(try other.context.existingObject(with: id).names("children") == ["Ada"])
            other.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            other.context.retainsRegisteredObjects = true
            other.insert("Child", named: "Bea").setValue(other.context.object(with: id), forKey: "parent")
        }
        try family.run { (family: Family) throws in
            family.insert("Child", named: "Cy").setValue(family.context.object(with: id), forKey: "parent")
            try family.context.save()
        }
        try other.run { (other: Family) throws in
            try other.context.save()
            #expect(other.context.object(with: id).names("children") == ["Ada", "Bea", "Cy"])
        }
    }

    @Test func aPolicyOfTheProgramChangesTheObjects() throws {
        let (family, child) = try conflict(Longest(merge: .mergeByPropertyObjectTrumpMergePolicyType), both: true)
        try family.run { (family: Family) throws in
            try family.context.save()
            #expect(child.label == "Kim+Zoe")
        }
        #expect(try stored(family) == ["Kim+Zoe 9"])
    }
}

private final class Longest: NSMergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        try super.resolve(optimisticLockingConflicts: list)
        for conflict in list {
            let both = conflict.sourceObject.label + "+" + (conflict.cachedSnapshot?["name"] as? String ?? "")
            conflict.sourceObject.setValue(both, forKey: "name")
        }
    }
}
