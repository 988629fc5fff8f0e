/// What is shared with whom in a small world, and what the rules of sharing say of it: who holds what comes from shares downwards
/// (`LeakRules+reach.swift`), and what they may do with it from a table (`LeakTable.swift`).
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

    struct Member: Sendable {
        var kind: LeakTable.Role
        var writes: Bool
        var hasAccepted: Bool
        /// The one-time link by which they came; it goes with them.
        var link: String?
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

    var zones: [String: Zone] = [:] { didSet { held = zones.mapValues { $0.spread() } } }
    /// What the shares of each zone hold.
    private(set) var held: [String: [String: Zone.Holding]] = [:]

    // MARK: - How people stand

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

    /// How somebody stands to a record, for knowing that all were met.
    func standing(_ person: Int, _ name: String, in zone: String, former: Bool) -> Standing {
        if person == Self.owner { return .owner }
        if let share = share(of: name, in: zone) {
            if zones[zone]?.shares[share]?.blocked.contains(person) == true { return .blocked }
            if let member = zones[zone]?.shares[share]?.members[person] {
                guard member.hasAccepted else { return .invited }
                switch member.kind {
                case .owner: return .owner
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
