/// What shares reach: from what is shared down to all that hangs below it. The server writes down at each record what it
/// belongs to, and looks up from there; nothing here does.
extension LeakRules.Zone {
    struct Holding: Sendable {
        let share: String
        let place: LeakTable.Place
    }

    /// The share of everything in the zone.
    var whole: String? { shares.first { $0.value.root == nil }?.key }

    /// The records right below each.
    private var children: [String: [String]] {
        Dictionary(grouping: items.keys.filter { items[$0]?.parent != nil }) { items[$0]?.parent ?? "" }
    }

    /// All below a record, each once, even if it went round.
    func below(_ top: String) -> Set<String> {
        let children = children
        var found: Set<String> = []
        var layer = children[top] ?? []
        while !layer.isEmpty {
            layer = layer.filter { found.insert($0).inserted }.flatMap { children[$0] ?? [] }
        }
        return found
    }

    /// What each share holds, by the records' names.
    func spread() -> [String: Holding] {
        var held: [String: Holding] = [:]
        for (share, content) in shares {
            held[share] = Holding(share: share, place: .share)
            if let root = content.root {
                held[root] = Holding(share: share, place: .root)
                for name in below(root) where name != root { held[name] = Holding(share: share, place: .below) }
            } else {
                for name in items.keys { held[name] = Holding(share: share, place: .zone) }
            }
        }
        return held
    }
}

extension LeakRules {
    /// The share that holds a record. One of the whole zone holds also what is not there yet.
    func share(of name: String, in zone: String) -> String? { zones[zone]?.whole ?? held[zone]?[name]?.share }

    func member(_ person: Int, _ share: String, in zone: String) -> Member? {
        zones[zone]?.shares[share]?.members[person].flatMap { $0.hasAccepted ? $0 : nil }
    }

    /// What somebody may do with a record, whether there is one or not.
    func may(_ person: Int, _ name: String, in zone: String) -> Set<LeakTable.Act> {
        guard let content = zones[zone], content.items[name] != nil || content.shares[name] != nil else { return [] }
        let holding = held[zone]?[name]
        // All of a zone is its owner's, shared or not.
        let place = holding?.place ?? .zone
        if person == Self.owner { return LeakTable.acts(.owner, accepted: true, writes: true, at: place) }
        return holding.map { may(person, at: place, of: $0.share, in: zone) } ?? []
    }

    private func may(
        _ person: Int, at place: LeakTable.Place, of share: String, in zone: String
    ) -> Set<LeakTable.Act> {
        guard let member = zones[zone]?.shares[share]?.members[person] else { return [] }
        return LeakTable.acts(member.kind, accepted: member.hasAccepted, writes: member.writes, at: place)
    }

    /// Whether somebody may do something to anything that is or will be in a zone.
    private func may(_ person: Int, _ act: LeakTable.Act, somewhereIn zone: String) -> Bool {
        guard let content = zones[zone] else { return false }
        if person == Self.owner { return true }
        return content.shares.contains { name, share in
            may(person, at: share.root == nil ? .zone : .root, of: name, in: zone).contains(act)
        }
    }

    func sees(_ person: Int, _ name: String, in zone: String) -> Bool { may(person, name, in: zone).contains(.lookUp) }

    func writes(_ person: Int, _ name: String, in zone: String) -> Bool {
        may(person, name, in: zone).contains(.change)
    }

    func seesZone(_ person: Int, _ zone: String) -> Bool { may(person, .lookUp, somewhereIn: zone) }
    func writesZone(_ person: Int, _ zone: String) -> Bool { may(person, .add, somewhereIn: zone) }

    /// Whether somebody says who takes part in a share, and so sees who does.
    func manages(_ person: Int, _ share: String, in zone: String) -> Bool {
        may(person, share, in: zone).contains(.manage)
    }

    func visible(to person: Int, in zone: String) -> Set<String> {
        Set((zones[zone]?.names ?? []).filter { sees(person, $0, in: zone) })
    }

    /// What must come of an act that has no right change tag.
    func outcome(_ act: LeakTable.Act, _ person: Int, _ name: String, in zone: String) -> String? {
        LeakTable.outcome(act, seesZone(person, zone) ? may(person, name, in: zone) : nil)
    }

    func isRoot(_ name: String, in zone: String) -> Bool { held[zone]?[name]?.place == .root }
    func isWhole(_ zone: String) -> Bool { zones[zone]?.whole != nil }

    // MARK: - What may be done

    func children(of name: String, in zone: String) -> [String] {
        zones[zone]?.items.filter { $0.value.parent == name }.map(\.key).sorted() ?? []
    }

    /// The shares that have a root among a record and what is below it.
    private func shares(from name: String, in zone: String) -> Set<String> {
        guard let content = zones[zone] else { return [] }
        let names = content.below(name).union([name])
        return Set(content.shares.filter { $0.value.root.map(names.contains) ?? false }.keys)
    }

    /// Whether a record may be shared: neither it, nor what is above or below it, nor the zone is shared.
    func isFree(_ name: String, in zone: String) -> Bool {
        !isWhole(zone) && held[zone]?[name] == nil && shares(from: name, in: zone).isEmpty
    }

    /// Whether a record may be put below another: not below itself, and nothing may come into two shares by it.
    func mayMove(_ name: String, below parent: String, in zone: String) -> Bool {
        guard let content = zones[zone], name != parent, !content.below(name).contains(parent) else { return false }
        guard !isWhole(zone), let target = held[zone]?[parent]?.share else { return true }
        return shares(from: name, in: zone).isSubset(of: [target])
    }

    func mayCreate(_ person: Int, below parent: String?, in zone: String) -> Bool {
        if person == Self.owner { return true }
        if isWhole(zone) { return writesZone(person, zone) }
        return parent.map { may(person, $0, in: zone).contains(.add) } ?? false
    }
}
