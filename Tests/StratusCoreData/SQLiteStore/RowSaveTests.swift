import Foundation
import Testing

@testable import StratusCoreData

@Suite struct RowSaveTests {
    /// Swift's texts are equal, but SQLite's are not.
    @Test func uniqueTextsAreComparedByTheirBytes() throws {
        let store = try StoreFixture().open(":memory:")
        let texts = ["\u{E9}", "e\u{301}"]
        let books = try texts.map { try store.make("Book", ["code": .string($0)]) }
        _ = try store.save(RowChanges(inserted: books))
        let again = try store.make("Book", ["code": .string(texts[1])])
        #expect(throws: SaveFailure.self) { try store.insert(again) }
    }

    @Test(arguments: [false, true])
    func eachKindOfValueComesBack(inMemory: Bool) throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(inMemory ? ":memory:" : nil)
        let film = try store.make("Film", ["code": .string("f"), "Pages": .string("many")])
        let values: [String: StoredValue] = [
            "code": .string("a\u{0}b'\"é😀"), "count": .integer(.min), "isNew": .integer(1),
            "price": .decimal(Decimal(string: "-12.05") ?? 0), "rating": .double(.infinity),
            "made": .date(Date(timeIntervalSinceReferenceDate: -0.125)), "content": .data(Data([0, 255])),
            "uuid": .uuid(UUID()), "link": .url(try #require(URL(string: "https://a.example/ä?b"))),
            "pages": .integer(7), "cover": .data(Data([2, 3])), "favourite": .reference(film.key),
        ]
        let book = try store.make("Book", values)
        try store.insert(film, book)
        for (name, value) in values { #expect(try store.value(name, of: book.key) == value, "\(name)") }
        #expect(try store.value("Pages", of: film.key) == .string("many"))
        #expect(try store.value("count", of: film.key) == .null)
        // A key names the row's own entity.
        #expect(try store.rows([RowKey(entity: "Film", primaryKey: book.key.primaryKey)]).isEmpty)
    }

    @Test func namesThatSQLReservesAreNames() throws {
        let store = try StoreFixture().open(":memory:")
        let names = ["select", "a\"b", "group;--", "z_pk", "ÄÖ"]
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, StoredValue.string($0 + "'; DROP TABLE x")) })
        let sheet = try store.make("Sheet \"1\"", values)
        try store.insert(sheet)
        for name in names { #expect(try store.value(name, of: sheet.key) == values[name]) }
    }

    @Test func keysAreNeverGivenTwice() throws {
        let fixture = try StoreFixture()
        let (one, other) = (try fixture.open(), try fixture.open())
        let keys =
            try (one.obtainKeys(["Book": 3])["Book"] ?? []) + (other.obtainKeys(["Film": 2, "Tag": 1])["Film"] ?? [])
            + (one.obtainKeys(["Book": 1])["Book"] ?? [])
        // Entities that inherit from one share its keys.
        #expect(keys.map(\.primaryKey) == [1, 2, 3, 4, 5, 6])
        #expect(throws: StoreFailure.self) { try one.obtainKeys(["Work": 1]) }
        #expect(throws: StoreFailure.self) { try one.obtainKeys(["Nothing": 1]) }
    }

    @Test func aSaveBasedOnAnOlderVersionChangesNothing() throws {
        let store = try StoreFixture().open(":memory:")
        let (tag, other) = (try store.make("Tag", ["name": .string("a")]), try store.make("Tag"))
        try store.insert(tag, other)
        #expect(try store.rows([tag.key, other.key]).values.map(\.version) == [1, 1])
        let first = try store.set("name", to: .string("b"), of: tag.key, version: 1)
        #expect(try store.save(RowChanges(updated: [first])).versions == [tag.key: 2])
        let second = try store.set("name", to: .string("c"), of: tag.key, version: 1)
        var changes = RowChanges(updated: [second], deleted: [RowDeletion(key: other.key, version: 1)])
        changes.inserted = [try store.make("Tag")]
        let error = #expect(throws: SaveFailure.self) { try store.save(changes) }
        let conflicts = try #require(error?.conflicts)
        #expect(conflicts.map(\.key) == [tag.key] && conflicts.map(\.expected) == [1])
        #expect(conflicts.first?.stored?.version == 2 && conflicts.first?.stored?.values == [.string("b")])
        #expect(try store.value("name", of: tag.key) == .string("b"))
        #expect(try store.rows([other.key, changes.inserted[0].key]).keys.map { $0 } == [other.key])
    }

    @Test func aDeletedRowConflictsWithoutAStoredOne() throws {
        let store = try StoreFixture().open(":memory:")
        let tag = try store.make("Tag")
        try store.insert(tag)
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: tag.key, version: 1)]))
        let update = try store.set("name", to: .string("b"), of: tag.key, version: 1)
        let error = #expect(throws: SaveFailure.self) { try store.save(RowChanges(updated: [update])) }
        let conflicts = try #require(error?.conflicts)
        #expect(conflicts.count == 1 && conflicts.first?.stored == nil)
    }

    @Test func equalValuesOfAConstraintConflictAmongAllThatInheritIt() throws {
        let store = try StoreFixture().open(":memory:")
        let book = try store.make("Book", ["code": .string("x")])
        try store.insert(book, try store.make("Book"), try store.make("Film"))
        let film = try store.make("Film", ["code": .string("x")])
        let error = #expect(throws: SaveFailure.self) { try store.insert(film) }
        let conflicts = try #require(error?.uniqueness)
        #expect(conflicts.map(\.attributes) == [["code"]] && conflicts.map(\.entity) == ["Work"])
        #expect(conflicts.first?.saved == [film.key] && conflicts.first?.stored?.key == book.key)
        let twins = [try store.make("Film", ["code": .string("y")]), try store.make("Book", ["code": .string("y")])]
        #expect(throws: SaveFailure.self) { try store.insert(twins[0], twins[1]) }
        #expect(try store.rows(twins.map(\.key) + [film.key]).isEmpty)
    }

    @Test func rowsExchangeUniqueValuesAndTakeThoseOfDeletedOnes() throws {
        let store = try StoreFixture().open(":memory:")
        let rows = try ["x", "y", "z"].map { try store.make("Book", ["code": .string($0)]) }
        try store.insert(rows[0], rows[1], rows[2])
        let exchange = RowChanges(
            inserted: [try store.make("Film", ["code": .string("z")])],
            updated: [
                try store.set("code", to: .string("y"), of: rows[0].key, version: 1),
                try store.set("code", to: .string("x"), of: rows[1].key, version: 1),
            ], deleted: [RowDeletion(key: rows[2].key, version: 1)])
        _ = try store.save(exchange)
        #expect(try store.value("code", of: rows[0].key) == .string("y"))
        #expect(try store.value("code", of: rows[1].key) == .string("x"))
    }

    @Test func aValueOfAnotherTypeIsRefusedAndNothingSaved() throws {
        let store = try StoreFixture().open(":memory:")
        let tag = try store.make("Tag")
        for wrong in [
            try store.make("Book", ["count": .string("1")]), try store.make("Book", ["rating": .double(.nan)]),
            try store.make("Book", ["favourite": .reference(tag.key)]), StoredRow(key: tag.key, version: 0, values: []),
        ] {
            let film = try store.make("Film")
            #expect(throws: StoreFailure.self) { try store.insert(film, wrong) }
            #expect(try store.rows([film.key, wrong.key]).isEmpty)
        }
    }
}

extension SaveFailure {
    fileprivate var conflicts: [RowConflict]? { if case .conflicts(let conflicts) = self { conflicts } else { nil } }

    fileprivate var uniqueness: [UniquenessConflict]? {
        if case .uniqueness(let conflicts) = self { conflicts } else { nil }
    }
}
