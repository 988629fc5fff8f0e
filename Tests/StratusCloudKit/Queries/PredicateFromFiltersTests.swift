import Foundation
import StratusCloudModel
import Testing

@testable import StratusCloudKit

/// Filters come back with subscriptions from servers, and in archives.
@Suite struct PredicateFromFiltersTests {
    @Test(arguments: StratusCloudModel.Comparator.allCases, [QueryField.named(""), nil])
    func aFilterWithoutAFieldNeverStopsTheProgram(comparator: StratusCloudModel.Comparator, field: QueryField?) throws {
        let translation = PredicateFromFilters(names: IdentityNames())
        let texts: [InputValue] = [.text("word"), .list([.text("word")])]
        for value in texts {
            let filter = Filter(comparator, field, FieldInput(value), distance: 1)
            do {
                _ = try translation.predicate([filter])
                let hasMeaning = [.containsAllTokens, .containsAnyTokens].contains(comparator)
                let asksForNothing = [.listContainsAll, .notListContainsAll].contains(comparator) && value == texts[0]
                #expect(hasMeaning || asksForNothing)
            } catch let error as CKError {
                #expect(error.code == .internalError)
            }
        }
    }
}
