/// The simple model of what a store and the contexts above it hold.
struct GraphModel {
    /// A parent or child. Both have a name; only children have an age and a parent.
    struct Node: Hashable {
        var isChild: Bool
        var name: String
        var age = 0
        var parent: Int?
    }

    /// The changes of one context.
    struct Changes {
        var inserted: [Int: Node] = [:]
        var names: [Int: String] = [:]
        var ages: [Int: Int] = [:]
        var parents: [Int: Int?] = [:]
        var deleted: Set<Int> = []

        /// The nodes that the changes are about.
        var touched: Set<Int> {
            Set(inserted.keys).union(names.keys).union(ages.keys).union(parents.keys).union(deleted)
                .union(parents.values.compactMap { $0 }).union(inserted.values.compactMap(\.parent))
        }

        func applied(to nodes: [Int: Node]) -> [Int: Node] {
            var result = nodes.merging(inserted) { $1 }
            for (number, name) in names { result[number]?.name = name }
            for (number, age) in ages { result[number]?.age = age }
            for (number, parent) in parents { result[number]?.parent = parent }
            for number in deleted { result[number] = nil }
            return result
        }
    }

    private(set) var stored: [Int: Node] = [:]
    private(set) var changes = [Changes(), Changes()]
    /// Whether each context has taken over what the other saved.
    var isMerged = [true, true]
    private var lastNumber = 0

    /// Returns what a context shows.
    func view(_ context: Int) -> [Int: Node] { changes[context].applied(to: stored) }

    mutating func insert(isChild: Bool, _ context: Int) -> Int {
        lastNumber += 1
        changes[context].inserted[lastNumber] = Node(isChild: isChild, name: "new")
        return lastNumber
    }

    mutating func setName(_ name: String, of number: Int, _ context: Int) {
        if changes[context].inserted[number] != nil {
            changes[context].inserted[number]?.name = name
        } else {
            changes[context].names[number] = name
        }
    }

    mutating func setAge(_ age: Int, of number: Int, _ context: Int) {
        if changes[context].inserted[number] != nil {
            changes[context].inserted[number]?.age = age
        } else {
            changes[context].ages[number] = age
        }
    }

    mutating func setParent(_ parent: Int?, of number: Int, _ context: Int) {
        if changes[context].inserted[number] != nil {
            changes[context].inserted[number]?.parent = parent
        } else if stored[number]?.parent == parent {
            // Setting the value that the store has takes a change back.
            changes[context].parents[number] = nil
        } else {
            changes[context].parents[number] = .some(parent)
        }
    }

    /// Deletes a node, whose children then have no parent.
    mutating func delete(_ number: Int, _ context: Int) {
        for (child, node) in view(context) where node.parent == number { setParent(nil, of: child, context) }
        if changes[context].inserted.removeValue(forKey: number) == nil { changes[context].deleted.insert(number) }
        changes[context].names[number] = nil
        changes[context].ages[number] = nil
        changes[context].parents[number] = nil
    }

    mutating func save(_ context: Int) {
        stored = view(context)
        changes[context] = Changes()
    }

    /// Lets a context take over what the other one has saved. A change to what the store now has is none any more. Only
    /// parents can be equal.
    mutating func merge(into context: Int) {
        changes[context].parents = changes[context].parents.filter { stored[$0]?.parent != $1 }
    }

    mutating func discard(_ context: Int) { changes[context] = Changes() }
}
