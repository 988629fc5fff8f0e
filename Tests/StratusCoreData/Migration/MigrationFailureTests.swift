import Foundation
import StratusCoreData
import Testing

/// Migrations that are not possible: Cocoa's error, and the store as it was.
@Suite struct MigrationFailureTests {
    private let store: MigratedStore

    init() throws {
        store = try MigratedStore()
        try store.write(MigratedStore.model())
    }

    private func expectUnchanged() throws {
        try store.open(MigratedStore.model(), [:]) { (context: NSManagedObjectContext) throws in
            #expect(try context.all("Person").count == 3)
            #expect(try context.one("Person", "Ada").labels("pets") == ["Rex", "Bo"])
        }
        #expect(try store.inFile { try $0.prepare("PRAGMA integrity_check").first { $0.text(0) } } == "ok")
    }

    private func changed(_ change: (NSAttributeDescription) -> Void) throws -> NSManagedObjectModel {
        try MigratedStore.model { change(try #require(try $0.entity("Person").attributesByName["note"])) }
    }

    @Test func aStoreIsMigratedOnlyWithTheOption() throws {
        let model = try changed { $0.name = "text" }
        #expect(store.failure(model, [:])?.code == 134_100)
        #expect(store.failure(model, [NSMigratePersistentStoresAutomaticallyOption: true])?.code == 134_140)
        var options = MigratedStore.migrating
        options[NSReadOnlyPersistentStoreOption] = true
        #expect(store.failure(model, options)?.code == 134_100)
        try expectUnchanged()
    }

    @Test func changesThatCannotBeInferredAreErrors() throws {
        let models = [
            try changed { $0.type = .date },
            try MigratedStore.model { try $0.entity("Person").relationshipsByName["pets"]?.maxCount = 1 },
            try MigratedStore.model { model in
                let parent = StoreFixture.entity("Thing")
                parent.subentities = [try model.entity("Pet"), try model.entity("Place")]
                model.entities += [parent]
            },
            try MigratedStore.model { model in
                try model.entity("Person").relationshipsByName["favourite"]?.destinationEntity =
                    try model.entity("Place")
            },
        ]
        for model in models {
            let failure = try #require(store.failure(model))
            #expect(failure.domain == NSCocoaErrorDomain && failure.code == 134_140)
            #expect((failure.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 134_190)
            try expectUnchanged()
        }
    }

    @Test func requiredValuesNeedADefault() throws {
        let model = try changed { $0.isOptional = false }
        let failure = try #require(store.failure(model))
        #expect(failure.code == 134_110)
        #expect(failure.userInfo["attribute"] as? String == "note")
        try expectUnchanged()
        let other = try changed {
            $0.isOptional = false
            $0.defaultValue = "none"
        }
        try store.open(other) { (context: NSManagedObjectContext) throws in
            #expect(try context.one("Person", "Eve").value(forKey: "note") as? String == "none")
            #expect(try context.one("Person", "Ada").value(forKey: "note") as? String == "old")
        }
    }

    @Test func valuesThatMustBeUniqueAreChecked() throws {
        try store.open(MigratedStore.model()) { (context: NSManagedObjectContext) throws in
            for object in try context.all("Place") { object.setValue("same", forKey: "name") }
            try context.save()
        }
        let model = try MigratedStore.model { try $0.entity("Place").uniquenessConstraints = [["name"]] }
        #expect(store.failure(model)?.code == 134_111)
        try expectUnchanged()
    }

    @Test func aStoreWithoutAKnownModelIsAnError() throws {
        try store.inFile { try $0.execute("DELETE FROM Z_MODELCACHE") }
        #expect(store.failure(try changed { $0.name = "text" })?.code == 134_130)
        try expectUnchanged()
    }

    @Test func aDamagedFileIsAnError() throws {
        let handle = try FileHandle(forWritingTo: store.file)
        try handle.truncate(atOffset: 6_000)
        try handle.close()
        let damaged = try Data(contentsOf: store.file)
        let failure = try #require(store.failure(try changed { $0.name = "text" }))
        #expect(failure.code == 259)
        #expect(try Data(contentsOf: store.file) == damaged)
    }

    @Test func aStoreThatIsOpenIsNotMigrated() throws {
        var options = MigratedStore.migrating
        options[NSPersistentStoreTimeoutOption] = 0
        try store.open(MigratedStore.model()) { (context: NSManagedObjectContext) throws in
            _ = try context.all("Person")
            #expect(store.failure(try changed { $0.name = "text" }, options)?.code == 134_090)
        }
        try expectUnchanged()
    }
}
