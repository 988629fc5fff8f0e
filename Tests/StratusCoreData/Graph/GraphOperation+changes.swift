import Foundation
import StratusCoreData

extension GraphOperation {
    /// Changes an object of a context, and the nodes that the context is to hold, in the same way. New nodes and values get
    /// a number that differs from all others.
    func change(_ nodes: inout [Int: GraphModel.Node], _ family: Family, number: Int) throws {
        let child = choose(nodes.filter(\.value.isChild).keys, first)
        switch kind {
        case .insertParent, .insertChild:
            let isChild = kind == .insertChild
            let object = family.insert(isChild ? "Child" : "Parent", named: "new")
            object.setValue(number, forKey: "number")
            nodes[number] = GraphModel.Node(isChild: isChild, name: "new", age: isChild ? 3 : 0)
        case .setParent:
            guard let child, let parent = choose(nodes.filter { !$0.value.isChild }.keys, second),
                nodes[child]?.parent != parent
            else { return }
            try family.object(child).setValue(try family.object(parent), forKey: "parent")
            nodes[child]?.parent = parent
        case .clearParent:
            guard let child, nodes[child]?.parent != nil else { return }
            try family.object(child).setValue(nil, forKey: "parent")
            nodes[child]?.parent = nil
        case .delete:
            guard let deleted = choose(nodes.keys, first) else { return }
            family.context.delete(try family.object(deleted))
            nodes[deleted] = nil
            for (child, node) in nodes where node.parent == deleted { nodes[child]?.parent = nil }
        case .setName, .setAge:
            guard let child else { return }
            try family.object(child).setValue(number, forKey: "age")
            nodes[child]?.age = number
        case .refresh: family.context.refreshAllObjects()
        case .fault: family.context.makeFaults()
        case .save, .saveUnmerged, .rollback: preconditionFailure("\(kind) is no change of an object")
        }
    }

    private func choose(_ numbers: some Collection<Int>, _ choice: Int) -> Int? {
        let sorted = numbers.sorted()
        return sorted.isEmpty ? nil : sorted[choice % sorted.count]
    }
}
