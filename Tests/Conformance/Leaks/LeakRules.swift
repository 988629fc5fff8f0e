/// What the rules of sharing say of a small world, written down from the documentation and found out the slow way: by
/// walking from a record up to what is shared. Knows nothing of how the server does it.
struct LeakRules: Sendable {
    /// People by number; the owner of everything is 0.
    static let owner = 0

    struct Item: Sendable {
        var parent: String?
        /// A record that a field names; whoever sees the one reads the name of the other.
        var mentions: String?
        /// What stands in it for others not to read.
        var secret: String
        /// The bytes of its file.
        var file: String?
    }

    enum Kind: String, Sendable { case administrator, user, publicUser, guest }

    struct Member: Sendable {
        var kind: Kind
        var writes: Bool
        var hasAccepted: Bool
    }

    struct Share: Sendable {
        /// nil for the whole zone.
        var root: String?
        var guid: String
        var title: String
        /// What everybody may do who has the link; nil is nothing.
        var open: Bool?
        var members: [Int: Member] = [:]
        /// One-time links that nobody has used, and whether they let write.
        var oneTime: [String: Bool] = [:]
        /// Whether who is not invited may ask for access.
        var takesRequests = false
        var requesters: Set<Int> = []
        var blocked: Set<Int> = []
        var keys = Keys()
    }

    /// What is kept with a share for encrypted values.
    struct Keys: Sendable {
        /// By the owner; nil before the first.
        var envelope: String?
        var tag = "0"
        var state = "CURRENT"
        var handovers: [Int: String] = [:]
        var proofs: [Int: String] = [:]
    }

    struct Zone: Sendable {
        var items: [String: Item] = [:]
        /// By the names of their records.
        var shares: [String: Share] = [:]

        var names: [String] { items.keys.sorted() + shares.keys.sorted() }
    }

    var zones: [String: Zone] = [:]

    // MARK: - Who sees what

    /// The share a record belongs to: the first root on the way up, or the whole zone's.
    func share(of name: String, in zone: String) -> String? {
        guard let content = zones[zone] else { return nil }
        if let whole = content.shares.first(where: { $0.value.root == nil }) { return whole.key }
        if content.shares[name] != nil { return name }
        var current: String? = name
        while let at = current {
            if let share = content.shares.first(where: { $0.value.root == at }) { return share.key }
            current = content.items[at]?.parent
        }
        return nil
    }

    func member(_ person: Int, _ share: String, in zone: String) -> Member? {
        zones[zone]?.shares[share]?.members[person].flatMap { $0.hasAccepted ? $0 : nil }
    }

    func sees(_ person: Int, _ name: String, in zone: String) -> Bool {
        guard let content = zones[zone], content.items[name] != nil || content.shares[name] != nil else { return false }
        if person == Self.owner { return true }
        return share(of: name, in: zone).flatMap { member(person, $0, in: zone) } != nil
    }

    func writes(_ person: Int, _ name: String, in zone: String) -> Bool {
        guard sees(person, name, in: zone) else { return false }
        return person == Self.owner
            || share(of: name, in: zone).flatMap { member(person, $0, in: zone) }?.writes == true
    }

    func seesZone(_ person: Int, _ zone: String) -> Bool {
        guard let content = zones[zone] else { return false }
        return person == Self.owner || content.shares.keys.contains { member(person, $0, in: zone) != nil }
    }

    func writesZone(_ person: Int, _ zone: String) -> Bool {
        guard let content = zones[zone] else { return false }
        return person == Self.owner || content.shares.keys.contains { member(person, $0, in: zone)?.writes == true }
    }

    /// Whether somebody says who takes part in a share, and so sees who does.
    func manages(_ person: Int, _ share: String, in zone: String) -> Bool {
        person == Self.owner || member(person, share, in: zone)?.kind == .administrator
    }

    func visible(to person: Int, in zone: String) -> Set<String> {
        Set((zones[zone]?.names ?? []).filter { sees(person, $0, in: zone) })
    }

    func isRoot(_ name: String, in zone: String) -> Bool {
        zones[zone]?.shares.values.contains { $0.root == name } ?? false
    }

    func isWhole(_ zone: String) -> Bool { zones[zone]?.shares.values.contains { $0.root == nil } ?? false }

    // MARK: - The table

    /// How somebody stands to a record.
    enum Standing: String, CaseIterable, Sendable {
        case owner, administrator, writer, reader, publicUser, guest
        /// Sees the zone, not the record.
        case beside
        /// Sees nothing of the zone.
        case invited, removed, unrelated
        /// Asked for access; may not even ask.
        case requester, blocked
    }

    enum Act: String, CaseIterable, Sendable { case lookUp, change, delete, makeOver }

