import Foundation
import StratusCoreData

/// A model of parents with children, and a context for its objects.
final class Family {
    let model: NSManagedObjectModel
    let context: NSManagedObjectContext

    convenience init(childrenRule: NSDeleteRule = .cascadeDeleteRule, isOrdered: Bool = false) {
        self.init(Self.model(childrenRule, isOrdered))
    }

    /// Makes a model, which `prepare` changes, and a context.
    convenience init(
        childrenRule: NSDeleteRule = .cascadeDeleteRule, isOrdered: Bool = false,
        prepare: (NSManagedObjectModel) throws -> Void
    ) rethrows {
        let model = Self.model(childrenRule, isOrdered)
        try prepare(model)
        self.init(model)
    }

    private init(_ model: NSManagedObjectModel) {
        self.model = model
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    }

    /// Makes a family in which deletions leave others as they are.
    static func withoutCascades() -> Family {
        Family(childrenRule: .nullifyDeleteRule) { model in
            model.entitiesByName["Child"]?.relationshipsByName["parent"]?.deleteRule = .nullifyDeleteRule
        }
    }

    /// Makes another context of the coordinator of one.
    init(beside other: Family) {
        model = other.model
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = other.context.persistentStoreCoordinator
    }

    /// Makes a context whose parent is that of another one.
    init(childOf other: Family) {
        model = other.model
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = other.context
    }

    /// Opens a store, in memory unless it has a file.
    func withStore(_ file: URL? = nil) throws -> Family {
        _ = try context.persistentStoreCoordinator?.addPersistentStore(
            ofType: file == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil, at: file)
        return self
    }

    /// Saves a parent with children, and returns its ID.
    func save(_ parent: String, with children: [String] = []) throws -> NSManagedObjectID {
        try run { family in
            let parent = family.insert("Parent", named: parent)
            for name in children { family.insert("Child", named: name).setValue(parent, forKey: "parent") }
            try family.context.save()
            return parent.objectID
        }
    }

    func fetch(
        _ entity: String, _ predicate: NSPredicate? = nil,
        _ prepare: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        prepare(request)
        return try context.fetch(request)
    }

    func names(
        _ entity: String, _ predicate: NSPredicate? = nil,
        _ prepare: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) throws -> [String] {
        try fetch(entity, predicate, prepare).map { $0.label }
    }

    /// Runs a block on the queue of the context.
    func run<Result>(_ block: (Family) throws -> Result) rethrows -> Result {
        try context.performAndWait { try block(self) }
    }

    func insert(_ entity: String, named name: String? = nil) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        if let name { object.setValue(name, forKey: "name") }
        return object
    }

    private static func model(_ childrenRule: NSDeleteRule, _ isOrdered: Bool) -> NSManagedObjectModel {
        let parent = NSEntityDescription()
        parent.name = "Parent"
        let child = NSEntityDescription()
        child.name = "Child"
        let toChildren = relationship("children", to: child, childrenRule)
        toChildren.isOrdered = isOrdered
        let toParent = relationship("parent", to: parent, .cascadeDeleteRule)
        toParent.maxCount = 1
        toChildren.inverseRelationship = toParent
        toParent.inverseRelationship = toChildren
        parent.properties = [NSAttributeDescription.make("name", .string), toChildren]
        let age = NSAttributeDescription.make("age", .integer16)
        age.defaultValue = 3
        child.properties = [NSAttributeDescription.make("name", .string), age, toParent]
        parent.attributesByName["name"]?.isOptional = false
        let model = NSManagedObjectModel()
        model.entities = [parent, child]
        return model
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, _ rule: NSDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = rule
        return relationship
    }
}

extension NSManagedObject {
    /// The value of the attribute `name`.
    var label: String { value(forKey: "name") as? String ?? "" }

    /// The names of the destinations of a to-many relationship, sorted.
    func names(_ relationship: String) -> [String] {
        let members = value(forKey: relationship) as? Set<NSManagedObject> ?? []
        return members.compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
}
