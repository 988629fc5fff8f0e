import StratusCloudStore

/// What goes with records that are deleted, as far as one transaction takes it.
struct Cascade {
    /// A record whose holders go with it.
    struct Root {
        let name: String
        /// Only references made until this version of the zone count; nil means all.
        var version: UInt64?
    }

    /// A record that goes because it refers to `target`, which goes or went before.
    struct Victim {
        let name: String
        let target: String
    }

    /// In an order in which each comes after its target.
    private(set) var victims: [Victim] = []
    /// Targets of which not all holders are among the victims: it was enough for one transaction.
    private(set) var pending: Set<String> = []
    private var taken: Set<String>
    private let kept: Set<String>

    /// Follows the references depth first, so that what one transaction takes is whole subtrees where possible.
    /// - Parameters:
    ///   - deletesRoots: whether the roots are deleted now; otherwise they were before.
    ///   - kept: records that stay although they refer to what goes.
    init(
        from roots: [Root], deletesRoots: Bool, keeping kept: Set<String> = [], in graph: inout ReferenceGraph
    ) throws {
        self.kept = kept
        taken = deletesRoots ? Set(roots.map(\.name)) : []
        var references = 0
        try graph.ledger.load(roots.lazy.map(\.name), in: graph.transaction)
        for root in roots {
            let isEnough = victims.count >= graph.work.recordsPerStep || references >= graph.work.referencesPerStep
            guard !isEnough else {
                if try !graph.goers(of: root.name, madeUntil: root.version).isEmpty { pending.insert(root.name) }
                continue
            }
            try follow(root, &references, in: &graph)
        }
    }

    private mutating func follow(_ root: Root, _ references: inout Int, in graph: inout ReferenceGraph) throws {
        var stack: [Victim] = []
        func push(_ goers: [String], of target: String, _ graph: inout ReferenceGraph) throws {
            references += goers.count
            try graph.ledger.load(goers, in: graph.transaction)
            for name in goers.reversed() { stack.append(Victim(name: name, target: target)) }
        }
        try push(try graph.goers(of: root.name, madeUntil: root.version), of: root.name, &graph)
        while let victim = stack.popLast() {
            guard !taken.contains(victim.name), !kept.contains(victim.name) else { continue }
            guard victims.count < graph.work.recordsPerStep,
                references < graph.work.referencesPerStep || victims.isEmpty
            else {
                pending.insert(victim.target)
                continue
            }
            taken.insert(victim.name)
            victims.append(victim)
            try push(try graph.goers(of: victim.name), of: victim.name, &graph)
        }
    }

    /// Who holds a record that is to be deleted; nil if it may go. What goes itself does not hold, nor what follows in
    /// a later transaction.
    func holder(of name: String, in graph: inout ReferenceGraph) throws -> ReferenceGraph.Referrer? {
        let following = pending.contains(name) ? Set(try graph.goers(of: name)) : []
        return try graph.holder(of: name) { referrer in
            taken.contains(referrer.source) || following.contains(referrer.source) && !kept.contains(referrer.source)
        }
    }
}
