import Foundation
import StratusCoreData
import Testing

@Suite struct NSManagedObjectTests {
    @Test func aNewObjectHasTheDefaultsAndATemporaryID() {
        Family().run { family in
            let child = family.insert("Child")
            #expect(child.value(forKey: "age") as? Int == 3)
            #expect(child.value(forKey: "name") == nil)
            #expect(child.isInserted && child.hasChanges && !child.isDeleted)
            #expect(child.objectID.isTemporaryID)
            #expect(child.objectID.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Child/t"))
            #expect(child.objectID != family.insert("Child").objectID)
            #expect(family.context.registeredObject(for: child.objectID) === child)
        }
    }

    @Test func valuesAreReadInTheTypesThatProgramsCastTo() {
        Family().run { family in
            let child = family.insert("Child", named: "Ada")
            child.setValue(Int16(7), forKey: "age")
            #expect(child.value(forKey: "age") as? Int64 == 7)
            #expect(child.value(forKey: "age") as? NSNumber == 7)
            #expect(child.value(forKey: "name") as? String == "Ada")
            #expect(child.primitiveValue(forKey: "name") as? NSString == "Ada")
            child.setValue(nil, forKey: "name")
            #expect(child.value(forKey: "name") == nil)
        }
    }

    @Test func eachTypeOfAttributeKeepsItsValues() {
        let values: [(NSAttributeDescription.AttributeType, AnyHashable)] = [
            (.integer64, Int64.max), (.double, 1.5), (.float, Float(1.5)), (.boolean, true), (.string, "text"),
            (.decimal, Decimal(12) / 10), (.date, Date(timeIntervalSinceReferenceDate: 1.25)),
            (.binaryData, Data([1, 2])), (.uuid, UUID()), (.uri, URL(fileURLWithPath: "/tmp")),
        ]
        let entity = NSEntityDescription()
        entity.name = "Everything"
        entity.properties = values.map { type, _ in
            let attribute = NSAttributeDescription()
            attribute.name = "a\(type.rawValue)"
            attribute.type = type
            return attribute
        }
        let object = NSManagedObject(entity: entity, insertInto: nil)
        for (type, value) in values {
            object.setValue(value.base, forKey: "a\(type.rawValue)")
            let read = object.value(forKey: "a\(type.rawValue)")
            #expect((read as? NSObject) == (value.base as? NSObject))
        }
    }

    @Test func changesAreKnownForTheObjectAndForTheEvent() {
        Family().run { family in
            let child = family.insert("Child", named: "Ada")
            family.context.processPendingChanges()
            #expect(child.changedValuesForCurrentEvent().isEmpty)
            child.setValue("Bea", forKey: "name")
            child.setValue("Cy", forKey: "name")
            #expect(child.changedValues().mapValues { $0 as? String } == ["name": "Cy"])
            #expect(child.changedValuesForCurrentEvent().mapValues { $0 as? String } == ["name": "Ada"])
        }
    }

    @Test func theInverseFollowsWhicheverSideIsSet() {
        Family().run { family in
            let first = family.insert("Parent", named: "P")
            let second = family.insert("Parent", named: "Q")
            let ada = family.insert("Child", named: "Ada")
            let bea = family.insert("Child", named: "Bea")
            ada.setValue(first, forKey: "parent")
            #expect(first.names("children") == ["Ada"])
            second.setValue(NSSet(array: [ada, bea]), forKey: "children")
            #expect(first.names("children") == [])
            #expect(ada.value(forKey: "parent") as? NSManagedObject === second)
            bea.setValue(nil, forKey: "parent")
            #expect(second.names("children") == ["Ada"])
            second.setValue(nil, forKey: "children")
            #expect(ada.value(forKey: "parent") == nil)
        }
    }

    @Test func anOrderedRelationshipKeepsItsOrder() {
        Family(isOrdered: true).run { family in
            let parent = family.insert("Parent", named: "P")
            let children = ["Cy", "Ada", "Bea"].map { family.insert("Child", named: $0) }
            for child in children { child.setValue(parent, forKey: "parent") }
            children[1].setValue(nil, forKey: "parent")
            children[1].setValue(parent, forKey: "parent")
            let ordered = parent.value(forKey: "children") as? NSOrderedSet
            #expect(ordered?.array as? [NSManagedObject] == [children[0], children[2], children[1]])
        }
    }

    @Test func severalValuesAreSetAndReadByTheirNames() {
        Family().run { family in
            let child = family.insert("Child", named: "Ada")
            child.setValuesForKeys(["name": NSNull(), "age": 7])
            #expect(child.value(forKey: "name") == nil && child.value(forKey: "age") as? Int == 7)
            let values = child.dictionaryWithValues(forKeys: ["name", "age"])
            #expect(values.count == 2 && values["name"] is NSNull && values["age"] as? Int == 7)
        }
    }

    @Test func predicatesReadValues() {
        Family().run { family in
            let parent = family.insert("Parent", named: "P")
            family.insert("Child", named: "Ada").setValue(parent, forKey: "parent")
            #expect(NSPredicate(format: "ANY children.name == 'Ada' AND name == 'P'").evaluate(with: parent))
            #expect(!NSPredicate(format: "children.@count > 1").evaluate(with: parent))
        }
    }
}
