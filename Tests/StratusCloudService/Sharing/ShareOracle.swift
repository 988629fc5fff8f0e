import StratusCloudModel

/// What the rules of sharing say of a small world, found out the slow way: by walking from each record up to what is
/// shared. Knows nothing of how the service does it.
struct ShareOracle {
    struct Item {
        var parent: String?
        var isFolder = false
    }

    struct Part {
        var canWrite: Bool
        var isPublic = false
        var hasAccepted: Bool
    }

    struct Share {
        /// nil for the whole zone.
        var root: String?
        var guid: String
        var open: SharePermission = .none
        var parts: [String: Part] = [:]
    }

    struct Zone {
        var items: [String: Item] = [:]
        /// By the names of their records.
        var shares: [String: Share] = [:]

        /// A record and what is above it, each once, even if that went round.
        func path(up name: String) -> [String] {
            var path: [String] = []
            var current: String? = name
            while let at = current, !path.contains(at) {
                path.append(at)
                current = items[at]?.parent
            }
            return path
        }
    }

    var zones: [String: Zone] = [:]

    // MARK: - The rules

    /// The share that a record belongs to: the first root on the way up, or the whole zone's.
    func share(of name: String, in zone: String) -> String? {
        guard let zone = zones[zone] else { return nil }
        if let whole = zone.shares.first(where: { $0.value.root == nil }) { return whole.key }
        if zone.shares[name] != nil { return name }
        let roots = zone.shares.compactMap { share, content in content.root.map { ($0, share) } }
        let shares = Dictionary(roots) { first, _ in first }
        return zone.path(up: name).lazy.compactMap { shares[$0] }.first
    }

    private func part(of user: String, in share: String?, _ zone: String) -> Part? {
        guard let share, let part = zones[zone]?.shares[share]?.parts[user], part.hasAccepted else { return nil }
        return part
    }

    func sees(_ user: String, _ name: String, in zone: String) -> Bool {
        guard let content = zones[zone], content.items[name] != nil || content.shares[name] != nil else { return false }
        return part(of: user, in: share(of: name, in: zone), zone) != nil
    }

    func writes(_ user: String, _ name: String, in zone: String) -> Bool {
        sees(user, name, in: zone) && part(of: user, in: share(of: name, in: zone), zone)?.canWrite == true
    }

    func seesZone(_ user: String, _ zone: String) -> Bool {
        zones[zone]?.shares.values.contains { $0.parts[user]?.hasAccepted == true } ?? false
    }

    func writesZone(_ user: String, _ zone: String) -> Bool {
        zones[zone]?.shares.values.contains {
            $0.parts[user]?.hasAccepted == true && $0.parts[user]?.canWrite == true
        } ?? false
    }

    /// All that a user sees of a zone.
    func visible(to user: String, in zone: String) -> Set<String> {
        guard let content = zones[zone] else { return [] }
        return Set((Array(content.items.keys) + content.shares.keys).filter { sees(user, $0, in: zone) })
    }

    /// What a link is to a user: nil if it is not for them.
    func standing(_ user: String, _ share: Share) -> ShareAcceptance? {
        if let part = share.parts[user] { return part.hasAccepted ? .accepted : .invited }
        return share.open == .none ? nil : .invited
    }

    func isBelow(_ name: String, _ top: String, in zone: String) -> Bool {
        zones[zone]?.path(up: name).contains(top) ?? (name == top)
    }

    func children(of name: String, in zone: String) -> [String] {
        zones[zone]?.items.filter { $0.value.parent == name }.map(\.key).sorted() ?? []
    }

    /// Whether a record may be shared: neither it, nor what is above or below it, nor the zone is shared.
    func isFree(_ name: String, in zone: String) -> Bool {
        guard let content = zones[zone], !content.shares.values.contains(where: { $0.root == nil }) else {
            return false
        }
        if share(of: name, in: zone) != nil { return false }
        return !content.shares.values.contains { $0.root.map { isBelow($0, name, in: zone) } ?? false }
    }

    /// Whether a record may be put below another without being in two shares.
    func mayMove(_ name: String, below parent: String, in zone: String) -> Bool {
        guard !isBelow(parent, name, in: zone) else { return false }
        guard share(of: parent, in: zone) != nil,
            zones[zone]?.shares.values.contains(where: { $0.root == nil }) == false
        else { return true }
        let target = share(of: parent, in: zone)
        return zones[zone]?.shares.allSatisfy { key, share in
            share.root.map { key == target || !isBelow($0, name, in: zone) } ?? true
        } ?? true
    }
}
