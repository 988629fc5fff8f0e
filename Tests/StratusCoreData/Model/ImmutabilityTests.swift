import Foundation
import Testing

@testable import StratusCoreData

@Suite struct ImmutabilityTests {
    private static func frozenModel() -> NSManagedObjectModel {
        let model = Library.model()
        model.setFetchRequestTemplate(NSFetchRequest(entityName: "Book"), forName: "All")
        model.freeze()
        return model
    }

    @Test func aCopyOfAModelInUseCanBeChanged() throws {
        let copy = try #require(Self.frozenModel().copy() as? NSManagedObjectModel)
        copy.fetchRequestTemplate(forName: "All")?.fetchLimit = 1
        copy.entitiesByName["Book"]?.attributesByName["pages"]?.name = "count"
        copy.entitiesByName["Book"]?.isAbstract = true
        copy.versionIdentifiers = ["2"]
        #expect(copy.entitiesByName["Book"]?.attributesByName["count"] != nil)
    }

    @Test func theModelStaysAsItIs() async {
        await #expect(processExitsWith: .failure) { Self.frozenModel().versionIdentifiers = ["2"] }
        await #expect(processExitsWith: .failure) { Self.frozenModel().entities = [] }
        await #expect(processExitsWith: .failure) { Self.frozenModel().setEntities([], forConfigurationName: "A") }
        await #expect(processExitsWith: .failure) {
            Self.frozenModel().setFetchRequestTemplate(nil, forName: "All")
        }
        await #expect(processExitsWith: .failure) {
            Self.frozenModel().fetchRequestTemplate(forName: "All")?.fetchLimit = 1
        }
    }

    @Test func theEntitiesAndPropertiesStayAsTheyAre() async {
        await #expect(processExitsWith: .failure) {
            let model = Self.frozenModel()
            model.entitiesByName["Book"]?.properties = []
        }
        await #expect(processExitsWith: .failure) {
            let model = Self.frozenModel()
            NSEntityDescription().subentities = model.entities
        }
        await #expect(processExitsWith: .failure) {
            let model = Self.frozenModel()
            model.entitiesByName["Book"]?.attributesByName["pages"]?.defaultValue = 1
        }
        await #expect(processExitsWith: .failure) {
            let model = Self.frozenModel()
            model.entitiesByName["Book"]?.relationshipsByName["authors"]?.destinationEntity = nil
        }
        await #expect(processExitsWith: .failure) {
            let model = Self.frozenModel()
            model.entitiesByName["Book"]?.attributesByName["pages"]?.setValidationPredicates(
                [], withValidationWarnings: [])
        }
    }
}
