import Foundation
import StratusCompatibility
import Testing

@testable import StratusCoreData

/// The store computes derived attributes when what they follow from is saved.
@Suite struct DerivedColumnTests {
    private let store: SQLiteRowStore

    init() throws {
        let fixture = try StoreFixture()
        func derive(_ entity: String, _ name: String, _ type: NSAttributeType, _ format: String) throws {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.expression = try PredicateOperand(validating: format).expression
            fixture.model.entitiesByName[entity]?.properties.append(attribute)
        }
        try derive("Work", "plain", .stringAttributeType, "canonical:(code)")
        try derive("Work", "tagCount", .integer64AttributeType, "tags.@count")
        try derive("Work", "chapterCount", .integer64AttributeType, "chapters.@count")
        try derive("Work", "favouriteCode", .stringAttributeType, "favourite.code")
        try derive("Work", "saved", .dateAttributeType, "now()")
        try derive("Tag", "total", .integer64AttributeType, "works.@sum.count")
        try derive("Chapter", "favouriteOfWork", .stringAttributeType, "work.favourite.code")
        // Derived from derived attributes, whose names come later.
        try derive("Tag", "aSize", .integer64AttributeType, "works.@sum.twice")
        try derive("Work", "twice", .integer64AttributeType, "count * 2")
        try derive("Chapter", "aSize", .integer64AttributeType, "work.twice + 1")
        store = try fixture.open(":memory:")
    }

    @Test func valuesFollowDerivedValues() throws {
        let book = try store.make("Book", ["code": .string("b"), "count": .integer(2)])
        let chapter = try store.make("Chapter", ["work": .reference(book.key)])
        let tag = try store.make("Tag")
        let relation = ToManyChange(owner: tag.key, relationship: "works", added: [book.key])
        _ = try save(RowChanges(inserted: [book, chapter, tag], toMany: [relation]))
        #expect(try value("aSize", of: tag) == .integer(4) && value("aSize", of: chapter) == .integer(5))
        let saved = try save(RowChanges(updated: [try store.set("count", to: .integer(3), of: book.key, version: 1)]))
        #expect(try value("aSize", of: tag) == .integer(6) && value("aSize", of: chapter) == .integer(7))
        #expect(saved.derived[tag.key] != nil && saved.derived[chapter.key] != nil)
    }

    @Test func aValueThatFollowsFromItselfIsAnErrorOfTheSave() throws {
        let fixture = try StoreFixture()
        for (name, other) in [("one", "other"), ("other", "one")] {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = .integer64AttributeType
            attribute.expression = PredicateOperand.keyPath(other).expression
            fixture.model.entitiesByName["Tag"]?.properties.append(attribute)
        }
        let store = try fixture.open(":memory:")
        let error = #expect(throws: StoreFailure.self) { try store.insert(try store.make("Tag")) }
        #expect(error?.description.contains("of 'Tag' is derived from itself") == true)
    }

    private func value(_ name: String, of row: StoredRow) throws -> StoredValue? { try store.value(name, of: row.key) }

    private func save(_ changes: RowChanges) throws -> SavedRows { try store.save(changes) }

    @Test func valuesOfOneRow() throws {
        let book = try store.make("Book", ["code": .string("É1")])
        let before = Date(timeIntervalSinceReferenceDate: Date().timeIntervalSinceReferenceDate.rounded(.down))
        let saved = try save(RowChanges(inserted: [book]))
        #expect(try value("plain", of: book) == .string("e1"))
        #expect(try value("tagCount", of: book) == .integer(0) && value("favouriteCode", of: book) == .null)
        let position = try #require(try store.layout.entity("Book").positions["plain"])
        #expect(saved.derived[book.key]?.values[position] == .string("e1"))
        #expect(saved.derived[book.key]?.version == 1)
        let date = try value("saved", of: book)
        if case .date(let date)? = date { #expect(date >= before) } else { Issue.record("\(String(describing: date))") }
        _ = try save(RowChanges(updated: [try store.set("code", to: .string("B"), of: book.key, version: 1)]))
        #expect(try value("plain", of: book) == .string("b"))
    }

    /// The rows that depend on others are computed although they are not saved, and keep their versions.
    @Test func valuesOverRelationships() throws {
        let film = try store.make("Film", ["code": .string("f"), "count": .integer(5)])
        let book = try store.make(
            "Book", ["code": .string("b"), "count": .integer(2), "favourite": .reference(film.key)])
        let chapters = try (0..<2).map { _ in try store.make("Chapter", ["work": .reference(book.key)]) }
        let tag = try store.make("Tag")
        let relation = ToManyChange(owner: tag.key, relationship: "works", added: [film.key, book.key])
        _ = try save(RowChanges(inserted: [film, book, tag] + chapters, toMany: [relation]))
        #expect(try value("chapterCount", of: book) == .integer(2))
        #expect(try value("tagCount", of: book) == .integer(1) && value("tagCount", of: film) == .integer(1))
        #expect(try value("total", of: tag) == .integer(7))
        #expect(try value("favouriteCode", of: book) == .string("f"))
        #expect(try value("favouriteOfWork", of: chapters[0]) == .string("f"))

        let moved = try store.set("work", to: .reference(film.key), of: chapters[0].key, version: 1)
        _ = try save(RowChanges(updated: [moved]))
        #expect(try value("chapterCount", of: book) == .integer(1) && value("chapterCount", of: film) == .integer(1))
        let renamed = RowUpdate(
            row: try store.row(film.key, version: 1, ["code": .string("g"), "count": .integer(6)]),
            changed: ["code", "count"].compactMap { try? store.layout.entity("Film").positions[$0] })
        let saved = try save(RowChanges(updated: [renamed]))
        #expect(try value("favouriteCode", of: book) == .string("g") && value("total", of: tag) == .integer(8))
        #expect(try value("favouriteOfWork", of: chapters[1]) == .string("g"))
        #expect(saved.derived[book.key]?.version == 1)

        _ = try save(RowChanges(toMany: [ToManyChange(owner: film.key, relationship: "tags", removed: [tag.key])]))
        #expect(try value("total", of: tag) == .integer(2) && value("tagCount", of: film) == .integer(0))
        _ = try save(RowChanges(deleted: [RowDeletion(key: chapters[1].key, version: 1)]))
        #expect(try value("chapterCount", of: book) == .integer(0))
    }

    @Test func anExpressionWithoutTranslationIsAnErrorOfTheSave() throws {
        let fixture = try StoreFixture()
        let attribute = NSDerivedAttributeDescription()
        attribute.name = "wrong"
        attribute.attributeType = .stringAttributeType
        attribute.expression = PredicateOperand.keyPath("nothing").expression
        fixture.model.entitiesByName["Tag"]?.properties.append(attribute)
        let store = try fixture.open(":memory:")
        let error = #expect(throws: StoreFailure.self) { try store.insert(try store.make("Tag")) }
        #expect(error?.description.contains("'wrong' of 'Tag'") == true)
    }
}
