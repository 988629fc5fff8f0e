import Foundation
import Testing

@testable import StratusCoreData

@Suite struct StoreSchemaTests {
    @Test func theSchemaHasApplesNames() throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        let (tables, columns, numbers) = try fixture.inFile { file in
            let tables = try file.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .all { $0.text(0) ?? "" }
            let columns = try ["ZWORK", "ZCHAPTER", "Z_3WORKS", "Z_4ALIKE"].map { table in
                try file.prepare("PRAGMA table_info(\"\(table)\")").all { "\($0.text(1) ?? "") \($0.text(2) ?? "")" }
            }
            let numbers = try file.prepare("SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
                .all { "\($0.text(0) ?? "") \($0.integer(1) ?? 0) \($0.integer(2) ?? 0)" }
            return (tables, columns, numbers)
        }
        #expect(numbers == ["Chapter 1 0", "Sheet \"1\" 2 0", "Tag 3 0", "Work 4 0", "Book 5 4", "Film 6 4"])
        #expect(
            tables == [
                "ZCHAPTER", "ZSHEET \"1\"", "ZTAG", "ZWORK", "Z_3WORKS", "Z_4ALIKE", "Z_METADATA", "Z_MODELCACHE",
                "Z_PRIMARYKEY",
            ])
        #expect(
            columns[0] == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZCODE VARCHAR", "ZCONTENT BLOB", "ZCOUNT INTEGER",
                "ZFAVOURITE INTEGER", "Z4_FAVOURITE INTEGER", "ZISNEW INTEGER", "ZLINK VARCHAR", "ZMADE TIMESTAMP",
                "ZPRICE DECIMAL", "ZRATING FLOAT", "ZUUID BLOB", "ZCOVER BLOB", "ZPAGES INTEGER", "ZPAGES1 VARCHAR",
            ])
        #expect(
            columns[1] == [
                "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZTITLE VARCHAR", "ZWORK INTEGER",
                "Z4_WORK INTEGER", "Z_FOK_WORK INTEGER", "Z6SCENES INTEGER",
            ])
        #expect(columns[3] == ["REFLEXIVE INTEGER", "Z_4ALIKE INTEGER"])
    }

    @Test func indexesAreOfRelationshipsConstraintsAndTheModel() throws {
        let fixture = try StoreFixture()
        let tag = try #require(fixture.model.entitiesByName["Tag"])
        let name = try #require(tag.propertiesByName["name"])
        let element = NSFetchIndexElementDescription(property: name, collationType: .binary)
        element.isAscending = false
        tag.indexes = [NSFetchIndexDescription(name: "byName", elements: [element])]
        try fixture.open().close()
        let indexes = try fixture.inFile { file in
            try file.prepare("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").all {
                $0.text(0) ?? ""
            }
        }
        #expect(indexes.contains(#"CREATE INDEX "Z_Tag_byName" ON "ZTAG" ("ZNAME" COLLATE BINARY DESC)"#))
        #expect(
            indexes.contains(#"CREATE UNIQUE INDEX "Z_Work_UNIQUE_ZCODE" ON "ZWORK" ("ZCODE" COLLATE BINARY ASC)"#))
        #expect(
            indexes.contains(#"CREATE INDEX "ZCHAPTER_ZWORK_INDEX" ON "ZCHAPTER" ("ZWORK" COLLATE BINARY ASC)"#))
    }

    @Test func metadataStaysAndTheModelCannotBeReplaced() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        var metadata = try store.metadata()
        #expect(metadata["NSStoreUUID"] as? String == store.identifier)
        metadata["token"] = Data([1, 2])
        metadata["NSStoreModelVersionHashes"] = [String: Data]()
        metadata["NSStoreUUID"] = "another"
        try store.setMetadata(metadata)
        #expect(throws: StoreFailure.self) { try store.setMetadata(["bad": NSObject()]) }
        store.close()
        let again = try fixture.open()
        #expect(again.identifier == store.identifier)
        #expect(try again.metadata()["token"] as? Data == Data([1, 2]))
    }

    @Test func aStoreOfAnotherModelIsRefusedByTheNamesOfItsEntities() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let hashes = try #require(try store.metadata()["NSStoreModelVersionHashes"] as? [String: Data])
        store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        fixture.model.entitiesByName["Tag"]?.versionHashModifier = "2"
        let error = #expect(throws: StoreFailure.self) { try fixture.open() }
        #expect(error?.kind == .otherModel && error?.cocoaCode == 134_100)
        #expect(error?.description.contains("'Tag'") == true && error?.description.contains("'Work'") == false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
        // Hashes that another version of Core Data computed are accepted if the caller knows them.
        _ = try fixture.open(nil, .init(acceptedHashes: [hashes]))
    }

    /// Apple's Core Data leaves the former name of a renamed entity in the file.
    @Test func anEntityWithAFormerNameIsFoundByItsPlace() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let book = try store.make("Book")
        try store.insert(book)
        store.close()
        try fixture.inFile { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Novel' WHERE Z_NAME = 'Book'") }
        #expect(try fixture.open().rows([book.key])[book.key] != nil)
    }

    @Test func numbersOfAnExistingFileCount() throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        try fixture.inFile { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_ENT = 77 WHERE Z_NAME = 'Book'") }
        let store = try fixture.open()
        let book = try store.make("Book")
        try store.insert(book)
        #expect(try fixture.inFile { try $0.prepare("SELECT Z_ENT FROM ZWORK").first { $0.integer(0) } } == 77)
        #expect(try store.rows([book.key])[book.key] != nil)
    }
}
