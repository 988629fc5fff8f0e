import Foundation
import Testing

@testable import StratusCoreData

@Suite struct StoreFileAttackTests {
    private func kind(_ body: () throws -> Void) -> StoreFailure.Kind? {
        #expect(throws: StoreFailure.self, performing: body)?.kind
    }

    @Test func whatIsNoStoreIsRefusedAndUntouched() throws {
        let fixture = try StoreFixture()
        let url = URL(fileURLWithPath: fixture.path)
        let text = Data(String(repeating: "not a database ", count: 400).utf8)
        try text.write(to: url)
        #expect(kind { _ = try fixture.open() } == .damaged)
        #expect(try Data(contentsOf: url) == text)
        try FileManager.default.removeItem(at: url)
        try fixture.inFile { try $0.execute("CREATE TABLE ZWORK (Z_PK INTEGER PRIMARY KEY)") }
        let foreign = try Data(contentsOf: url)
        #expect(kind { _ = try fixture.open() } == .notAStore)
        #expect(try Data(contentsOf: url) == foreign)
    }

    @Test func aDamagedFileIsAnError() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        for _ in 0..<200 { try store.insert(try store.make("Tag", ["name": .string(UUID().uuidString)])) }
        let key = RowKey(entity: "Tag", primaryKey: 150)
        store.close()
        let url = URL(fileURLWithPath: fixture.path)
        var bytes = try Data(contentsOf: url)
        // All pages but the first, which has the schema's root.
        for index in bytes.indices where index >= 4_096 { bytes[index] = 0xA5 }
        try bytes.write(to: url)
        #expect(kind { _ = try fixture.open().rows([key]) } == .damaged)
    }

    @Test(arguments: [
        "UPDATE Z_METADATA SET Z_PLIST = x'00FF'", "DELETE FROM Z_METADATA", "UPDATE Z_METADATA SET Z_UUID = NULL",
        "DROP TABLE ZTAG", "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZOTHER", "DROP TABLE Z_3WORKS",
    ])
    func aStoreWithoutItsPartsIsDamaged(_ sql: String) throws {
        let fixture = try StoreFixture()
        try fixture.open().close()
        try fixture.inFile { try $0.execute(sql) }
        #expect(kind { _ = try fixture.open() } == .damaged)
    }

    @Test(arguments: [
        "UPDATE ZWORK SET ZUUID = x'0102'", "UPDATE ZWORK SET ZCODE = CAST(x'FF' AS TEXT)",
        "UPDATE ZWORK SET ZFAVOURITE = 1, Z4_FAVOURITE = 99",
        // A tag, and a work that is neither a book nor a film.
        "UPDATE ZWORK SET ZFAVOURITE = 1, Z4_FAVOURITE = 3", "UPDATE ZWORK SET ZFAVOURITE = 1, Z4_FAVOURITE = 4",
        "UPDATE ZWORK SET ZCOVER = x'09'",
    ])
    func aValueOfAnotherTypeIsAnErrorThatNamesTheAttribute(_ sql: String) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let book = try store.make("Book")
        try store.insert(book)
        try fixture.inFile { try $0.execute(sql) }
        let error = #expect(throws: StoreFailure.self) { try store.rows([book.key]) }
        #expect(error?.kind == .damaged)
        #expect(error?.description.contains("of 'Book' \(book.key.primaryKey)") == true)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "-1", "0"])
    func numbersBeyondTheirRangeAreErrors(_ number: String) throws {
        let fixture = try StoreFixture()
        let options = SQLiteRowStore.Options(recordsHistory: true)
        var store = try fixture.open(nil, options)
        let tag = try store.make("Tag", ["name": .string("a")])
        let (book, chapter) = (try store.make("Book"), try store.make("Chapter", ["work": .null]))
        try store.insert(tag, book, chapter)
        let value = try #require(Int64(number))

        try fixture.inFile { try $0.execute("UPDATE ZTAG SET Z_OPT = \(number)") }
        let read = try #require(try store.rows([tag.key])[tag.key])
        #expect(read.version == value)
        let update = RowUpdate(row: read, changed: [])
        if value == .max { #expect(kind { _ = try store.save(RowChanges(updated: [update])) } == .damaged) }

        guard value <= 0 else {
            // No key and no number follows.
            try fixture.inFile { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(number)") }
            #expect(kind { _ = try store.obtainKeys(["Tag": 1]) } == .damaged)
            #expect(kind { _ = try store.save(RowChanges(deleted: [.init(key: book.key, version: 1)])) } == .damaged)
            return
        }
        try fixture.inFile { try $0.execute("UPDATE ZCHAPTER SET ZWORK = \(number), Z4_WORK = 5") }
        #expect(kind { _ = try store.rows([chapter.key]) } == .damaged)
        try fixture.inFile { connection in
            try connection.execute("UPDATE ZTAG SET Z_PK = \(number); UPDATE ACHANGE SET ZENTITYPK = \(number)")
        }
        #expect(kind { _ = try store.fetch(FetchPlan(entity: "Tag")) } == .damaged)
        #expect(kind { _ = try store.fetch(FetchPlan(entity: "Tag", result: .keys)) } == .damaged)
        #expect(kind { _ = try store.transactions(after: nil, includesChanges: true) } == .damaged)
        store.close()
        try fixture.inFile { try $0.execute("UPDATE Z_PRIMARYKEY SET Z_ENT = \(number) WHERE Z_NAME = 'Tag'") }
        #expect(kind { store = try fixture.open(nil, options) } == .damaged)
    }

    @Test(arguments: [3, 4]) func aRowOfAnEntityThatCannotBeThereIsAnError(_ number: Int) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let (first, second) = (try store.make("Book"), try store.make("Book"))
        let alike = ToManyChange(owner: first.key, relationship: "alike", added: [second.key])
        _ = try store.save(RowChanges(inserted: [first, second], toMany: [alike]))
        #expect(try store.destinations(of: "alike", from: first.key) == [second.key])
        let key = second.key.primaryKey
        try fixture.inFile { try $0.execute("UPDATE ZWORK SET Z_ENT = \(number) WHERE Z_PK = \(key)") }
        #expect(kind { _ = try store.destinations(of: "alike", from: first.key) } == .damaged)
        guard number == 4 else { return }
        #expect(kind { _ = try store.fetch(FetchPlan(entity: "Work")) } == .damaged)
        #expect(kind { _ = try store.fetch(FetchPlan(entity: "Work", result: .keys)) } == .damaged)
    }

    @Test func aFileThatIsMissingIsNotCreatedUnlessAskedFor() throws {
        let fixture = try StoreFixture()
        #expect(kind { _ = try fixture.open(nil, .init(createsFile: false)) } == .missing)
        #expect(kind { _ = try fixture.open(nil, .init(isReadOnly: true)) } == .missing)
        #expect(!FileManager.default.fileExists(atPath: fixture.path))
    }

    @Test func aReadOnlyStoreIsReadAndNotWritten() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let tag = try store.make("Tag", ["name": .string("a")])
        try store.insert(tag)
        let reader = try fixture.open(nil, .init(isReadOnly: true))
        #expect(try reader.value("name", of: tag.key) == .string("a"))
        #expect(kind { try reader.insert(tag) } == .readOnly)
        #expect(kind { _ = try reader.obtainKeys(["Tag": 1]) } == .readOnly)
    }

    @Test func aPragmaIsOneWordWithOneValue() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(nil, .init(pragmas: ["journal_mode": "DELETE", "synchronous": "2"]))
        store.close()
        #expect(
            kind { _ = try fixture.open(nil, .init(pragmas: ["synchronous": "1; DROP TABLE ZTAG"])) } == .unsupported)
        #expect(kind { _ = try fixture.open(nil, .init(pragmas: ["a=1;b": "1"])) } == .unsupported)
    }

    @Test(arguments: ["na\u{0}me", "na.me"])
    func aNameWithANULOrADotIsRefused(_ name: String) throws {
        let fixture = try StoreFixture()
        fixture.model.entitiesByName["Tag"]?.propertiesByName["name"]?.name = name
        #expect(kind { _ = try fixture.open() } == .unsupported)
    }

    @Test func aClosedStoreSaysSo() throws {
        let store = try StoreFixture().open(":memory:")
        store.close()
        #expect(kind { _ = try store.rows([RowKey(entity: "Tag", primaryKey: 1)]) } == .closed)
    }
}
