import Foundation
import Testing

@testable import StratusCoreData

/// Stores of one configuration, and a compiled mapping model of the whole model, as Xcode makes one.
@Suite final class CompiledMappingMigrationTests {
    private let store: MigratedStore
    private let first: NSManagedObjectModel
    private let second: NSManagedObjectModel

    init() throws {
        store = try MigratedStore()
        first = try Self.configured(MigratedStore.model())
        second = try Self.configured(
            MigratedStore.model { try $0.entity("Place").attributesByName["name"]?.name = "title" })
    }

    private static func configured(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        model.setEntities([try model.entity("Place")], forConfigurationName: "Places")
        return model
    }

    /// Writes the mapping model into the folder of the store: names of places become titles, and persons stay persons.
    private func writeMapping() throws -> Bundle {
        let writer = ArchiveWriter()
        func hash(_ entity: String, of model: NSManagedObjectModel) throws -> BinaryListWriter.Value {
            writer.add(.bytes(Array(try model.entity(entity).versionHash)))
        }
        func mapping(_ entity: String, _ attribute: String, from former: String) throws -> BinaryListWriter.Value {
            let property = writer.object(
                "NSPropertyMapping",
                [
                    ("NSDestinationPropertyName", writer.text(attribute)),
                    ("NSValueExpression", writer.keyPath(former, of: writer.variable("source"))),
                ])
            let request = writer.function(
                "fetchRequestForSourceEntityNamed:predicateString:",
                [writer.constant(writer.text(entity)), writer.constant(writer.text("TRUEPREDICATE"))],
                of: writer.variable("manager"))
            return writer.object(
                "NSEntityMapping",
                [
                    ("NSMappingName", writer.text("\(entity)To\(entity)")), ("NSMappingType", .number(5)),
                    ("NSSourceEntityName", writer.text(entity)), ("NSDestinationEntityName", writer.text(entity)),
                    ("NSSourceEntityVersionHash", try hash(entity, of: first)),
                    ("NSDestinationEntityVersionHash", try hash(entity, of: second)),
                    ("NSSourceExpression", request), ("NSAttributeMappings", writer.array([property])),
                    ("NSRelationshipMappings", writer.array([])),
                ])
        }
        let mappings = [try mapping("Person", "name", from: "name"), try mapping("Place", "title", from: "name")]
        let root = writer.object("NSMappingModel", [("NSEntityMappings", writer.array(mappings))])
        try Data(writer.bytes(root: root)).write(to: store.folder.appendingPathComponent("Places.cdm"))
        return try #require(Bundle(path: store.folder.path))
    }

    private func places<Value>(
        _ model: NSManagedObjectModel, at url: URL, _ options: [AnyHashable: Any] = [:],
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Places", at: url, options: options)
        defer { try? coordinator.remove(opened) }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait { try body(context) }
    }

    private func writePlaces() throws {
        try places(first, at: store.file) { (context: NSManagedObjectContext) throws in
            for name in ["Here", "There"] {
                NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
                    .setValue(name, forKey: "name")
            }
            try context.save()
        }
    }

    private func titles(at url: URL) throws -> [String?] {
        try places(second, at: url) { try $0.all("Place", by: "title").map { $0.value(forKey: "title") as? String } }
    }

    @Test func aStoreOfOneConfigurationIsMigratedWhereItIs() throws {
        try writePlaces()
        let bundle = try writeMapping()
        let request = StoreRequest(
            type: NSSQLiteStoreType, configuration: "Places", url: store.file, options: MigratedStore.migrating)
        let migration = StoreMigration(
            request: request, path: store.file.path, entities: try request.entities(of: second), model: second)
        #expect(
            try migration.migrateObjects {
                NSMappingModel(from: [bundle], forSourceModel: $0, destinationModel: second)
            })
        // The migration that is inferred would lose the names.
        #expect(try titles(at: store.file) == ["Here", "There"])
    }

    @Test func aManagerMigratesAStoreOfOneConfigurationToAnotherFile() throws {
        try writePlaces()
        let bundle = try writeMapping()
        let mapping = try #require(NSMappingModel(from: [bundle], forSourceModel: first, destinationModel: second))
        let moved = store.folder.appendingPathComponent("new.sqlite")
        try NSMigrationManager(sourceModel: first, destinationModel: second).migrateStore(
            from: store.file, type: .sqlite, mapping: mapping, to: moved, type: .sqlite)
        #expect(try titles(at: moved) == ["Here", "There"])
        let tables = try StoreFile(path: moved.path, isReadOnly: true, timeout: .zero).tableNames()
        #expect(!tables.contains("ZPERSON"), "the other entities are of other stores")
    }
}
