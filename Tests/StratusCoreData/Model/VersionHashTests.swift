import Foundation
import StratusCoreData
import Testing

@Suite struct VersionHashTests {
    /// Changes the model and returns the names of the entities whose hash differs afterwards.
    private func changed(by change: (NSManagedObjectModel) throws -> Void) throws -> Set<String> {
        let before = Library.model().entityVersionHashesByName
        let model = Library.model()
        try change(model)
        return Set(model.entityVersionHashesByName.filter { before[$0.key] != $0.value }.keys)
    }

    private func attribute(_ name: String, _ model: NSManagedObjectModel) throws -> NSAttributeDescription {
        try #require(model.entitiesByName["Book"]?.attributesByName[name])
    }

    private func authors(_ model: NSManagedObjectModel) throws -> NSRelationshipDescription {
        try #require(model.entitiesByName["Book"]?.relationshipsByName["authors"])
    }

    @Test func equalModelsHaveEqualHashes() throws {
        #expect(try changed { _ in } == [])
        #expect(Library.model().entitiesByName["Book"]?.versionHash.count == 32)
    }

    @Test func whatAStoreDependsOnChangesTheHash() throws {
        #expect(try changed { try attribute("pages", $0).attributeType = .integer64AttributeType } == ["Book"])
        #expect(try changed { try attribute("pages", $0).isOptional = false } == ["Book"])
        #expect(try changed { try attribute("pages", $0).isTransient = true } == ["Book"])
        #expect(try changed { try attribute("pages", $0).versionHashModifier = "" } == ["Book"])
        #expect(try changed { try attribute("pages", $0).allowsExternalBinaryDataStorage = true } == ["Book"])
        #expect(try changed { try attribute("title", $0).isOptional = false } == ["Work", "Book"])
        #expect(try changed { try authors($0).deleteRule = .cascadeDeleteRule } == ["Book"])
        #expect(try changed { try authors($0).isOrdered = true } == ["Book"])
        #expect(try changed { try authors($0).minCount = 1 } == ["Book"])
        #expect(try changed { try authors($0).maxCount = 1 } == ["Book"])
        #expect(try changed { try authors($0).inverseRelationship = nil } == ["Book"])
        #expect(try changed { $0.entitiesByName["Author"]?.versionHashModifier = "2" } == ["Author"])
        #expect(try changed { $0.entitiesByName["Work"]?.isAbstract = false } == ["Work"])
        #expect(try changed { $0.entitiesByName["Author"]?.uniquenessConstraints = [["name"]] } == ["Author"])
        #expect(try changed { try authors($0).name = "writers" } == ["Book", "Author"])
    }

    @Test func whatNoStoreDependsOnDoesNotChangeTheHash() throws {
        #expect(try changed { try attribute("pages", $0).defaultValue = 7 } == [])
        #expect(try changed { try attribute("pages", $0).renamingIdentifier = "count" } == [])
        #expect(try changed { try attribute("pages", $0).userInfo = ["a": 1] } == [])
        #expect(try changed { try attribute("title", $0).isIndexedBySpotlight = true } == [])
        #expect(
            try changed {
                try attribute("pages", $0).setValidationPredicates(
                    [NSPredicate(value: true)], withValidationWarnings: ["never"])
            } == [])
        #expect(try changed { $0.entitiesByName["Book"]?.managedObjectClassName = "Volume" } == [])
        #expect(try changed { $0.entitiesByName["Book"]?.properties.reverse() } == [])
        #expect(try changed { $0.versionIdentifiers = ["9"] } == [])
    }

    @Test func elementsOfACompositeChangeItsHash() {
        let street = NSAttributeDescription()
        street.name = "street"
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        let empty = address.versionHash
        address.elements = [street]
        let one = address.versionHash
        #expect(one != empty)
        #expect((address.copy() as? NSCompositeAttributeDescription)?.versionHash == one)
        street.type = .string
        #expect(address.versionHash != one)
    }
}
