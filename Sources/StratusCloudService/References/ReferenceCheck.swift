import StratusCloudModel
import StratusCloudStore

/// Decides what references allow of a batch, and what goes with its deletions.
///
/// The order of operations does not matter: all saves happen, then all deletions, each with what refers to the deleted
/// record with `DELETE_SELF`. Afterwards every target of a `VALIDATE` reference and every parent must be there. An
/// operation in the way of that is refused, and the rest is looked at again without it.
struct ReferenceCheck {
    /// What an operation does to its record.
    struct Item {
        let name: String
        let before: StoredRecord?
        /// nil deletes it.
        let after: StoredRecord?
        let references: Set<ActingReference>
        let added: Set<ActingReference>
        let removed: Set<ActingReference>

        init(_ name: String, before: StoredRecord?, after: StoredRecord?) {
            self.name = name
            self.before = before
            self.after = after
            let old = before?.actingReferences ?? []
            references = after?.actingReferences ?? []
            added = references.subtracting(old)
            removed = old.subtracting(references)
        }

        var isDeletion: Bool { after == nil }
        /// Who made the record.
        var author: String { (after ?? before)?.created.userRecordName ?? Caller.nobodyRecordName }
        /// The parent that the record did not have before.
        var newParent: String? { added.first { $0.kind == .parent }?.target }
        var changesAnything: Bool { isDeletion || !added.isEmpty || !removed.isEmpty }
    }

    /// Why operations are refused, by their numbers.
    private(set) var refusals: [Int: CloudError] = [:]
    /// Those of the operations' new references that do not hold their targets, because the author of the record that
    /// refers may not write the target; see ``ReferenceAuthority``.
    private(set) var loose: [Int: Set<ActingReference>] = [:]
    /// What goes with the deletions that are not refused.
    private(set) var cascade: Cascade?
    private(set) var graph: ReferenceGraph
    private let targets: ReferenceTargets
    private let all: [Int: Item]
    private let operations: [String: Int]
    /// Those of ``all`` that are not refused.
    private var items: [Int: Item]

    /// - Parameter items: by the numbers of their operations, without those refused before.
    init(_ items: [Int: Item], in graph: ReferenceGraph, looking targets: ReferenceTargets) {
        all = items
        self.items = items
        self.graph = graph
        self.targets = targets
        operations = Dictionary(items.map { ($1.name, $0) }) { first, _ in first }
    }

    /// Fills ``refusals`` and ``cascade``. Reads nothing if nothing is deleted, and no reference comes or goes.
    mutating func run() throws {
        let changed = all.values.filter(\.changesAnything)
        guard !changed.isEmpty else { return }
        let counted = changed.flatMap { item in
            (item.added.union(item.removed)).map(\.target)
                + (item.isDeletion || item.newParent != nil ? [item.name] : [])
        }
        try graph.ledger.load(counted, in: graph.transaction)
        let probes = targets.view.access != nil
        let held = changed.flatMap { $0.added.filter { probes || $0.kind.holdsTarget }.map(\.target) }
        try graph.ledger.load(changed.flatMap(Self.authorPlaces), in: graph.transaction)
        let found = try targets.look(for: held.filter { operations[$0] == nil }, in: graph.transaction)
        findLooseReferences(found)
        repeat { takeInSaves() } while try refuseSaves(found.missing) || refuseDeletions()
    }

    private static func authorPlaces(of item: Item) -> [ReferrerLedger.AuthorPlace] {
        item.added.union(item.removed).filter { $0.kind == .deleteSelf }.map {
            ReferrerLedger.AuthorPlace(target: $0.target, author: item.author)
        }
    }

    private mutating func findLooseReferences(_ found: ReferenceTargets.Findings) {
        guard let authority = graph.authority else { return }
        for (index, item) in all {
            let strange = item.added.filter { reference in
                guard reference.kind.holdsTarget else { return false }
                let saved = operations[reference.target].flatMap { all[$0] }.flatMap { $0.after ?? $0.before }
                guard let target = saved.map(ReferenceAuthority.Target.init) ?? found.known[reference.target] else {
                    // An import brought it first. It is judged again when the target is deleted.
                    return false
                }
                return !authority.mayHold(target, author: item.author)
            }
            if !strange.isEmpty { loose[index] = strange }
        }
    }

    private mutating func takeInSaves() {
        var saves: [String: Set<ActingReference>] = [:]
        for item in items.values where !item.isDeletion { saves[item.name] = item.references }
        graph.setSaves(saves)
    }

    private mutating func refuse(_ index: Int, _ code: CloudError.Code, _ reason: String) {
        refusals[index] = CloudError(code, reason)
        items[index] = nil
    }

    // MARK: - Saves

    /// - Returns: whether any was refused.
    private mutating func refuseSaves(_ missing: Set<String>) throws -> Bool {
        let count = refusals.count
        // A participant's reference to what they do not see would tell them of it when it goes.
        let all = targets.view.access != nil
        for (index, item) in sorted(items) where item.added.contains(where: { all || $0.kind.holdsTarget }) {
            let absent = item.added.filter { (all || $0.kind.holdsTarget) && isAbsent($0.target, missing) }
            guard let reference = absent.min(by: { $0.target < $1.target }), let record = item.after else { continue }
            refuse(
                index, .validatingReferenceError,
                "record '\(item.name)': '\(reference.target)', to which \(record.place(of: reference)) refers, does "
                    + "not exist")
        }
        guard refusals.count == count else { return true }
        refuseOverLimit()
        try refuseCircles()
        return refusals.count > count
    }

