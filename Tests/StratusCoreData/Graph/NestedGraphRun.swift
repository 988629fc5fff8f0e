import Foundation
import StratusCoreData

/// A store with a context, its child and its grandchild. Operations change the grandchild, and saves carry the changes
/// down.
final class NestedGraphRun {
    /// The contexts, that of the store first.
    private let families: [Family]
    /// What the store and the contexts hold.
    private var nodes: [[Int: GraphModel.Node]] = Array(repeating: [:], count: 4)
    private var lastNumber = 0

    private init() throws {
        let family = try Family.ofGraph()
        let child = Family(childOf: family)
        families = [family, child, Family(childOf: child)]
    }

    static func difference(after operations: [GraphOperation]) throws -> String? {
        let run = try NestedGraphRun()
        for (index, operation) in operations.enumerated() {
            try run.run(operation)
            if let difference = try run.difference() { return "\(difference) after operation \(index)" }
        }
        return nil
    }

    private var top: [Int: GraphModel.Node] {
        get { nodes[3] }
        set { nodes[3] = newValue }
    }

    private func run(_ operation: GraphOperation) throws {
        switch operation.kind {
        case .save, .saveUnmerged: try save(operation.first % 3)
        case .rollback:
            families[2].run { $0.context.rollback() }
            top = nodes[2]
        default:
            lastNumber += 1
            try families[2].run { (family: Family) throws in
                try operation.change(&top, family, number: lastNumber)
            }
        }
    }

    private func save(_ level: Int) throws {
        try families[level].run { (family: Family) throws in try family.context.save() }
        nodes[level] = nodes[level + 1]
    }

    private func difference() throws -> String? {
        for (level, family) in families.enumerated() {
            if let difference = try family.difference(from: nodes[level + 1]) {
                return "context \(level): \(difference)"
            }
        }
        return try Family(beside: families[0]).difference(from: nodes[0]).map { "store: \($0)" }
    }
}
