import Foundation
import StratusCoreData
import Testing

@Suite struct RowValueTests {
    @Test func eachKindOfValueIsSavedAndRead() throws {
        let stack = try EverythingStack()
        let values: [String: NSObject] = [
            "integer": NSNumber(value: Int64.min), "boolean": NSNumber(value: true), "double": NSNumber(value: 1.5),
            "float": NSNumber(value: Float(0.1)), "decimal": NSDecimalNumber(string: "12.05"),
            "string": "ä" as NSString,
            "date": Date(timeIntervalSinceReferenceDate: 1.25) as NSDate, "data": Data([0, 255]) as NSData,
            "uuid": UUID() as NSUUID, "uri": URL(fileURLWithPath: "/tmp") as NSURL,
            "transformable": ["a", 1] as NSArray,
            "address": ["street": "Main", "place": ["zip": "1"]] as NSDictionary,
        ]
        try stack.run { context in
            let object = stack.insert(into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            object.setValue("only here", forKey: "transient")
            try context.save()
            #expect(object.value(forKey: "transient") as? String == "only here")
        }
        try stack.run { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Everything")
            request.predicate = NSPredicate(format: "address.place.zip == '1'")
            let object = try #require(try context.fetch(request).first)
            for (key, value) in values { #expect(object.value(forKey: key) as? NSObject == value, "\(key)") }
            #expect(object.value(forKey: "transient") == nil)
            object.setValue("changed", forKey: "transient")
            #expect(object.hasChanges && context.hasChanges)
            try context.save()
            for key in values.keys { object.setValue(nil, forKey: key) }
            try context.save()
        }
        try stack.run { context in
            let object = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Everything")).first)
            for key in values.keys { #expect(object.value(forKey: key) == nil) }
        }
    }

    @Test func relationshipsBetweenManyAreSavedInTheirOrder() throws {
        let stack = try EverythingStack()
        try stack.run { context in
            let objects = (0..<4).map { number in
                let object = stack.insert(into: context)
                object.setValue(number, forKey: "integer")
                return object
            }
            objects[0].setValue(NSOrderedSet(array: [objects[3], objects[1], objects[2]]), forKey: "next")
            objects[1].mutableSetValue(forKey: "previous").add(objects[2])
            objects[2].setValue(NSSet(array: [objects[0], objects[3]]), forKey: "unlinked")
            try context.save()
        }
        try stack.run { context in
            let objects = try stack.all(context)
            #expect(stack.integers(objects[0], "next") == [3, 1, 2])
            #expect(stack.integers(objects[1], "previous").sorted() == [0, 2])
            #expect(stack.integers(objects[2], "unlinked").sorted() == [0, 3])
            let next = objects[0].mutableOrderedSetValue(forKey: "next")
            next.remove(objects[1])
            next.exchangeObject(at: 0, withObjectAt: 1)
            objects[2].mutableSetValue(forKey: "unlinked").remove(objects[0])
            context.delete(objects[3])
            try context.save()
        }
        try stack.run { context in
            let objects = try stack.all(context)
            #expect(stack.integers(objects[0], "next") == [2])
            #expect(stack.integers(objects[1], "previous") == [2])
            #expect(stack.integers(objects[2], "unlinked") == [])
        }
    }

    @Test func aValueThatCannotBeArchivedIsAnError() throws {
        let stack = try EverythingStack()
        try stack.run { context in
            stack.insert(into: context).setValue(NSObject(), forKey: "transformable")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .persistentStoreSave)
        }
    }
}

/// A store for an entity with each kind of attribute and relationship.
private final class EverythingStack {
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        let entity = NSEntityDescription()
        entity.name = "Everything"
        let types: [String: NSAttributeDescription.AttributeType] = [
            "integer": .integer64, "boolean": .boolean, "double": .double, "float": .float, "decimal": .decimal,
            "string": .string, "date": .date, "data": .binaryData, "uuid": .uuid, "uri": .uri,
            "transformable": .transformable, "transient": .string,
        ]
        let attributes = types.map { NSAttributeDescription.make($0, $1) }
        attributes.first { $0.name == "transient" }?.isTransient = true
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [NSAttributeDescription.make("zip", .string)]
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [NSAttributeDescription.make("street", .string), place]
        let relationships = ["next", "previous", "unlinked"].map { name in
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = entity
            return relationship
        }
        relationships[0].isOrdered = true
        relationships[0].inverseRelationship = relationships[1]
        relationships[1].inverseRelationship = relationships[0]
        entity.properties = attributes + [address] + relationships
        let model = NSManagedObjectModel()
        model.entities = [entity]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    /// Runs a block with a new context.
    func run(_ block: (NSManagedObjectContext) throws -> Void) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try block(context) }
    }

    func insert(into context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: "Everything", into: context)
    }

    func all(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Everything")
        request.sortDescriptors = [NSSortDescriptor(key: "integer", ascending: true)]
        return try context.fetch(request)
    }

    /// The values of `integer` of the destinations of a relationship.
    func integers(_ object: NSManagedObject, _ relationship: String) -> [Int] {
        let value = object.value(forKey: relationship)
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        return members.compactMap { ($0 as? NSManagedObject)?.value(forKey: "integer") as? Int }
    }
}
