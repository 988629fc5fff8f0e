import Foundation
import StratusSQLite
import Testing

@testable import StratusCoreData

/// The history that a store keeps of its saves.
@Suite struct StoreHistoryTests {
    private let fixture: StoreFixture
    private let store: SQLiteRowStore

    init() throws {
        fixture = try StoreFixture()
        let code = fixture.model.entitiesByName["Work"]?.attributesByName["code"]
        code?.preservesValueInHistoryOnDeletion = true
        fixture.model.entitiesByName["Book"]?.attributesByName["cover"]?.preservesValueInHistoryOnDeletion = true
        store = try fixture.open(nil, .init(recordsHistory: true))
    }

    private func save(_ changes: RowChanges, author: String? = nil) throws {
        var changes = changes
        changes.origin = SaveOrigin(author: author, contextName: "c", bundleIdentifier: nil, process: "p")
        _ = try store.save(changes)
    }

    private func all(after number: Int64? = nil) throws -> [StoredTransaction] {
        try #require(try store.transactions(after: number, includesChanges: true))
    }

    @Test func savesAreTransactionsWithTheirChanges() throws {
        let before = Date()
        let book = try store.make("Book", ["code": .string("a"), "cover": .data(Data([1, 2]))])
        let tag = try store.make("Tag")
        try save(RowChanges(inserted: [book, tag]), author: "me")
        var update = RowChanges(updated: [try store.set("count", to: .integer(1), of: book.key, version: 1)])
        update.toMany = [
            ToManyChange(owner: book.key, relationship: "tags", added: [tag.key]),
            ToManyChange(owner: tag.key, relationship: "works", added: [book.key], order: [book.key]),
        ]
        try save(update)
        try save(RowChanges(deleted: [RowDeletion(key: book.key, version: 2)]))

        let found = try all()
        #expect(found.map(\.number) == [1, 2, 3])
        #expect(found.map(\.origin.author) == ["me", nil, nil])
        #expect(found.allSatisfy { $0.origin.contextName == "c" && $0.origin.process == "p" })
        #expect(found.allSatisfy { $0.date >= before && $0.date <= Date() })
        #expect(found[0].changes.map(\.kind) == [.insert, .insert])
        #expect(found[0].changes.map(\.key) == [book.key, tag.key])
        #expect(found[1].changes.map(\.key) == [book.key, tag.key])
        #expect(found[1].changes.map(\.updated) == [["count", "tags"], ["works"]])
        #expect(found[2].changes.map(\.kind) == [.delete])
        #expect(found[2].changes[0].tombstone == ["code": .string("a"), "cover": .data(Data([1, 2]))])
        #expect(try all(after: 2).map(\.number) == [3])
        #expect(try store.transactions(after: 2, includesChanges: false)?.first?.changes.isEmpty == true)
        #expect(try store.lastTransaction() == 3)
    }

    /// As Apple's Core Data writes it: the properties in the order of their names, the first in the highest bit.
    @Test func changedPropertiesAreBits() throws {
        let book = try store.make("Book", ["code": .string("a")])
        try store.insert(book)
        let update = RowUpdate(
            row: try store.row(book.key, version: 1, ["code": .string("b"), "uuid": .uuid(UUID())]),
            changed: ["code", "uuid"].compactMap { try? store.layout.entity("Book").positions[$0] })
        try save(RowChanges(updated: [update]))
        let names = try store.layout.entity("Book").history.names
        #expect(names.prefix(3) == ["alike", "chapters", "code"] && names.last == "uuid" && names.count == 15)
        let bits = try fixture.inFile { file in
            try file.prepare("SELECT ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1").first { $0.blob(0) ?? [] }
        }
        #expect(bits == [0b0010_0000, 0b0000_0010])
        // A bit beyond the properties, as after a migration, makes the changed properties unknown.
        try fixture.inFile { try $0.execute("UPDATE ACHANGE SET ZCOLUMNS = x'0001' WHERE ZCHANGETYPE = 1") }
        let change = try #require(try all().last?.changes.first)
        #expect(change.kind == .update && change.updated == nil)
    }

    @Test func deletedHistoryMakesOlderPositionsExpire() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        for index in 0..<4 { try store.insert(try store.make("Book", ["code": .string("\(index)")])) }
        try store.deleteHistory(before: date)
        #expect(try all().count == 4)
        try store.deleteHistory(before: 3)
        #expect(try all().map(\.number) == [3, 4])
        #expect(try store.transactions(after: 1, includesChanges: true) == nil)
        #expect(try store.transactions(after: 2, includesChanges: true)?.count == 2)
        try store.deleteHistory(before: Date.distantFuture)
        #expect(try store.transactions(after: 3, includesChanges: true) == nil)
        #expect(try store.transactions(after: 4, includesChanges: true) == [] && store.lastTransaction() == 4)
        let changes = try fixture.inFile { try $0.prepare("SELECT count(*) FROM ACHANGE").first { $0.integer(0) } }
        #expect(changes == 0)
        try store.insert(try store.make("Book", ["code": .string("x")]))
        #expect(try all(after: 4).map(\.number) == [5])
    }

    @Test func aSaveThatFailsIsNotInTheHistory() throws {
        let book = try store.make("Book", ["code": .string("a")])
        try store.insert(book)
        let stale = try store.set("count", to: .integer(1), of: book.key, version: 7)
        #expect(throws: SaveFailure.self) { try save(RowChanges(updated: [stale])) }
        try save(RowChanges())
        #expect(try all().count == 1)
    }

    @Test func aStoreWithAHistoryIsOnlyReadWithoutIt() throws {
        try store.insert(try store.make("Book", ["code": .string("a")]))
        let other = try fixture.open()
        #expect(other.isReadOnly)
        let error = #expect(throws: StoreFailure.self) {
            try other.save(
                RowChanges(inserted: [StoredRow(key: RowKey(entity: "Tag", primaryKey: 9), version: 0, values: [.null])]
                ))
        }
        #expect(error?.kind == .readOnly)
        #expect(throws: StoreFailure.self) { try other.transactions(after: 0, includesChanges: true) }
        let reader = try fixture.open(nil, .init(isReadOnly: true, recordsHistory: true))
        #expect(try reader.transactions(after: 0, includesChanges: true)?.count == 1)
    }

    @Test func tablesOfOlderSystemsGetWhatTheyLack() throws {
        try store.insert(try store.make("Book", ["code": .string("a")]))
        store.close()
        try fixture.inFile { file in
            try file.execute(
                """
                DROP TABLE ATRANSACTIONSTRING; DROP TABLE ATRANSACTION;
                CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT,
                    ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR);
                INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 5, 'old', NULL, NULL, 'p');
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTIONSTRING'
                """)
        }
        let store = try fixture.open(nil, .init(recordsHistory: true))
        var changes = RowChanges(inserted: [try store.make("Book", ["code": .string("b")])])
        changes.origin = SaveOrigin(author: "new", contextName: nil, bundleIdentifier: nil, process: nil)
        _ = try store.save(changes)
        let found = try #require(try store.transactions(after: nil, includesChanges: true))
        #expect(found.map(\.origin.author) == ["old", "new"] && found.map(\.changes.count) == [1, 1])
    }
}
