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
        case .refresh: family.context.refreshAllObjects()
        case .fault:
            for object in family.context.registeredObjects where !object.hasChanges {
                family.context.refresh(object, mergeChanges: false)
            }
        case .rollback:
            guard operation.first % 8 == 0 else { return undo() }
            family.context.rollback()
            current = stored
            (undoable, redoable) = ([], [])
        default:
            let former = current
            family.context.undoManager?.beginUndoGrouping()
            try change(operation)
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

    private func change(_ operation: GraphOperation) throws {
        lastNumber += 1
        let children = current.filter(\.value.isChild).keys.sorted()
        let parents = current.filter { !$0.value.isChild }.keys.sorted()
        let child = children.isEmpty ? nil : children[operation.first % children.count]
        switch operation.kind {
        case .insertParent, .insertChild:
            let isChild = operation.kind == .insertChild
            let object = family.insert(isChild ? "Child" : "Parent", named: "new")
            object.setValue(lastNumber, forKey: "number")
            current[lastNumber] = GraphModel.Node(isChild: isChild, name: "new", age: isChild ? 3 : 0)
        case .setParent:
            guard let child, !parents.isEmpty else { return }
            let parent = parents[operation.second % parents.count]
            guard current[child]?.parent != parent else { return }
            try family.object(child).setValue(try family.object(parent), forKey: "parent")
            current[child]?.parent = parent
        case .clearParent:
            guard let child, current[child]?.parent != nil else { return }
            try family.object(child).setValue(nil, forKey: "parent")
            current[child]?.parent = nil
        case .delete:
            let all = current.keys.sorted()
            guard !all.isEmpty else { return }
            let number = all[operation.first % all.count]
            family.context.delete(try family.object(number))
            current[number] = nil
            for (child, node) in current where node.parent == number { current[child]?.parent = nil }
        default:
            guard let child else { return }
            try family.object(child).setValue(lastNumber, forKey: "age")
            current[child]?.age = lastNumber
        }
    }

    private func difference() throws -> String? {
        if let difference = try family.difference(from: current) { return "context: \(difference)" }
        return try Family(beside: family).difference(from: stored).map { "store: \($0)" }
    }
}
