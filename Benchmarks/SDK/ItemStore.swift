import Foundation
import StratusCoreData

/// The values of one row of the measure of Core Data.
struct Item {
    let title: String
    let text: String
    let number: Int
    let rating: Double
    let created: Date
    let isDone: Bool

    private static let text = String(repeating: "What is to be remembered of the matter. ", count: 8).prefix(300)

    /// Returns items whose numbers are in no order.
    static func some(_ count: Int) -> [Item] {
        (0..<count).map { (index: Int) -> Item in
            let number = (index &* 7_919) % count
            let rating = Double(index % 50) / 10
            let created = Date(timeIntervalSinceReferenceDate: Double(index))
            return Item(
                title: "Item \(index)", text: String(text), number: number, rating: rating, created: created,
                isDone: index % 3 == 0)
        }
    }
}

/// A store of Core Data with items in a file of SQLite.
final class ItemStore {
    private let coordinator: NSPersistentStoreCoordinator
    private let entity: NSEntityDescription

    /// Opens a file, or creates it.
    init(_ path: String) throws {
        entity = Self.entity()
        let model = NSManagedObjectModel()
        model.entities = [entity]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
    }

    private static func entity() -> NSEntityDescription {
        let types: [(String, NSAttributeType)] = [
            ("title", .stringAttributeType), ("text", .stringAttributeType), ("number", .integer64AttributeType),
            ("rating", .doubleAttributeType), ("created", .dateAttributeType), ("done", .booleanAttributeType),
        ]
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType) = (name, type)
            return attribute
        }
        let number = entity.properties.first { $0.name == "number" }
        entity.indexes = [
            NSFetchIndexDescription(
                name: "byNumber",
                elements: number.map { [NSFetchIndexElementDescription(property: $0, collationType: .binary)] })
        ]
        return entity
    }

    /// Runs a block with a new context, on the context's queue.
    func run<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }

    /// Inserts an object for each item and saves them all.
    func save(_ items: [Item], in context: NSManagedObjectContext) throws {
        for item in items {
            let object = NSManagedObject(entity: entity, insertInto: context)
            object.setValue(item.title, forKey: "title")
            object.setValue(item.text, forKey: "text")
            object.setValue(item.number, forKey: "number")
            object.setValue(item.rating, forKey: "rating")
            object.setValue(item.created, forKey: "created")
            object.setValue(item.isDone, forKey: "done")
        }
        try context.save()
    }

    /// Inserts a row for each item from dictionaries.
    func insertDictionaries(_ items: [Item], in context: NSManagedObjectContext) throws {
        let rows = items.map { item -> [String: Any] in
            [
                "title": item.title, "text": item.text, "number": item.number, "rating": item.rating,
                "created": item.created, "done": item.isDone,
            ]
        }
        _ = try context.execute(NSBatchInsertRequest(entity: entity, objects: rows))
    }

    /// Inserts a row for each item by a handler.
    func insertByHandler(_ items: [Item], in context: NSManagedObjectContext) throws {
        var waiting = items.makeIterator()
        let request = NSBatchInsertRequest(entity: entity) { row in
            guard let item = waiting.next() else { return true }
            row["title"] = item.title
            row["text"] = item.text
            row["number"] = item.number
            row["rating"] = item.rating
            row["created"] = item.created
            row["done"] = item.isDone
            return false
        }
        _ = try context.execute(request)
    }

    /// Returns all objects as faults.
    /// - Parameter withRows: Whether their values are read into the row cache.
    func faults(withRows: Bool, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.includesPropertyValues = withRows
        return try context.fetch(request)
    }

    /// Returns the sum of the numbers that objects have, after it has read three more values of each.
    func read(_ objects: [NSManagedObject]) -> Int {
        var sum = 0
        for object in objects {
            guard let number = object.value(forKey: "number") as? Int,
                let title = object.value(forKey: "title") as? String,
                object.value(forKey: "rating") is Double, object.value(forKey: "created") is Date
            else { continue }
            sum += number + title.utf8.count
        }
        return sum
    }

    /// Returns the objects that satisfy a predicate.
    func find(_ predicate: NSPredicate, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = predicate
        return try context.fetch(request)
    }
}
