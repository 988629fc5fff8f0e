import Foundation
import StratusCompatibility
import StratusCoreData
import StratusSeeds

/// A context of one store that records each operation, and the graphs before and after each.
final class UndoGraphRun {
    private typealias Nodes = [Int: GraphModel.Node]

    private let family: Family
    private var stored: Nodes = [:]
    private var current: Nodes = [:]
    private var undoable: [Nodes] = []
    private var redoable: [Nodes] = []
    private var lastNumber = 0

    private init() throws {
        family = try Family.ofGraph()
        family.run { family in
            family.context.undoManager = UndoManager()
            family.context.undoManager?.groupsByEvent = false
        }
    }

    static func difference(after operations: [GraphOperation]) throws -> String? {
        let run = try UndoGraphRun()
        for (index, operation) in operations.enumerated() {
            try run.family.run { _ in try run.run(operation) }
            if let difference = try run.difference() { return "\(difference) after operation \(index)" }
        }
        return nil
    }

    private func run(_ operation: GraphOperation) throws {
        switch operation.kind {
        case .saveUnmerged: if operation.first % 3 == 0 { redo() } else { undo() }
        case .save:
            try family.context.save()
            stored = current
        case .refresh, .fault: try operation.change(&current, family, number: lastNumber)
        case .rollback:
            guard operation.first % 8 == 0 else { return undo() }
            family.context.rollback()
            current = stored
            (undoable, redoable) = ([], [])
        default:
            let former = current
            lastNumber += 1
            family.context.undoManager?.beginUndoGrouping()
            try operation.change(&current, family, number: lastNumber)
            family.context.undoManager?.endUndoGrouping()
            guard current != former else { return }
            undoable.append(former)
            redoable = []
        }
    }

    private func undo() {
        family.context.undo()
        guard let former = undoable.popLast() else { return }
        redoable.append(current)
        current = former
    }

    private func redo() {
        family.context.redo()
        guard let next = redoable.popLast() else { return }
        undoable.append(current)
        current = next
    }

    private func difference() throws -> String? {
        if let difference = try family.difference(from: current) { return "context: \(difference)" }
        return try Family(beside: family).difference(from: stored).map { "store: \($0)" }
    }
}
