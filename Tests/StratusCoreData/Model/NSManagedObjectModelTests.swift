import Foundation
import StratusCoreData
import Testing

@Suite struct NSManagedObjectModelTests {
    @Test func findsEntitiesAndTheirPropertiesByName() throws {
        let model = Library.model()
        #expect(Set(model.entitiesByName.keys) == ["Work", "Book", "Author"])
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.superentity === model.entitiesByName["Work"])
        #expect(Set(book.attributesByName.keys) == ["title", "pages"])
        #expect(Set(book.relationshipsByName.keys) == ["authors"])
        #expect(book.propertiesByName["title"]?.entity?.name == "Work")
        let author = try #require(model.entitiesByName["Author"])
        #expect(author.relationships(forDestination: book).map(\.name) == ["books"])
        #expect(book.isKindOf(entity: try #require(book.superentity)))
        #expect(!author.isKindOf(entity: book))
        // The model keeps the other entities alive up to here.
        #expect(book.managedObjectModel === model)
    }

    @Test func inheritedPropertiesAreNotDeclaredAgain() throws {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        let added = NSAttributeDescription()
        added.name = "isbn"
        book.properties += [added]
        #expect(book.properties.map(\.name) == ["title", "pages", "authors", "isbn"])
        #expect(book.propertiesByName["title"]?.entity === model.entitiesByName["Work"])
    }

    @Test func configurationsHoldSomeOfTheEntities() throws {
        let model = Library.model()
        model.setEntities([try #require(model.entitiesByName["Author"])], forConfigurationName: "People")
        #expect(model.configurations == ["People"])
        #expect(model.entities(forConfigurationName: "People")?.map(\.name) == ["Author"])
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.entities(forConfigurationName: "Places") == nil)
    }

    @Test func aCopyIsWholeAndItsOwn() throws {
        let model = Library.model()
        model.setEntities([try #require(model.entitiesByName["Author"])], forConfigurationName: "People")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.configurations == ["People"])
        let book = try #require(copy.entitiesByName["Book"])
        let authors = try #require(book.relationshipsByName["authors"])
        #expect(authors.destinationEntity === copy.entitiesByName["Author"])
        #expect(authors.inverseRelationship === copy.entitiesByName["Author"]?.relationshipsByName["books"])
        #expect(book.superentity === copy.entitiesByName["Work"])
        book.name = "Volume"
        #expect(model.entitiesByName["Book"] != nil)
    }

    @Test func mergesModelsWithTheSameEntityOnce() throws {
        let other = NSManagedObjectModel()
        let place = NSEntityDescription()
        place.name = "Place"
        other.entities = [place]
        other.versionIdentifiers = ["2"]
        let merged = try #require(NSManagedObjectModel(byMerging: [Library.model(), other, Library.model()]))
        #expect(Set(merged.entities.map(\.name)) == ["Work", "Book", "Author", "Place"])
        #expect(merged.entities.count == 4)
        #expect(merged.versionIdentifiers == ["2"])
        #expect(place.managedObjectModel === other)
    }

    @Test func doesNotMergeDifferentEntitiesOfOneName() throws {
        let other = Library.model()
        other.entitiesByName["Author"]?.isAbstract = true
        #expect(NSManagedObjectModel(byMerging: [Library.model(), other]) == nil)
    }

    @Test func attributeTypesNameTheirClass() {
        let attribute = NSAttributeDescription()
        attribute.type = .decimal
        #expect(attribute.attributeType == .decimalAttributeType)
        #expect(attribute.attributeValueClassName == "NSDecimalNumber")
        attribute.attributeType = .transformableAttributeType
        #expect(attribute.type == .transformable)
        #expect(attribute.attributeValueClassName == nil)
        #expect(NSCompositeAttributeDescription().type == .composite)
    }

    @Test func renamingIdentifiersAreNamesUntilSet() {
        let attribute = NSAttributeDescription()
        attribute.name = "title"
        #expect(attribute.renamingIdentifier == "title")
        attribute.renamingIdentifier = "heading"
        #expect((attribute.copy() as? NSAttributeDescription)?.renamingIdentifier == "heading")
    }

    @Test func modelsWithEqualEntitiesAreEqual() throws {
        let (model, other) = (Library.model(), Library.model())
        #expect(model == other && model !== other && model.hash == other.hash)
        other.versionIdentifiers = ["2"]
        #expect(model != other)
        other.versionIdentifiers = []
        other.setEntities([], forConfigurationName: "Cloud")
        #expect(model != other)
        let third = Library.model()
        try #require(third.entitiesByName["Book"]).versionHashModifier = "2"
        #expect(model != third)
    }
}