    /// Whether a target is not there once the saves have happened.
    private func isAbsent(_ target: String, _ missing: Set<String>) -> Bool {
        guard let operation = operations[target] else { return missing.contains(target) }
        return items[operation] == nil && all[operation]?.before == nil
    }

    private mutating func refuseOverLimit() {
        var counts: [ReferrerLedger.AuthorPlace: Int] = [:]
        // In private databases everybody has the same places.
        func place(_ reference: ActingReference, _ item: Item) -> ReferrerLedger.AuthorPlace {
            .init(target: reference.target, author: graph.ledger.isPublic ? item.author : "")
        }
        for item in items.values {
            for reference in item.removed where reference.kind == .deleteSelf {
                counts[place(reference, item), default: 0] -= 1
            }
        }
        for (index, item) in sorted(items) {
            let added = item.added.filter { $0.kind == .deleteSelf }
            for reference in added { counts[place(reference, item), default: 0] += 1 }
            let excess = added.first { reference in
                let stored = graph.ledger.deleteSelfSources(of: reference.target, by: item.author)
                return stored + counts[place(reference, item), default: 0] > targets.deleteSelfSources
            }
            guard let excess, let record = item.after else { continue }
            for reference in added { counts[place(reference, item), default: 0] -= 1 }
            let author = graph.ledger.isPublic ? " of the same author" : ""
            refuse(
                index, .badRequest,
                "record '\(item.name)': '\(excess.target)', to which \(record.place(of: excess)) refers, is the target "
                    + "of \(targets.deleteSelfSources) records\(author) with DELETE_SELF, which is the maximum")
        }
    }

    /// A circle needs a record that gets a parent and has children.
    private mutating func refuseCircles() throws {
        let moved = sorted(items).filter { _, item in
            // Not all children of a public record are counted.
            item.newParent != nil
                && (graph.ledger.isPublic || graph.ledger[item.name].holding > 0
                    || graph.isTargetOfSave(item.name, .parent))
        }
        guard !moved.isEmpty else { return }
        var parents: [String: String?] = [:]
        for item in items.values {
            if let record = item.after { parents[item.name] = .some(record.parent?.recordName) }
        }
        var chain = ParentChain(zone: graph.zone, saved: parents, in: graph.transaction)
        for (index, item) in moved {
            let subject = "record '\(item.name)': with '\(item.newParent ?? "")' as its parent"
            switch try chain.follow(from: item.name) {
            case .fine: break
            case .circle:
                refuse(index, .validatingReferenceError, "\(subject) it would be its own ancestor")
            case .tooLong:
                refuse(
                    index, .badRequest,
                    "\(subject) it would have more than \(ReferenceLimits.parentChain) ancestors, which is the maximum")
            }
        }
    }

    // MARK: - Deletions

    /// - Returns: whether any was refused.
    private mutating func refuseDeletions() throws -> Bool {
        cascade = nil
        let deletions = sorted(items).filter(\.item.isDeletion)
        guard !deletions.isEmpty else { return false }
        let count = refusals.count
        var kept: Set<String> = []
        while true {
            let cascade = try Cascade(
                from: deletions.map { Cascade.Root(name: $0.item.name) }, deletesRoots: true, keeping: kept,
                in: &graph)
            for (index, item) in deletions {
                if let holder = try cascade.holder(of: item.name, in: &graph) { refuseDeletion(index, of: nil, holder) }
            }
            let staying = try refuseForVictims(of: cascade)
            guard refusals.count == count else { return true }
            guard !staying.isEmpty else {
                self.cascade = cascade
                return false
            }
            kept.formUnion(staying)
        }
    }

    /// Refuses the deletions that take along what something else holds.
    /// - Returns: what stays instead, because it is a stranger's, which must not keep anybody from deleting what is
    ///   theirs.
    private mutating func refuseForVictims(of cascade: Cascade) throws -> Set<String> {
        var staying: Set<String> = []
        let via = Dictionary(cascade.victims.map { ($0.name, $0.target) }) { first, _ in first }
        for victim in cascade.victims {
            guard let holder = try cascade.holder(of: victim.name, in: &graph) else { continue }
            var root = victim.target
            while let above = via[root] { root = above }
            guard let index = operations[root], let deleted = all[index]?.before else { continue }
            if let authority = graph.authority, let author = try author(of: victim.name),
                !authority.mayHold(.init(deleted), author: author)
            {
                staying.insert(victim.name)
            } else {
                refuseDeletion(index, of: victim.name, holder)
            }
        }
        return staying
    }

    private func author(of name: String) throws -> String? {
        if let item = operations[name].flatMap({ all[$0] }) { return item.author }
        return try graph.transaction.record(named: name, in: graph.zone)?.created.userRecordName
    }

    /// - Parameter victim: the record that is held, if it is not the one that the operation names.
    private mutating func refuseDeletion(_ index: Int, of victim: String?, _ holder: ReferenceGraph.Referrer) {
        guard let item = items[index] else { return }
        // In the public and shared databases both may be records that the caller cannot see.
        let tells = targets.scope == .private
        let held = victim.map { "\(tells ? "'\($0)'" : "another record"), which would be deleted with it," } ?? "it"
        let name = tells ? "record '\(holder.source)'" : "another record"
        let reason = holder.kind == .parent ? "is the parent of \(name)" : "is referred to with VALIDATE by \(name)"
        refuse(index, .validatingReferenceError, "record '\(item.name)' cannot be deleted: \(held) \(reason)")
    }

    private func sorted(_ items: [Int: Item]) -> [(index: Int, item: Item)] {
        items.sorted { $0.key < $1.key }.map { (index: $0.key, item: $0.value) }
    }
}
