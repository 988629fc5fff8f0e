import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct BatchRequestTests {
    @Test func anInsertionTakesDictionariesOrABlock() throws {
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "A"]])
        #expect(request.requestType == .batchInsertRequestType)
        #expect(request.entityName == "Book")
        #expect(request.resultType == .statusOnly)
        #expect(request.objectsToInsert?.count == 1)
        #expect(request.dictionaryHandler == nil)
        request.resultType = .objectIDs
        let copy = try #require(request.copy() as? NSBatchInsertRequest)
        #expect(copy.resultType == .objectIDs)
        #expect(copy.objectsToInsert?.first?["title"] as? String == "A")
        copy.dictionaryHandler = { _ in true }
        #expect(copy.objectsToInsert == nil)
        #expect(copy.dictionaryHandler?(NSMutableDictionary()) == true)
        #expect(request.objectsToInsert?.count == 1)
    }

    @Test func anUpdateHasACondition() throws {
        let model = Library.model()
        let request = NSBatchUpdateRequest(entity: try #require(model.entitiesByName["Book"]))
        #expect(request.requestType == .batchUpdateRequestType)
        #expect(request.entity === model.entitiesByName["Book"])
        #expect(request.entityName == "Book")
        #expect(request.includesSubentities)
        #expect(request.resultType == .statusOnlyResultType)
        request.predicate = NSPredicate(format: "pages == 0")
        request.propertiesToUpdate = ["pages": 1]
        request.includesSubentities = false
        request.resultType = .updatedObjectsCountResultType
        let copy = try #require(request.copy() as? NSBatchUpdateRequest)
        #expect(copy.predicate?.predicateTree == request.predicate?.predicateTree)
        #expect(copy.propertiesToUpdate as? [String: Int] == ["pages": 1])
        #expect(!copy.includesSubentities)
        #expect(copy.resultType == .updatedObjectsCountResultType)
        #expect(copy.entity === request.entity)
    }

    @Test func aDeletionTakesARequestOfAnyResults() throws {
        let books = NSFetchRequest<NSDictionary>(entityName: "Book")
        books.fetchLimit = 2
        let request = NSBatchDeleteRequest(fetchRequest: books)
        #expect(request.requestType == .batchDeleteRequestType)
        #expect(request.fetchRequest.entityName == "Book")
        #expect(request.fetchRequest.fetchLimit == 2)
        #expect(request.resultType == .resultTypeStatusOnly)
        request.resultType = .resultTypeCount
        #expect((request.copy() as? NSBatchDeleteRequest)?.resultType == .resultTypeCount)
        let erased = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        #expect(NSBatchDeleteRequest(fetchRequest: erased).fetchRequest.entityName == "Author")
    }
}
