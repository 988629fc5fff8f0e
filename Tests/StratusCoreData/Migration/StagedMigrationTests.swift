import Foundation
import StratusCoreData
import Testing

/// Migrations in stages, with work of the program between them.
@Suite struct StagedMigrationTests {
    private let store: MigratedStore

    init() throws {
        store = try MigratedStore()
        try store.write(MigratedStore.model())
    }

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    /// The second version has a text besides the number of the age.
    private func second() throws -> NSManagedObjectModel {
        try MigratedStore.model { try $0.entity("Person").properties += [NSAttributeDescription.make("text", .string)] }
    }

    /// The third version has only the text.
    private func third() throws -> NSManagedObjectModel {
        try MigratedStore.model { model in
            let person = try model.entity("Person")
            person.properties = person.properties.filter { $0.name != "age" }
            let age = NSAttributeDescription.make("age", .string)
            age.renamingIdentifier = "text"
            person.properties += [age]
        }
    }

    private func options(_ manager: NSStagedMigrationManager) -> [AnyHashable: Any] {
        var options = MigratedStore.migrating
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager
        return options
    }

    @Test func aStageChangesTheTypeOfAnAttribute() throws {
        let (first, second, third) = (MigratedStore.model(), try second(), try third())
        #expect(store.failure(try self.third(), [:])?.code == 134_100)
        let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
        var steps: [String] = []
        stage.willMigrateHandler = { manager, _ in
            steps.append("will")
            let model = try #require(manager.container?.managedObjectModel)
            #expect(model.entitiesByName["Person"]?.attributesByName["text"] == nil)
        }
        stage.didMigrateHandler = { manager, _ in
            steps.append("did")
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for person in try context.all("Person") {
                    guard let age = person.value(forKey: "age") as? NSNumber else { continue }
                    person.setValue("\(age) years", forKey: "text")
                }
                try context.save()
            }
        }
        let last = NSLightweightMigrationStage([second.versionChecksum, third.versionChecksum])
        let manager = NSStagedMigrationManager([stage, last])
        let ages = try store.open(third, options(manager)) { context in
            try context.all("Person").map { $0.value(forKey: "age") as? String }
        }
        #expect(ages == ["40 years", nil, nil])
        #expect(steps == ["will", "did"])
        #expect(manager.container == nil)
    }

    @Test func aHandlersErrorIsThrownAndTheMigrationGoesOnLater() throws {
        struct Failure: Error {}
        let (second, third) = (try second(), try third())
        let stage = NSCustomMigrationStage(migratingFrom: reference(MigratedStore.model()), to: reference(second))
        stage.willMigrateHandler = { _, _ in throw Failure() }
        let manager = NSStagedMigrationManager([stage])
        #expect(throws: Failure.self) { try store.open(third, options(manager)) { _ in } }
        #expect(try store.open(MigratedStore.model(), [:]) { try $0.all("Person").count } == 3)
        stage.willMigrateHandler = nil
        #expect(try store.open(try self.third(), options(manager)) { try $0.all("Person").count } == 3)
    }

    @Test func aStoreInALaterStageSkipsTheFormerOnes() throws {
        let (second, third) = (try second(), try third())
        try store.open(try self.second()) { _ in }
        let stage = NSCustomMigrationStage(migratingFrom: reference(MigratedStore.model()), to: reference(second))
        stage.willMigrateHandler = { _, _ in Issue.record("The stage is done already.") }
        let manager = NSStagedMigrationManager([stage, NSLightweightMigrationStage([second.versionChecksum])])
        #expect(try store.open(third, options(manager)) { try $0.all("Person").count } == 3)
    }
}
