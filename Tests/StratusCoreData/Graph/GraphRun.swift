import Foundation
import StratusCoreData
import StratusSeeds

/// An operation on one of two contexts. The numbers choose among the objects that exist when it runs, so that a list of
/// operations can be shortened.
struct GraphOperation: CustomStringConvertible {
    enum Kind: CaseIterable {
        case insertParent, insertChild, setName, setAge, setParent, clearParent, delete, save, saveUnmerged, rollback
        case refresh, fault
    }

    let kind: Kind
    let context: Int
    let first: Int
    let second: Int

    init(_ kind: Kind, first: Int = 0, second: Int = 0) {
        (self.kind, context, self.first, self.second) = (kind, 0, first, second)
    }

    init(_ random: inout SeededRandom) {
        kind = Kind.allCases[random.below(Kind.allCases.count)]
        context = random.below(2)
        first = random.below(1_000)
        second = random.below(1_000)
    }

    var description: String { "\(kind)(\(context), \(first), \(second))" }
}

/// Two contexts of one store, and the model of what they hold.
final class GraphRun {
    private let families: [Family]
    private var model = GraphModel()
    private var logs: [NotificationLog] = []
    /// Values are all different, so that each change is one.
    private var lastValue = 0

    init() throws {
        let family = try Family.ofGraph()
        families = [family, Family(beside: family)]
        for family in families {
            family.run { $0.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
            logs.append(NotificationLog(of: family.context))
        }
    }

    /// Runs operations and returns the first difference between a context or store and the model.
    static func difference(after operations: [GraphOperation]) throws -> String? {
        let run = try GraphRun()
        for (index, operation) in operations.enumerated() {
            try run.run(operation)
            if let difference = try run.difference() { return "\(difference) after operation \(index)" }
        }
        return nil
    }

    private func run(_ operation: GraphOperation) throws {
        let context = operation.context
        try families[context].run { (family: Family) throws in
            switch operation.kind {
            case .insertParent, .insertChild:
                let isChild = operation.kind == .insertChild
                let object = family.insert(isChild ? "Child" : "Parent", named: "new")
                if isChild { object.setValue(0, forKey: "age") }
                object.setValue(model.insert(isChild: isChild, context), forKey: "number")
            case .setName:
                guard let number = pick(operation.first, context) else { return }
                lastValue += 1
                try family.object(number).setValue("n\(lastValue)", forKey: "name")
                model.setName("n\(lastValue)", of: number, context)
            case .setAge:
                guard let number = pick(operation.first, context, isChild: true) else { return }
                lastValue += 1
                try family.object(number).setValue(lastValue, forKey: "age")
                model.setAge(lastValue, of: number, context)
            case .setParent:
                // A context that does not know the store cannot take a change back.
                guard model.isMerged[context], let number = pick(operation.first, context, isChild: true),
                    let parent = pick(operation.second, context, isChild: false)
                else { return }
                try family.object(number).setValue(try family.object(parent), forKey: "parent")
                model.setParent(parent, of: number, context)
            case .clearParent:
                guard model.isMerged[context], let number = pick(operation.first, context, isChild: true) else {
                    return
                }
                try family.object(number).setValue(nil, forKey: "parent")
                model.setParent(nil, of: number, context)
            case .delete: try delete(operation, family)
            case .save, .saveUnmerged: try save(operation, family)
            case .rollback:
                family.context.rollback()
                model.discard(context)
            case .refresh: family.context.refreshAllObjects()
            case .fault: family.context.makeFaults()
            }
        }
        if operation.kind == .save { try merge(context) }
    }

    /// Deletes an object that the other context has not changed: what then happens is the affair of the tests of merge
    /// policies.
    private func delete(_ operation: GraphOperation, _ family: Family) throws {
        let (context, other) = (operation.context, 1 - operation.context)
        guard model.isMerged == [true, true], let number = pick(operation.first, context) else { return }
        let touched = model.changes[other].touched
        let children = model.view(context).filter { $0.value.parent == number }.keys
        guard !touched.contains(number), touched.isDisjoint(with: children) else { return }
        // The other context does not touch the object before it knows about the deletion.
        guard model.changes[other].touched.isEmpty else { return }
        family.context.delete(try family.object(number))
        model.delete(number, context)
        try family.context.save()
        model.save(context)
        try merge(context)
    }

    private func save(_ operation: GraphOperation, _ family: Family) throws {
        let context = operation.context
        try family.context.save()
        model.save(context)
        if !model.isMerged[context] {
            family.context.reset()
            model.isMerged[context] = true
        }
        if operation.kind == .saveUnmerged { model.isMerged[1 - context] = false }
    }

    /// Lets the other context take over what one has saved.
    private func merge(_ context: Int) throws {
        let other = 1 - context
        guard model.isMerged[other] else { return }
        let userInfo = logs[context].userInfo(.NSManagedObjectContextDidSave)
        families[other].run { family in
            family.context.mergeChanges(
                fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave, userInfo: userInfo))
        }
        model.merge(into: other)
    }

    /// Chooses an object that a context shows and may change.
    private func pick(_ choice: Int, _ context: Int, isChild: Bool? = nil) -> Int? {
        let nodes = model.view(context).filter { isChild == nil || $0.value.isChild == isChild }
        let numbers = nodes.keys.sorted()
        return numbers.isEmpty ? nil : numbers[choice % numbers.count]
    }

    private func difference() throws -> String? {
        for context in [0, 1] where model.isMerged[context] {
            if let difference = try families[context].difference(from: model.view(context)) {
                return "context \(context): \(difference)"
            }
        }
        return try Family(beside: families[0]).difference(from: model.stored).map { "store: \($0)" }
    }
}
