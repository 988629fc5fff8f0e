import Foundation
import StratusSeeds
import Testing

/// Random operations on two contexts, compared after each with a simple model.
@Suite struct GraphPropertyTests {
    private static let rounds = 25
    private static let operations = 40

    @Test func contextsAndStoreHoldTheSameGraphAsTheModel() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<Self.rounds {
            let operations = (0..<Self.operations).map { _ in GraphOperation(&random) }
            guard try GraphRun.difference(after: operations) != nil else { continue }
            let shortest = try Self.shortened(operations)
            let difference = try GraphRun.difference(after: shortest) ?? ""
            Issue.record("\(random): \(difference); operations: \(shortest)")
            return
        }
    }

    /// Leaves out operations without which a difference remains.
    private static func shortened(_ operations: [GraphOperation]) throws -> [GraphOperation] {
        var result = operations
        var index = result.count - 1
        while index >= 0 {
            var shorter = result
            shorter.remove(at: index)
            if try GraphRun.difference(after: shorter) != nil { result = shorter }
            index -= 1
        }
        return result
    }
}
