import Foundation
import StratusCoreData
import Testing

@Suite struct NSPersistentStoreDescriptionTests {
    @Test func theDefaultsAreApples() {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        #expect(description.type == NSSQLiteStoreType)
        #expect(description.configuration == nil)
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
        #expect(!description.isReadOnly && !description.shouldAddStoreAsynchronously)
        #expect(description.timeout == 240)
        #expect(description.sqlitePragmas.isEmpty)
    }

    @Test func propertiesAreOptions() {
        let description = NSPersistentStoreDescription()
        description.isReadOnly = true
        description.shouldMigrateStoreAutomatically = false
        description.timeout = 5
        description.setValue("WAL" as NSString, forPragmaNamed: "journal_mode")
        description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
        description.setValue(nil, forPragmaNamed: "synchronous")
        #expect(description.options[NSReadOnlyPersistentStoreOption] == NSNumber(value: true))
        #expect(description.options[NSMigratePersistentStoresAutomaticallyOption] == NSNumber(value: false))
        #expect(description.timeout == 5)
        #expect(description.sqlitePragmas == ["journal_mode": "WAL" as NSString])
        description.setOption(nil, forKey: NSReadOnlyPersistentStoreOption)
        #expect(!description.isReadOnly)
    }

    @Test func aCopyIsEqualUntilItIsChanged() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/a.sqlite"))
        description.configuration = "Cloud"
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy == description && copy.hash == description.hash)
        copy.setOption("x" as NSString, forKey: "own")
        #expect(copy != description)
        #expect(description.options["own"] == nil)
    }
}
