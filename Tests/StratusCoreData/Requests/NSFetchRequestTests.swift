import Foundation
import StratusCompatibility
import StratusCoreData
import Testing

@Suite struct NSFetchRequestTests {
    @Test func startsWithApplesDefaults() {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        #expect(request.requestType == .fetchRequestType)
        #expect(request.entityName == "Book")
        #expect(request.entity == nil)
        #expect(request.resultType == .managedObjectResultType)
        #expect(request.includesSubentities && request.includesPropertyValues && request.includesPendingChanges)
        #expect(request.returnsObjectsAsFaults)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.predicate == nil && request.sortDescriptors == nil && request.propertiesToFetch == nil)
        #expect(request.propertiesToGroupBy == nil && request.havingPredicate == nil)
        #expect(request.relationshipKeyPathsForPrefetching == nil)
    }

    @Test func anEntityBringsItsName() {
        let model = Library.model()
        let request = NSFetchRequest<any NSFetchRequestResult>()
        #expect(request.entityName == nil)
        request.entity = model.entitiesByName["Book"]
        #expect(request.entityName == "Book")
        request.entity = nil
        #expect(request.entityName == nil)
        #expect(model.entities.count == 3)
    }

    @Test func aRequestThatIsCastChangesWithTheOriginal() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let cast = request ==>! NSFetchRequest<any NSFetchRequestResult>.self
        cast.fetchLimit = 3
        #expect(request.fetchLimit == 3 && cast.entityName == "Book")
        request.predicate = NSPredicate(format: "pages > 3")
        #expect(cast.predicate == request.predicate)
        #expect((cast ==>? NSFetchRequest<NSManagedObject>.self)?.fetchLimit == 3)
        #expect(request ==>! NSFetchRequest<NSManagedObject>.self === request)
        #expect(("request" ==>? NSFetchRequest<NSManagedObject>.self) == nil)
    }

    @Test func aCopyHasAllValuesAndIsItsOwn() throws {
        let model = Library.model()
        let request = NSFetchRequest<NSDictionary>()
        request.entity = model.entitiesByName["Book"]
        request.predicate = NSPredicate(format: "pages > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        request.fetchLimit = 1
        request.fetchOffset = 2
        request.fetchBatchSize = 3
        request.resultType = .dictionaryResultType
        request.includesSubentities = false
        request.includesPropertyValues = false
        request.includesPendingChanges = false
        request.returnsObjectsAsFaults = false
        request.returnsDistinctResults = true
        request.shouldRefreshRefetchedObjects = true
        request.relationshipKeyPathsForPrefetching = ["authors"]
        request.propertiesToFetch = ["title"]
        request.propertiesToGroupBy = ["pages"]
        request.havingPredicate = NSPredicate(format: "pages < 9")

        let copy = try #require(request.copy() as? NSFetchRequest<NSDictionary>)
        #expect(copy.entity === model.entitiesByName["Book"])
        #expect(copy.predicate?.predicateTree == request.predicate?.predicateTree)
        #expect(copy.sortDescriptors == request.sortDescriptors)
        #expect(copy.fetchLimit == 1 && copy.fetchOffset == 2 && copy.fetchBatchSize == 3)
        #expect(copy.resultType == .dictionaryResultType)
        #expect(!copy.includesSubentities && !copy.includesPropertyValues && !copy.includesPendingChanges)
        #expect(!copy.returnsObjectsAsFaults)
        #expect(copy.returnsDistinctResults && copy.shouldRefreshRefetchedObjects)
        #expect(copy.relationshipKeyPathsForPrefetching == ["authors"])
        #expect(copy.propertiesToFetch as? [String] == ["title"])
        #expect(copy.propertiesToGroupBy as? [String] == ["pages"])
        #expect(copy.havingPredicate?.predicateTree == request.havingPredicate?.predicateTree)
        copy.fetchLimit = 5
        #expect(request.fetchLimit == 1)
    }

    @Test func anAsynchronousRequestKeepsItsRequestAndBlock() throws {
        let request = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<NSDictionary>(entityName: "Book")) { _ in
        }
        request.estimatedResultCount = 7
        let copy = try #require(request.copy() as? NSAsynchronousFetchRequest<NSDictionary>)
        #expect(copy.requestType == .fetchRequestType)
        #expect(copy.estimatedResultCount == 7)
        #expect(copy.fetchRequest.entityName == "Book")
        #expect(copy.fetchRequest !== request.fetchRequest)
        #expect(copy.completionBlock != nil)
    }
}
