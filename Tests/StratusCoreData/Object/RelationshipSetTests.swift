import Foundation
import StratusCoreData
import Testing

@Suite struct RelationshipSetTests {
    @Test func changesOfTheSetChangeTheRelationshipAndItsInverse() {
        Family().run { family in
            let first = family.insert("Parent", named: "P")
            let second = family.insert("Parent", named: "Q")
            let ada = family.insert("Child", named: "Ada")
            let bea = family.insert("Child", named: "Bea")
            let children = first.mutableSetValue(forKey: "children")
            children.add(ada)
            children.addObjects(from: [ada, bea])
            #expect(children.count == 2 && children.contains(ada))
            #expect(Set(children.allObjects.compactMap { $0 as? NSManagedObject }) == [ada, bea])
            second.mutableSetValue(forKey: "children").add(ada)
            #expect(first.names("children") == ["Bea"])
            #expect(ada.value(forKey: "parent") as? NSManagedObject === second)
            children.remove(ada)
            #expect(second.names("children") == ["Ada"])
            children.removeAllObjects()
            #expect(bea.value(forKey: "parent") == nil)
            #expect(children.count == 0)
        }
    }

    @Test func anOrderedSetInsertsAtAPlace() {
        Family(isOrdered: true).run { family in
            let parent = family.insert("Parent", named: "P")
            let children = ["Ada", "Bea", "Cy"].map { family.insert("Child", named: $0) }
            let ordered = parent.mutableOrderedSetValue(forKey: "children")
            for child in children { ordered.insert(child, at: 0) }
            #expect(ordered.array as? [NSManagedObject] == children.reversed())
            ordered.replaceObject(at: 2, with: family.insert("Child", named: "Dee"))
            #expect(children[0].value(forKey: "parent") == nil)
            ordered.remove(children[2])
            ordered.add(children[0])
            let names = (parent.value(forKey: "children") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "name") as? String
            }
            #expect(names == ["Bea", "Dee", "Ada"])
            #expect(children[0].value(forKey: "parent") as? NSManagedObject === parent)
            ordered.sort(using: [NSSortDescriptor(key: "name", ascending: true)])
            ordered.exchangeObject(at: 1, withObjectAt: 2)
            #expect(
                (parent.value(forKey: "children") as? NSOrderedSet)?.array.first as? NSManagedObject === children[0])
            #expect((parent.value(forKey: "children") as? NSOrderedSet)?.lastObject as? NSManagedObject === children[1])
            ordered.removeAllObjects()
            #expect(children[0].value(forKey: "parent") == nil)
        }
    }
}
