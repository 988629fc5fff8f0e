import Foundation
import StratusCoreData
import Testing

@Suite struct NSFetchIndexDescriptionTests {
    /// Gives books an index of an inherited attribute and one of their own.
    private func indexedModel() throws -> NSManagedObjectModel {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        let elements = try ["title", "pages"].map { name in
            NSFetchIndexElementDescription(
                property: try #require(book.propertiesByName[name]), collationType: .binary)
        }
        elements[1].isAscending = false
        book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: elements)]
        return model
    }

    @Test func elementsAndIndexesKnowWhereTheyBelong() throws {
        let model = try indexedModel()
        let book = try #require(model.entitiesByName["Book"])
        let index = try #require(book.indexes.first)
        #expect(index.entity === book)
        #expect(index.elements.map(\.propertyName) == ["title", "pages"])
        #expect(index.elements.allSatisfy { $0.indexDescription === index })
        let former = index.elements
        index.elements = [former[0]]
        #expect(former[1].indexDescription == nil)
        book.indexes = []
        #expect(index.entity == nil)
        #expect(model.entitiesByName["Book"] === book)
    }

    @Test func aCopiedModelsIndexesAreOfItsOwnProperties() throws {
        let model = try indexedModel()
        model.entitiesByName["Book"]?.indexes.first?.partialIndexPredicate = NSPredicate(value: false)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let book = try #require(copy.entitiesByName["Book"])
        let index = try #require(book.indexes.first)
        #expect(index.name == "byTitle")
        #expect(index.entity === book)
        #expect(index.partialIndexPredicate == NSPredicate(value: false))
        #expect(index.elements.map(\.isAscending) == [true, false])
        #expect(index.elements[0].property === copy.entitiesByName["Work"]?.propertiesByName["title"])
        #expect(index.elements[1].property === book.propertiesByName["pages"])
        #expect(index !== model.entitiesByName["Book"]?.indexes.first)
    }

    @Test func indexesDoNotChangeTheHash() throws {
        #expect(try indexedModel().entityVersionHashesByName == Library.model().entityVersionHashesByName)
    }
}