    /// What must come of an act that has no right change tag: an error's code, or nothing where it is done.
    ///
    /// | | sees and writes | sees | beside | outside |
    /// |---|---|---|---|---|
    /// | look up | done | done | NOT_FOUND | ZONE_NOT_FOUND |
    /// | change, delete | CONFLICT | ACCESS_DENIED | NOT_FOUND | ZONE_NOT_FOUND |
    /// | delete a root | ACCESS_DENIED | ACCESS_DENIED | NOT_FOUND | ZONE_NOT_FOUND |
    /// | make over | EXISTS | ACCESS_DENIED | ACCESS_DENIED | ZONE_NOT_FOUND |
    ///
    /// Of a share record everybody in it hears CONFLICT: with the right tag they may leave.
    func outcome(_ act: Act, _ person: Int, _ name: String, in zone: String) -> String? {
        guard seesZone(person, zone) else { return "ZONE_NOT_FOUND" }
        guard sees(person, name, in: zone) else { return act == .makeOver ? "ACCESS_DENIED" : "NOT_FOUND" }
        if act == .lookUp { return nil }
        if zones[zone]?.shares[name] != nil { return act == .makeOver ? "EXISTS" : "CONFLICT" }
        guard writes(person, name, in: zone) else { return "ACCESS_DENIED" }
        if act == .delete, person != Self.owner, isRoot(name, in: zone), !isWhole(zone) { return "ACCESS_DENIED" }
        return act == .makeOver ? "EXISTS" : "CONFLICT"
    }

    /// How somebody stands to a record, for knowing that all were met.
    func standing(_ person: Int, _ name: String, in zone: String, former: Bool) -> Standing {
        if person == Self.owner { return .owner }
        if let share = share(of: name, in: zone) {
            if zones[zone]?.shares[share]?.blocked.contains(person) == true { return .blocked }
            if let member = zones[zone]?.shares[share]?.members[person] {
                guard member.hasAccepted else { return .invited }
                switch member.kind {
                case .administrator: return .administrator
                case .publicUser: return .publicUser
                case .guest: return .guest
                case .user: return member.writes ? .writer : .reader
                }
            }
            if zones[zone]?.shares[share]?.requesters.contains(person) == true { return .requester }
            if former, !seesZone(person, zone) { return .removed }
        }
        return seesZone(person, zone) ? .beside : .unrelated
    }

    /// What a link is to somebody; nil if it is not for them.
    func acceptance(_ person: Int, _ share: Share) -> String? {
        if person == Self.owner { return "ACCEPTED" }
        if share.blocked.contains(person) { return nil }
        if let member = share.members[person] { return member.hasAccepted ? "ACCEPTED" : "INVITED" }
        return share.open == nil ? nil : "INVITED"
    }

    // MARK: - What may be done

    func isBelow(_ name: String, _ top: String, in zone: String) -> Bool {
        var current: String? = name
        while let at = current {
            if at == top { return true }
            current = zones[zone]?.items[at]?.parent
        }
        return false
    }

    func children(of name: String, in zone: String) -> [String] {
        zones[zone]?.items.filter { $0.value.parent == name }.map(\.key).sorted() ?? []
    }

    /// Whether a record may be shared: neither it, nor what is above or below it, nor the zone is shared.
    func isFree(_ name: String, in zone: String) -> Bool {
        guard let content = zones[zone], !isWhole(zone), share(of: name, in: zone) == nil else { return false }
        return !content.shares.values.contains { $0.root.map { isBelow($0, name, in: zone) } ?? false }
    }

    /// Whether a record may be put below another without being in two shares.
    func mayMove(_ name: String, below parent: String, in zone: String) -> Bool {
        guard !isBelow(parent, name, in: zone) else { return false }
        guard !isWhole(zone), let target = share(of: parent, in: zone) else { return true }
        return zones[zone]?.shares.allSatisfy { key, share in
            share.root.map { key == target || !isBelow($0, name, in: zone) } ?? true
        } ?? true
    }

    func mayCreate(_ person: Int, below parent: String?, in zone: String) -> Bool {
        if person == Self.owner { return true }
        if isWhole(zone) { return writesZone(person, zone) }
        return parent.map { writes(person, $0, in: zone) } ?? false
    }
}

extension LeakRules {
    /// Takes somebody out of a share, or their invitation back, with all that is kept for them. Whoever may have its keys has
    /// them still: the keys are stale when somebody leaves, and revoked when somebody is taken out. An invitation to what is
    /// open to everybody is no secret.
    mutating func takeOut(_ person: Int, of share: String, in zone: String, isOwnWish: Bool) {
        guard var content = zones[zone]?.shares[share], let member = content.members.removeValue(forKey: person) else {
            return
        }
        content.keys.handovers[person] = nil
        content.keys.proofs[person] = nil
        let knewKeys = member.hasAccepted || content.open == nil
        if knewKeys, content.keys.envelope != nil, content.keys.state != "REVOKED" {
            content.keys.state = isOwnWish ? "STALE" : "REVOKED"
        }
        zones[zone]?.shares[share] = content
    }
}
