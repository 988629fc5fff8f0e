import StratusCloudStore

/// What goes with records that are deleted, as far as one transaction takes it.
struct Cascade {
    /// A record whose holders go with it.
    struct Root {
        let name: String
        /// Only references made until this version of the zone count; nil means all.
        var version: UInt64?
        /// Only holders behind this one count, in the order of their names; nil means all.
        var after: String?
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
    /// Roots that were deleted before and have more holders than one transaction reads, with the last that was read.
    private(set) var continuations: [String: String] = [:]
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
                let goers = try graph.goers(of: root.name, madeUntil: root.version, after: root.after)
                if !goers.names.isEmpty || goers.last != nil { pending.insert(root.name) }
                continue
            }
            let last = try follow(root, &references, in: &graph)
            if last != nil, deletesRoots { pending.insert(root.name) } else { continuations[root.name] = last }
        }
    }

    /// - Returns: the last stored holder of the root that was read, if there are more.
    private mutating func follow(
        _ root: Root, _ references: inout Int, in graph: inout ReferenceGraph
    ) throws -> String? {
        var stack: [Victim] = []
        func push(_ goers: [String], of target: String, _ graph: inout ReferenceGraph) throws {
            references += goers.count
            try graph.ledger.load(goers, in: graph.transaction)
            for name in goers.reversed() { stack.append(Victim(name: name, target: target)) }
        }
        let first = try graph.goers(of: root.name, madeUntil: root.version, after: root.after)
        try push(first.names, of: root.name, &graph)
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
            let more = try graph.goers(of: victim.name)
            if more.last != nil { pending.insert(victim.name) }
            try push(more.names, of: victim.name, &graph)
        }
        return first.last
    }

    /// Who holds a record that is to be deleted; nil if it may go. What goes itself does not hold, nor what follows in
    /// a later transaction.
    func holder(of name: String, in graph: inout ReferenceGraph) throws -> ReferenceGraph.Referrer? {
        let isPending = pending.contains(name)
        return try graph.holder(of: name, asksGoers: isPending) { referrer, isGoer in
            taken.contains(referrer.source) || isGoer && !kept.contains(referrer.source)
        }
    }
}
