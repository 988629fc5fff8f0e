import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct FetchTemplateTests {
    private func longBooks(_ model: NSManagedObjectModel) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = model.entitiesByName["Book"]
        request.predicate = NSPredicate(format: "pages > $PAGES AND title == $TITLE")
        return request
    }

    @Test func variablesGetTheirValues() throws {
        let model = Library.model()
        model.setFetchRequestTemplate(longBooks(model), forName: "Long")
        #expect(Array(model.fetchRequestTemplatesByName.keys) == ["Long"])
        #expect(model.fetchRequestTemplate(forName: "Short") == nil)
        #expect(model.fetchRequestFromTemplate(withName: "Short", substitutionVariables: [:]) == nil)
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "Long", substitutionVariables: ["PAGES": 100, "TITLE": "A"]))
        #expect(request.predicate?.predicateTree == NSPredicate(format: "pages > 100 AND title == 'A'").predicateTree)
        #expect(request.entity === model.entitiesByName["Book"])
        let template = try #require(model.fetchRequestTemplate(forName: "Long"))
        #expect(template.predicate?.predicateTree == longBooks(model).predicate?.predicateTree)
        model.setFetchRequestTemplate(nil, forName: "Long")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test func copiesAndMergedModelsHaveTemplatesOverTheirOwnEntities() throws {
        let model = Library.model()
        model.setFetchRequestTemplate(longBooks(model), forName: "Long")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.fetchRequestTemplate(forName: "Long")?.entity === copy.entitiesByName["Book"])
        #expect(copy.fetchRequestTemplate(forName: "Long") !== model.fetchRequestTemplate(forName: "Long"))
        let merged = try #require(NSManagedObjectModel(byMerging: [model]))
        #expect(merged.fetchRequestTemplate(forName: "Long")?.entity === merged.entitiesByName["Book"])
    }

    @Test func aFetchedPropertyIsCopiedAndNotPartOfTheHash() throws {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        let property = NSFetchedPropertyDescription()
        property.name = "longBooks"
        property.fetchRequest = longBooks(model)
        author.properties += [property]
        #expect(model.entityVersionHashesByName == Library.model().entityVersionHashesByName)

        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let copied = copy.entitiesByName["Author"]?.propertiesByName["longBooks"] as? NSFetchedPropertyDescription
        #expect(copied?.fetchRequest?.entity === copy.entitiesByName["Book"])
        #expect(copied?.fetchRequest !== property.fetchRequest)
    }

    @Test func aFetchedPropertyDoesNotKeepItsModelAlive() throws {
        weak var former: NSManagedObjectModel?
        weak var formerEntity: NSEntityDescription?
        do {
            let model = Library.model()
            let book = try #require(model.entitiesByName["Book"])
            let property = NSFetchedPropertyDescription()
            property.name = "longer"
            property.fetchRequest = longBooks(model)
            book.properties += [property]
            (former, formerEntity) = (model, book)
        }
        #expect(former == nil && formerEntity == nil)
    }
}
