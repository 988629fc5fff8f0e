import Foundation
import StratusCoreData
import Testing

/// Two contexts move a child to different parents.
@Suite struct MovedChildTests {
    private let family: Family
    private let other: Family
    private let ids: [String: NSManagedObjectID]

    /// Ada has no parent. Both contexts have read the children of P and of Q, which have none.
    init() throws {
        family = try Family.withoutCascades().withStore()
        other = Family(beside: family)
        ids = try family.run { (family: Family) throws in
            let objects = [
                family.insert("Parent", named: "P"), family.insert("Parent", named: "Q"),
                family.insert("Child", named: "Ada"),
            ]
            try family.context.save()
            return Dictionary(uniqueKeysWithValues: objects.map { ($0.label, $0.objectID) })
        }
        for family in [family, other] {
            try family.run { (family: Family) throws in
                family.context.retainsRegisteredObjects = true
                family.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
                for name in ["P", "Q"] { #expect(try object(name, family).names("children") == []) }
                #expect(try object("Ada", family).value(forKey: "parent") == nil)
            }
        }
    }

    private func object(_ name: String, _ family: Family) throws -> NSManagedObject {
        family.context.object(with: try #require(ids[name]))
    }

    private func move(to parent: String, in family: Family) throws {
        try family.run { (family: Family) throws in
            try object("Ada", family).setValue(try object(parent, family), forKey: "parent")
        }
    }

    private func expect(_ parent: String, in family: Family) throws {
        try family.run { (family: Family) throws in
            #expect((try object("Ada", family).value(forKey: "parent") as? NSManagedObject)?.label == parent)
            for name in ["P", "Q"] {
                #expect(try object(name, family).names("children") == (name == parent ? ["Ada"] : []), "\(name)")
            }
        }
    }

    /// The objects of a save are a set, so that a context may take over the child or its parent first.
    @Test(arguments: [["Ada", "Q"], ["Q", "Ada"]]) func aChangeOfThisContextPrevails(_ order: [String]) throws {
        try move(to: "P", in: family)
        try move(to: "Q", in: other)
        try other.run { try $0.context.save() }
        for name in order {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSUpdatedObjectsKey: [try #require(ids[name])]], into: [family.context])
        }
        try expect("P", in: family)
        try family.run { try $0.context.save() }
        try expect("P", in: Family(beside: family))
    }

    @Test func aSaveThatPrevailsNamesTheParentThatItTakesTheChildFrom() throws {
        try move(to: "P", in: family)
        try move(to: "Q", in: other)
        try family.run { try $0.context.save() }
        let log = NotificationLog(of: other.context)
        try other.run { try $0.context.save() }
        try expect("Q", in: other)
        family.run { family in
            family.context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave, userInfo: log.userInfo(.NSManagedObjectContextDidSave)))
        }
        try expect("Q", in: family)
    }
}
