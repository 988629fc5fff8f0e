import Foundation
import StratusCompatibility
import Testing

@testable import StratusCoreData

/// Migrations object by object, by mapping models.
@Suite struct MappingModelTests {
    private let store: MigratedStore
    private var destination: URL { store.folder.appendingPathComponent("new.sqlite") }

    init() throws {
        store = try MigratedStore()
        try store.write(MigratedStore.model())
    }

    /// A model in which persons have a text for their age, and pets are animals.
    private func changed() throws -> NSManagedObjectModel {
        try MigratedStore.model { model in
            try model.entity("Person").attributesByName["age"]?.type = .string
            let pet = try model.entity("Pet")
            pet.name = "Animal"
            pet.renamingIdentifier = "Pet"
        }
    }

    private func renamed() throws -> NSManagedObjectModel {
        try MigratedStore.model {
            try $0.entity("Pet").name = "Animal"; try $0.entity("Animal").renamingIdentifier = "Pet"
        }
    }

    private func expectFamily(_ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: destination)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let ada = try context.one("Person", "Ada")
            #expect(ada.entity.name == "Employee")
            #expect(ada.value(forKey: "salary") as? Double == 1.5)
            #expect((ada.value(forKey: "photo") as? Data)?.count == 200_000)
            #expect(ada.labels("pets") == ["Rex", "Bo"])
            #expect(ada.labels("friends") == ["Eve", "Bob"])
            #expect(ada.labels("places") == ["Here", "There"])
            #expect((ada.value(forKey: "favourite") as? NSManagedObject)?.entity.name == "Animal")
        }
    }

    @Test(arguments: [true, false]) func anInferredMappingMigratesInTheDatabaseAndByObjects(inDatabase: Bool) throws {
        let (first, second) = (MigratedStore.model(), try renamed())
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: first, destinationModel: second)
        #expect(
            mapping.entityMappings.compactMap(\.name).sorted() == [
                "IEM_Copy_Place", "IEM_Transform_Animal", "IEM_Transform_Employee", "IEM_Transform_Person",
            ])
        let manager = NSMigrationManager(sourceModel: first, destinationModel: second)
        manager.usesStoreSpecificMigrationManager = inDatabase
        try manager.migrateStore(from: store.file, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
        #expect(manager.migrationProgress == 1)
        try expectFamily(second)
        // The source is as it was.
        #expect(try store.open(MigratedStore.model(), [:]) { try $0.all("Person").count } == 3)
    }

    @Test func whatCannotBeInferredIsAnError() throws {
        let error = #expect(throws: CocoaError.self) {
            try NSMappingModel.inferredMappingModel(
                forSourceModel: MigratedStore.model(), destinationModel: try changed())
        }
        #expect(error?.code == .inferredMappingModel)
    }

    /// Mappings of persons and employees to `changed()`, by names.
    private func mappingModel(policy: String?) throws -> NSMappingModel {
        func property(_ name: String, _ format: String) throws -> NSPropertyMapping {
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.value = try #require(NSExpressionOf.format(format))
            return mapping
        }
        let names = [("Pet", "Animal"), ("Place", "Place"), ("Person", "Person"), ("Employee", "Employee")]
        let mappings = try names.map { source, destination in
            let mapping = NSEntityMapping()
            mapping.name = "\(source)To\(destination)"
            mapping.mappingType = .customEntityMappingType
            mapping.sourceEntityName = source
            mapping.destinationEntityName = destination
            mapping.attributeMappings = [try property("name", "$source.name")]
            guard source == "Person" || source == "Employee" else { return mapping }
            mapping.entityMigrationPolicyClassName = policy
            let age = #"FUNCTION($entityPolicy, "textOfAge:", $source.age)"#
            mapping.attributeMappings? += try [property("photo", "$source.photo"), property("age", age)]
            if source == "Employee" { mapping.attributeMappings?.append(try property("salary", "$source.salary")) }
            let call = #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "#
            mapping.relationshipMappings = [
                try property("pets", call + #""PetToAnimal", $source.pets)"#),
                try property("favourite", call + #""PetToAnimal", $source.favourite)"#),
                try property("places", call + #""PlaceToPlace", $source.places)"#),
                try property("friends", call + #""PersonToPerson", $source.friends)"#),
            ]
            return mapping
        }
        let model = NSMappingModel()
        model.entityMappings = mappings
        return model
    }

    private func migrate(policy: (some NSEntityMigrationPolicy).Type) throws -> NSMigrationManager {
        let manager = NSMigrationManager(sourceModel: MigratedStore.model(), destinationModel: try changed())
        manager.userInfo = ["unit": "years"]
        manager.log = []
        let mapping = try mappingModel(policy: NSStringFromClass(policy))
        try manager.migrateStore(from: store.file, type: .sqlite, mapping: mapping, to: destination, type: .sqlite)
        return manager
    }

    @Test func aPolicyComputesValuesInApplesOrder() throws {
        let manager = try migrate(policy: AgePolicy.self)
        try expectFamily(try changed())
        let log = manager.log
        let first = try #require(log.firstIndex(of: "relationships"))
        #expect(log.filter { $0 == "create" }.count == 3)
        #expect(!log[first...].contains("create"))
        #expect(log.first == "begin")
        #expect(Array(log.suffix(4)) == ["validate", "end", "validate", "end"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try changed())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: destination)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let ages = try context.performAndWait { try context.all("Person").map { $0.value(forKey: "age") as? String } }
        #expect(ages == ["40 years", nil, nil])
    }

    @Test func failuresLeaveNoNewStore() throws {
        let cancelled = #expect(throws: CocoaError.self) { try migrate(policy: CancellingPolicy.self) }
        #expect(cancelled?.code == .migrationCancelled)
        let unknown = #expect(throws: CocoaError.self) { try migrate(policy: NSEntityMigrationPolicy.self) }
        #expect(unknown?.code == .entityMigrationPolicy)
        #expect(!FileManager.default.fileExists(atPath: destination.path))
    }
}

extension NSMigrationManager {
    /// The steps that policies note.
    fileprivate var log: [String] {
        get { userInfo?["log"] as? [String] ?? [] }
        set { userInfo?["log"] = newValue }
    }
}

/// Makes texts of ages, and notes the steps.
final class AgePolicy: NSEntityMigrationPolicy {
    private var unit = ""

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        manager.log.append("begin")
        unit = manager.userInfo?["unit"] as? String ?? ""
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        manager.log.append("create")
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        manager.log.append("relationships")
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        manager.log.append("validate")
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { manager.log.append("end") }

    override func value(forSelector selector: String, arguments: [Any?]) throws -> Any? {
        #expect(selector == "textOfAge:")
        return (arguments.first as? NSNumber).map { "\($0) \(unit)" }
    }
}

/// Ends the migration when the first object is migrated.
final class CancellingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        manager.cancelMigrationWithError(CocoaError(.migrationCancelled))
    }
}
