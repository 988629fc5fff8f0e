import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct ReferencePropertyTests {
    private static let names = (0..<12).map { "n\($0)" }

    /// Random graphs changed by random batches, against the plain model, in a custom and the default zone.
    @Test(arguments: Engine.allCases)
    func randomHistoriesAgreeWithTheModel(engine: Engine) async throws {
        let seed = Seed.draw()
        print("ReferencePropertyTests seed: \(seed)")
        var random = RandomValues(seed: seed)
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        for zone in ["Z", nil] {
            var model = ReferenceModel()
            for round in 0..<150 {
                let operations = Self.batch(using: &random, holding: true)
                let atomic: Bool? = zone == nil ? nil : Bool.random(using: &random)
                let expected = model.apply(operations, atomic: atomic ?? false)
                let codes = try await cloud.codes(operations, zone: zone, atomic: atomic)
                #expect(codes == expected, "seed \(seed), round \(round), \(operations.map(\.words))")
                #expect(
                    try await cloud.present(Self.names, zone: zone) == Set(model.records.keys),
                    "seed \(seed), round \(round), \(operations.map(\.words))")
            }
            try await cloud.expectSoundReferences(zone: zone, "seed \(seed)")
        }
    }

    /// However few records a transaction takes, what is left in the end is the same.
    @Test(arguments: Engine.allCases)
    func stepsOfAnySizeComeToTheSame(engine: Engine) async throws {
        let seed = Seed.draw()
        print("ReferencePropertyTests seed: \(seed)")
        var random = RandomValues(seed: seed)
        for _ in 0..<6 {
            let work = CascadeWork(
                recordsPerStep: Int.random(in: 1...4, using: &random),
                bytesPerStep: [1, 200, 1_000_000].randomElement(using: &random) ?? 1,
                recordsPerFetch: Int.random(in: 1...3, using: &random),
                targetsPerStep: Int.random(in: 1...3, using: &random),
                referencesPerStep: Int.random(in: 1...10, using: &random),
                holdsPerRead: Int.random(in: 1...3, using: &random))
            let cloud = try await TestCloud(engine, cascadeWork: work)
            try await cloud.makeZone("Z")
            var model = ReferenceModel()
            for round in 0..<40 {
                let operations = Self.batch(using: &random, holding: false)
                let expected = model.apply(operations, atomic: true)
                #expect(try await cloud.codes(operations) == expected, "seed \(seed), round \(round), \(work)")
                #expect(
                    try await cloud.present(Self.names) == Set(model.records.keys),
                    "seed \(seed), round \(round), \(work)")
            }
            try await cloud.expectSoundReferences(zone: "Z", "seed \(seed)")
        }
    }

    private static func batch(using random: inout RandomValues, holding: Bool) -> [RecordOperation] {
        var free = names.shuffled(using: &random)
        return (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let name = free.removeLast()
            guard Int.random(in: 0..<4, using: &random) > 0 else { return .remove(name) }
            let targets = names.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random))
            let actions: [Reference.Action] = holding ? [.none, .deleteSelf, .deleteSelf, .validate] : [.deleteSelf]
            let hasParent = holding && Int.random(in: 0..<3, using: &random) == 0
            return .link(
                name, actions.randomElement(using: &random) ?? .none, to: targets.sorted(),
                parent: hasParent ? names.randomElement(using: &random) : nil)
        }
    }
}

extension RecordOperation {
    /// For messages of failed tests.
    fileprivate var words: String {
        let name = record.recordName ?? "?"
        guard !kind.isDeletion else { return "-\(name)" }
        var words = name
        if case .list(let members)? = record.fields.first?.field.value {
            for case .scalar(.reference(let reference)) in members {
                words += " \(reference.action)→\(reference.recordName)"
            }
        }
        return record.parent.map { words + " ↑\($0.recordName)" } ?? words
    }
}

/// What a batch does to records that refer to each other, written down as plainly as possible.
struct ReferenceModel {
    struct Node {
        var action: Reference.Action
        var targets: Set<String>
        var parent: String?

        /// The targets that must be there.
        var needed: Set<String> { (action == .validate ? targets : []).union(parent.map { [$0] } ?? []) }
    }

    private(set) var records: [String: Node] = [:]

    mutating func apply(_ operations: [RecordOperation], atomic: Bool) -> [CloudError.Code?] {
        var refused: Set<Int> = []
        while let more = refusals(of: operations, without: refused) { refused.formUnion(more) }
        guard !atomic || refused.isEmpty else {
            return operations.indices.map { refused.contains($0) ? .validatingReferenceError : .atomicError }
        }
        let saved = afterSaves(operations, without: refused)
        let gone = closure(of: deletions(operations, without: refused), in: saved)
        records = saved.filter { !gone.contains($0.key) }
        return operations.indices.map { refused.contains($0) ? .validatingReferenceError : nil }
    }

    /// Operations that cannot be, given that some are refused already; nil if all can.
    private func refusals(of operations: [RecordOperation], without refused: Set<Int>) -> [Int]? {
        let saved = afterSaves(operations, without: refused)
        let active = operations.indices.filter { !refused.contains($0) }
        let saves = active.filter { !operations[$0].kind.isDeletion }
        let absent = saves.filter { index in
            let name = operations[index].record.recordName ?? ""
            let added = (saved[name]?.needed ?? []).subtracting(records[name]?.needed ?? [])
            return added.contains { saved[$0] == nil }
        }
        if !absent.isEmpty { return absent }
        let circular = saves.filter { index in
            let name = operations[index].record.recordName ?? ""
            guard let parent = saved[name]?.parent, parent != records[name]?.parent else { return false }
            var seen: Set<String> = []
            var current: String? = parent
            while let ancestor = current, seen.insert(ancestor).inserted {
                if ancestor == name { return true }
                current = saved[ancestor]?.parent
            }
            return false
        }
        if !circular.isEmpty { return circular }
        let gone = closure(of: deletions(operations, without: refused), in: saved)
        let held = gone.filter { name in saved.contains { !gone.contains($0.key) && $0.value.needed.contains(name) } }
        let guilty = active.filter { index in
            operations[index].kind.isDeletion && saved[operations[index].record.recordName ?? ""] != nil
                && !closure(of: [operations[index].record.recordName ?? ""], in: saved).isDisjoint(with: held)
        }
        return guilty.isEmpty ? nil : guilty
    }

    private func afterSaves(_ operations: [RecordOperation], without refused: Set<Int>) -> [String: Node] {
        var saved = records
        for (index, operation) in operations.enumerated() where !refused.contains(index) && !operation.kind.isDeletion {
            var node = Node(action: .none, targets: [], parent: operation.record.parent?.recordName)
            if case .list(let members)? = operation.record.fields.first?.field.value {
                for case .scalar(.reference(let reference)) in members {
                    node.action = reference.action
                    node.targets.insert(reference.recordName)
                }
            }
            saved[operation.record.recordName ?? ""] = node
        }
        return saved
    }

    private func deletions(_ operations: [RecordOperation], without refused: Set<Int>) -> Set<String> {
        Set(
            operations.indices.filter { !refused.contains($0) && operations[$0].kind.isDeletion }
                .compactMap { operations[$0].record.recordName }
        ).intersection(records.keys)
    }

    private func closure(of roots: Set<String>, in saved: [String: Node]) -> Set<String> {
        var gone = roots
        while true {
            let more = saved.filter { name, node in
                !gone.contains(name) && node.action == .deleteSelf && !node.targets.isDisjoint(with: gone)
            }
            if more.isEmpty { return gone }
            gone.formUnion(more.keys)
        }
    }
}
