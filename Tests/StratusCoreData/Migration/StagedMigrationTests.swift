import Foundation
import StratusModelFiles
import Testing

@testable import StratusCoreData

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

    @Test(arguments: [false, true]) func aSecondHandlerThatDidNotEndRunsAgain(_ isLast: Bool) throws {
        struct Failure: Error {}
        let second = try second()
        let stage = NSCustomMigrationStage(migratingFrom: reference(MigratedStore.model()), to: reference(second))
        stage.didMigrateHandler = { _, _ in throw Failure() }
        let manager = NSStagedMigrationManager([stage])
        func open() throws { try store.open(isLast ? second : try third(), options(manager)) { _ in } }
        #expect(throws: Failure.self) { try open() }
        #expect(throws: Failure.self) { try open() }
        var runs = 0
        stage.didMigrateHandler = { manager, _ in
            runs += 1
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                try context.one("Person", "Ada").setValue("forty", forKey: "text")
                try context.save()
            }
        }
        for _ in 0..<2 { try open() }
        #expect(runs == 1)
        try store.open(isLast ? second : try third(), [:]) { (context: NSManagedObjectContext) throws in
            #expect(try context.one("Person", "Ada").value(forKey: isLast ? "text" : "age") as? String == "forty")
        }
    }

    @Test func aStoreInALaterStageSkipsTheFormerOnes() throws {
        let (second, third) = (try second(), try third())
        try store.open(try self.second()) { _ in }
        let stage = NSCustomMigrationStage(migratingFrom: reference(MigratedStore.model()), to: reference(second))
        stage.willMigrateHandler = { _, _ in Issue.record("The stage is done already.") }
        let manager = NSStagedMigrationManager([stage, NSLightweightMigrationStage([second.versionChecksum])])
        #expect(try store.open(third, options(manager)) { try $0.all("Person").count } == 3)
    }

    /// Versions of a model in a file, the last of which is the current one.
    private func versions(_ count: Int) throws -> (file: URL, models: [NSManagedObjectModel]) {
        let package = store.folder.appendingPathComponent("Persons.xcdatamodeld")
        let models = try (1...count).map { number in
            try MigratedStore.model {
                // The first one is the version that the store has.
                guard number > 1 else { return }
                try $0.entity("Place").attributesByName["name"]?.versionHashModifier = "\(number)"
            }
        }
        for (index, model) in models.enumerated() {
            let name = index == 0 ? "Persons" : "Persons \(index + 1)"
            let folder = package.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(ModelWriter.write(ModelDocument(model.entities)))
                .write(to: folder.appendingPathComponent("contents"))
        }
        let current: [String: Any] = ["_XCCurrentVersionName": "Persons \(count).xcdatamodel"]
        try PropertyListSerialization.data(fromPropertyList: current, format: .xml, options: 0)
            .write(to: package.appendingPathComponent(".xccurrentversion"))
        return (package, models)
    }

    @Test(arguments: [1, 9, 10, 11]) func checksumsOfApplesAreReplacedByTheOrderOfVersions(_ version: Int) throws {
        let (file, models) = try versions(12)
        try store.open(models[version - 1]) { _ in }
        let stage = NSCustomMigrationStage(migratingFrom: reference(models[1]), to: reference(models[9]))
        var steps = 0
        stage.willMigrateHandler = { _, _ in steps += 1 }
        let manager = NSStagedMigrationManager([
            NSLightweightMigrationStage(["Apple's first", "Apple's second"]), stage,
            NSLightweightMigrationStage(["Apple's tenth", "Apple's last"]),
        ])
        let model = try #require(NSManagedObjectModel(contentsOf: file))
        #expect(try store.open(model, options(manager)) { try $0.all("Person").count } == 3)
        #expect(steps == (version == 1 ? 1 : 0))
    }
}
