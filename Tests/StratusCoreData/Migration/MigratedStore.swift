import Foundation
import StratusSQLite
import Testing

@testable import StratusCoreData

/// A store file that one version of a model wrote and another version opens.
///
/// The first version has persons, some of whom are employees, with pets, friends and a list of places.
final class MigratedStore {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    var file: URL { folder.appendingPathComponent("store.sqlite") }
    private(set) var coordinator: NSPersistentStoreCoordinator?

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// Makes the first version of the model, which `change` turns into another one.
    static func model(_ change: (NSManagedObjectModel) throws -> Void) rethrows -> NSManagedObjectModel {
        let model = model()
        try change(model)
        return model
    }

    static func model() -> NSManagedObjectModel {
        let (person, employee) = (StoreFixture.entity("Person"), StoreFixture.entity("Employee"))
        let (pet, place) = (StoreFixture.entity("Pet"), StoreFixture.entity("Place"))
        let pets = StoreFixture.toMany("pets", pet, ordered: true)
        let owner = StoreFixture.toOne("owner", person)
        StoreFixture.connect(pets, owner)
        let friends = StoreFixture.toMany("friends", person, ordered: true)
        let friendsOf = StoreFixture.toMany("friendsOf", person)
        StoreFixture.connect(friends, friendsOf)
        let name = StoreFixture.attribute("name", .stringAttributeType)
        name.isOptional = false
        let photo = StoreFixture.attribute("photo", .binaryDataAttributeType)
        photo.allowsExternalBinaryDataStorage = true
        person.properties = [
            name, StoreFixture.attribute("age", .integer16AttributeType),
            StoreFixture.attribute("note", .stringAttributeType), photo, pets, friends, friendsOf,
            StoreFixture.toMany("places", place), StoreFixture.toOne("favourite", pet),
        ]
        employee.properties = [StoreFixture.attribute("salary", .floatAttributeType)]
        person.subentities = [employee]
        pet.properties = [StoreFixture.attribute("name", .stringAttributeType), owner]
        place.properties = [StoreFixture.attribute("name", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [person, employee, pet, place]
        return model
    }

    /// Opens the file with a model and runs a block with a context, after which the file is closed.
    @discardableResult
    func open<Value>(
        _ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = migrating,
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(store) }
        return try context.performAndWait { try body(context) }
    }

    /// Writes Ada, an employee of 40 years with the pets Rex and Bo, and her friends Eve and Bob.
    func write(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = migrating) throws {
        try open(model, options) { context in
            func make(_ entity: String, _ name: String) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValue(name, forKey: "name")
                return object
            }
            let (ada, eve, bob) = (make("Employee", "Ada"), make("Person", "Eve"), make("Person", "Bob"))
            let (rex, bo) = (make("Pet", "Rex"), make("Pet", "Bo"))
            ada.setValue(40, forKey: "age")
            ada.setValue(1.5, forKey: "salary")
            ada.setValue("old", forKey: "note")
            ada.setValue(Data(repeating: 7, count: 200_000), forKey: "photo")
            eve.setValue(Data(repeating: 8, count: 10), forKey: "photo")
            ada.setValue(NSOrderedSet(array: [rex, bo]), forKey: "pets")
            ada.setValue(NSOrderedSet(array: [eve, bob]), forKey: "friends")
            ada.setValue(Set([make("Place", "Here"), make("Place", "There")]), forKey: "places")
            ada.setValue(bo, forKey: "favourite")
            try context.save()
        }
    }

    /// Runs SQL as another program does.
    func inFile<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try body(try SQLiteConnection(path: file.path))
    }

    /// The code of the Cocoa error with which a model cannot open the file.
    func failure(_ model: NSManagedObjectModel, _ options: [AnyHashable: Any] = migrating) -> NSError? {
        do {
            try open(model, options) { _ in }
            return nil
        } catch {
            return error as NSError
        }
    }
}

extension NSManagedObjectModel {
    func entity(_ name: String) throws -> NSEntityDescription { try #require(entitiesByName[name]) }
}

extension NSManagedObjectContext {
    /// The objects of an entity, ordered by a key.
    func all(_ entity: String, by key: String = "name") throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try fetch(request)
    }

    func one(_ entity: String, _ name: String) throws -> NSManagedObject {
        try #require(try all(entity).first { $0.value(forKey: "name") as? String == name })
    }
}

extension NSManagedObject {
    /// The names of the destinations of a to-many relationship, in their order if it is ordered.
    func labels(_ relationship: String) -> [String] {
        let value = value(forKey: relationship)
        let objects = (value as? NSOrderedSet)?.array ?? (value as? Set<NSManagedObject>).map(Array.init) ?? []
        let names = objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        return value is NSOrderedSet ? names : names.sorted()
    }
}
