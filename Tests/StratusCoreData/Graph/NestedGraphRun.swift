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
        default: try families[2].run { (family: Family) throws in try change(operation, family) }
        }
    }

    private func save(_ level: Int) throws {
        try families[level].run { (family: Family) throws in try family.context.save() }
        nodes[level] = nodes[level + 1]
    }

    private func change(_ operation: GraphOperation, _ family: Family) throws {
        lastNumber += 1
        let children = top.filter(\.value.isChild).keys.sorted()
        let parents = top.filter { !$0.value.isChild }.keys.sorted()
        let child = children.isEmpty ? nil : children[operation.first % children.count]
        switch operation.kind {
        case .insertParent, .insertChild:
            let isChild = operation.kind == .insertChild
            let object = family.insert(isChild ? "Child" : "Parent", named: "new")
            object.setValue(lastNumber, forKey: "number")
            top[lastNumber] = GraphModel.Node(isChild: isChild, name: "new", age: isChild ? 3 : 0)
        case .setName, .setAge:
            guard let child else { return }
            try family.object(child).setValue(lastNumber, forKey: "age")
            top[child]?.age = lastNumber
        case .setParent:
            guard let child, !parents.isEmpty else { return }
            let parent = parents[operation.second % parents.count]
            try family.object(child).setValue(try family.object(parent), forKey: "parent")
            top[child]?.parent = parent
        case .clearParent:
            guard let child else { return }
            try family.object(child).setValue(nil, forKey: "parent")
            top[child]?.parent = nil
        case .delete:
            let all = top.keys.sorted()
            guard !all.isEmpty else { return }
            let number = all[operation.first % all.count]
            family.context.delete(try family.object(number))
            top[number] = nil
            for (child, node) in top where node.parent == number { top[child]?.parent = nil }
        case .refresh: family.context.refreshAllObjects()
        default:
            for object in family.context.registeredObjects where !object.hasChanges {
                family.context.refresh(object, mergeChanges: false)
            }
        }
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
