import Foundation
import Testing

@testable import StratusCoreData

@Suite struct ToManyTests {
    @Test func membersOfAManyToManyRelationshipAreSeenFromBothSides() throws {
        let store = try StoreFixture().open(":memory:")
        let (book, film) = (try store.make("Book"), try store.make("Film"))
        let tags = [try store.make("Tag"), try store.make("Tag")]
        var changes = RowChanges(inserted: [book, film] + tags)
        changes.toMany = [
            ToManyChange(owner: book.key, relationship: "tags", added: tags.map(\.key)),
            // The same from the other side, whose order is stored.
            ToManyChange(
                owner: tags[0].key, relationship: "works", added: [film.key, book.key], order: [film.key, book.key]),
        ]
        _ = try store.save(changes)
        #expect(try store.destinations(of: "tags", from: book.key) == tags.map(\.key))
        #expect(try store.destinations(of: "works", from: tags[0].key) == [film.key, book.key])
        let turned = ToManyChange(owner: tags[0].key, relationship: "works", order: [book.key, film.key])
        let removed = ToManyChange(owner: book.key, relationship: "tags", removed: [tags[1].key])
        _ = try store.save(RowChanges(toMany: [turned, removed]))
        #expect(try store.destinations(of: "works", from: tags[0].key) == [book.key, film.key])
        #expect(try store.destinations(of: "works", from: tags[1].key).isEmpty)
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: book.key, version: 1)]))
        #expect(try store.destinations(of: "works", from: tags[0].key) == [film.key])
    }

    @Test func aRelationshipThatIsItsOwnInverseGoesBothWays() throws {
        let store = try StoreFixture().open(":memory:")
        let (book, film) = (try store.make("Book"), try store.make("Film"))
        let change = ToManyChange(owner: book.key, relationship: "alike", added: [film.key])
        _ = try store.save(RowChanges(inserted: [book, film], toMany: [change]))
        #expect(try store.destinations(of: "alike", from: film.key) == [book.key])
        #expect(try store.destinations(of: "alike", from: book.key) == [film.key])
        _ = try store.save(RowChanges(deleted: [RowDeletion(key: film.key, version: 1)]))
        #expect(try store.destinations(of: "alike", from: book.key).isEmpty)
    }

    @Test func membersWithAToOneInverseFollowFromIt() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let (book, film) = (try store.make("Book"), try store.make("Film"))
        let chapters = try (0..<3).map { _ in try store.make("Chapter", ["work": .reference(book.key)]) }
        let keys = chapters.map(\.key)
        let order = ToManyChange(owner: book.key, relationship: "chapters", order: [keys[2], keys[0], keys[1]])
        _ = try store.save(RowChanges(inserted: [book, film] + chapters, toMany: [order]))
        #expect(try store.destinations(of: "chapters", from: book.key) == [keys[2], keys[0], keys[1]])
        let moved = try store.set("work", to: .reference(film.key), of: keys[0], version: 1)
        _ = try store.save(RowChanges(updated: [moved]))
        #expect(try store.destinations(of: "chapters", from: book.key) == [keys[2], keys[1]])
        // The reference names the destination's own entity, also in a file that does not say so.
        try fixture.inFile { try $0.execute("UPDATE ZCHAPTER SET Z4_WORK = NULL") }
        #expect(try store.value("work", of: keys[0]) == .reference(film.key))
    }

    @Test func membersWithoutAnInverseAreStoredWithTheDestinations() throws {
        let store = try StoreFixture().open(":memory:")
        let film = try store.make("Film")
        let chapters = [try store.make("Chapter"), try store.make("Chapter")]
        let add = ToManyChange(owner: film.key, relationship: "scenes", added: chapters.map(\.key))
        _ = try store.save(RowChanges(inserted: [film] + chapters, toMany: [add]))
        #expect(try store.destinations(of: "scenes", from: film.key) == chapters.map(\.key))
        let remove = ToManyChange(owner: film.key, relationship: "scenes", removed: [chapters[0].key])
        _ = try store.save(RowChanges(toMany: [remove]))
        #expect(try store.destinations(of: "scenes", from: film.key) == [chapters[1].key])
    }

    @Test func aMemberOfAnotherEntityIsRefused() throws {
        let store = try StoreFixture().open(":memory:")
        let (book, chapter) = (try store.make("Book"), try store.make("Chapter"))
        for relationship in ["tags", "nothing", "pages"] {
            let change = ToManyChange(owner: book.key, relationship: relationship, added: [chapter.key])
            #expect(throws: StoreFailure.self) {
                try store.save(RowChanges(inserted: [book, chapter], toMany: [change]))
            }
        }
        #expect(try store.rows([book.key, chapter.key]).isEmpty)
        #expect(throws: StoreFailure.self) { try store.destinations(of: "favourite", from: book.key) }
    }
}
