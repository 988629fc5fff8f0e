import Foundation
import StratusCoreData

extension Family {
    /// Makes a store of parents and children that have numbers. Deletions leave others as they are.
    static func ofGraph() throws -> Family {
        try Family(childrenRule: .nullifyDeleteRule) { model in
            for entity in model.entities {
                entity.properties += [NSAttributeDescription.make("number", .integer64)]
                entity.relationshipsByName["parent"]?.deleteRule = .nullifyDeleteRule
            }
        }.withStore()
    }

    /// Returns the object with a number.
    func object(_ number: Int) throws -> NSManagedObject {
        let predicate = NSPredicate(format: "number == %d", number)
        let found = try fetch("Parent", predicate) + fetch("Child", predicate)
        guard let object = found.first else { throw CocoaError(.fileNoSuchFile) }
        return object
    }

    /// Returns the first difference between the objects of the context and nodes.
    func difference(from expected: [Int: GraphModel.Node]) throws -> String? {
        try run { (family: Family) throws in
            var nodes: [Int: GraphModel.Node] = [:]
            for child in try family.fetch("Child") {
                let parent = child.value(forKey: "parent") as? NSManagedObject
                nodes[child.number] = GraphModel.Node(
                    isChild: true, name: child.label, age: child.value(forKey: "age") as? Int ?? -1,
                    parent: parent?.number)
            }
            for parent in try family.fetch("Parent") {
                nodes[parent.number] = GraphModel.Node(isChild: false, name: parent.label)
                let members = parent.value(forKey: "children") as? Set<NSManagedObject> ?? []
                let children = Set(members.map(\.number))
                let wanted = Set(expected.filter { $0.value.parent == parent.number }.keys)
                if children != wanted { return "children \(children) of \(parent.number), not \(wanted)" }
            }
            let differing = Set(nodes.keys).union(expected.keys).filter { nodes[$0] != expected[$0] }.sorted()
            guard let number = differing.first else { return nil }
            return "\(number) is \(String(describing: nodes[number])), not \(String(describing: expected[number]))"
        }
    }
}

extension NSManagedObjectContext {
    /// Makes the objects without changes faults.
    func makeFaults() {
        for object in registeredObjects where !object.hasChanges { refresh(object, mergeChanges: false) }
    }
}

extension NSManagedObject {
    fileprivate var number: Int { value(forKey: "number") as? Int ?? 0 }
}
