import Foundation
import StratusSeeds
import Testing

/// Random operations on contexts, compared after each with a simple model.
@Suite struct GraphPropertyTests {
    private static let rounds = 25
    private static let operations = 40

    @Test func contextsAndStoreHoldTheSameGraphAsTheModel() throws { try check(GraphRun.difference) }

    @Test func parentsAndChildrenHoldTheSameGraphAsTheModel() throws { try check(NestedGraphRun.difference) }

    @Test func undoAndRedoLeadToTheGraphsOfTheModel() throws { try check(UndoGraphRun.difference) }

    @Test func richGraphsAndTheirHistoriesAreThoseOfTheModel() throws { try check(RichGraphRun.difference) }

    @Test func aChangedOrderSurvivesARefresh() throws {
        let operations: [GraphOperation] = [
            .init(.insertParent), .init(.insertChild), .init(.setParent), .init(.save), .init(.insertChild),
            .init(.save), .init(.setAge, first: 1), .init(.refresh),
        ]
        #expect(try RichGraphRun.difference(after: operations) == nil)
    }

    private func check(_ difference: ([GraphOperation]) throws -> String?) throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.rounds {
            let operations = (0..<Self.operations).map { _ in GraphOperation(&random) }
            guard try difference(operations) != nil else { continue }
            let shortest = try Self.shortened(operations, difference)
            Issue.record("\(random): \(try difference(shortest) ?? ""); operations: \(shortest)")
            return
        }
    }

    /// Leaves out operations without which a difference remains.
    private static func shortened(
        _ operations: [GraphOperation], _ difference: ([GraphOperation]) throws -> String?
    ) throws -> [GraphOperation] {
        var result = operations
        for index in operations.indices.reversed() {
            var shorter = result
            shorter.remove(at: index)
            if try difference(shorter) != nil { result = shorter }
        }
        return result
    }
}
