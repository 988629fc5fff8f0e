import StratusCloudModel
import StratusCloudStore

/// What comes into shares and leaves them when parents change.
extension ShareLedger {
    /// Settles membership after all records are written.
    /// - Throws: ``ShareRefusals`` if a record would belong to two shares, or more records would move than may at once;
    ///   then nothing may be written.
    func settleHierarchies(_ header: inout ZoneHeader) throws {
        try load(saved.values.compactMap(\.parent))
        var settled = Settlement()
        for name in saved.keys.sorted() { try settle(name, &settled) }
        // What moves takes along what is below it.
        var open = try settled.shares.keys.filter { try moves($0, settled) && !isNew($0) }.sorted()
        open += try added.filter { $0.value.isRoot && saved[$0.key] == nil }.map { root in
            settled.shares[root.key] = .some(root.value.share)
            return root.key
        }.filter { try moves($0, settled) }
        try follow(try open.map { (name: $0, cause: try cause(of: $0)) }, &settled)
        guard settled.refusals.isEmpty else { throw ShareRefusals(byOperation: settled.refusals) }
        for name in settled.shares.keys.sorted() { try enter(name, settled.shares[name] ?? nil, &header) }
    }

    private struct Settlement {
        /// What records belong to from now on.
        var shares: [String: ShareNumber?] = [:]
        /// By the names in the operations that cannot be.
        var refusals: [String: CloudError] = [:]
    }

    /// - Parameter tops: records that come into a share or leave one, with the operations that move them.
    private func follow(_ tops: [(name: String, cause: String)], _ settled: inout Settlement) throws {
        var open = tops
        var below = 0
        while let top = open.popLast() {
            let share = settled.shares[top.name] ?? nil
            for child in try children(of: top) where settled.shares[child] != .some(share) {
                if let own = try ownShare(of: child) {
                    if let share, share != own { settled.refusals[top.cause] = Self.nested(child) }
                    continue
                }
                settled.shares[child] = .some(share)
                guard try moves(child, settled) else { continue }
                below += 1
                guard below <= ShareLimits.recordsPerMove else { throw Self.tooLarge(top.cause) }
                open.append((child, top.cause))
            }
        }
    }

    /// The name in the operation that makes a record belong to what it belongs to from now on.
    private func cause(of name: String) throws -> String {
        guard let added = added[name], added.isRoot, let share = try share(added.share) else { return name }
        return share.recordName
    }

    static func nested(_ name: String) -> CloudError {
        CloudError(
            .badRequest, "record '\(name)' is shared itself, and cannot be in another share as well",
            extensionCode: .alreadyShared)
    }

    private static func tooLarge(_ cause: String) -> ShareRefusals {
        let error = CloudError(
            .badRequest,
            "record '\(cause)': more than \(ShareLimits.recordsPerMove) records would enter or leave a share with it, "
                + "which is the maximum")
        return ShareRefusals(byOperation: [cause: error])
    }

    private func isNew(_ name: String) -> Bool { saved[name]?.isNew ?? false }

    private func moves(_ name: String, _ settled: Settlement) throws -> Bool {
        try liveMember(name)?.share != settled.shares[name] ?? nil
    }

    /// The share that a record, or a share's own record, does not leave with its parent.
    private func ownShare(of name: String) throws -> ShareNumber? {
        if saved[name]?.isDetached == true { return nil }
        if let added = added[name] { return added.share }
        if let share = saved[name]?.share, try self.share(share)?.isLive == true { return share }
        guard let member = try liveMember(name) else { return nil }
        return member.isRoot || saved[name]?.recordType == SystemRecordType.share ? member.share : nil
    }

    private func settle(_ name: String, _ settled: inout Settlement) throws {
        guard settled.shares[name] == nil, let record = saved[name] else { return }
        let own = try ownShare(of: name)
        guard let parent = record.parent else {
            settled.shares[name] = .some(own)
            return
        }
        // Circles are refused before; this only keeps them from being endless.
        settled.shares[name] = .some(own)
        if saved[parent] != nil { try settle(parent, &settled) }
        let above = try settled.shares[parent] ?? added[parent]?.share ?? liveMember(parent)?.share
        if let own, let above, own != above { settled.refusals[try cause(of: name)] = Self.nested(name) }
        settled.shares[name] = .some(own ?? above)
    }

    /// Records right below a record.
    private func children(of top: (name: String, cause: String)) throws -> [String] {
        let range = Keyspace.referrers(zone: zone, target: top.name, hierarchy.kind)
        var rest = range
        var names: [String] = []
        while true {
            let entries = try transaction.entries(in: rest, limit: ShareLimits.entriesPerStep)
            names += entries.map { Keyspace.name(in: $0.key, behind: range.lower) }
            guard names.count <= ShareLimits.recordsPerMove else { throw Self.tooLarge(top.cause) }
            guard entries.count == ShareLimits.entriesPerStep, let last = entries.last else { break }
            rest.lower = last.key.next
        }
        try load(names)
        return names
    }

    /// Writes what a record belongs to from now on.
    private func enter(_ name: String, _ share: ShareNumber?, _ header: inout ZoneHeader) throws {
        let former = try liveMember(name)
        if share == nil, former == nil { return }
        if share == former?.share, saved[name] == nil { return }
        let version: UInt64
        let type: String
        if let saved = saved[name] {
            (version, type) = (saved.version, saved.recordType)
        } else {
            // What moves with its parent is not saved, so its place in the feed is a version of its own.
            guard let row = try transaction.recordRows([name], in: zone)[0] else { return }
            type = try StoredRecord.recordType(stored: row.bytes)
            header.version += 1
            version = header.version
        }
        if let former, former.share != share { leave(name, type, former, at: version) }
        guard let share else { return forget(name) }
        let stays = former?.share == share
        list(
            name, type,
            ShareMember(
                share: share,
                isRoot: added[name]?.isRoot ?? (stays && former?.isRoot == true || saved[name]?.share == share),
                listed: version, joined: stays ? former?.joined ?? version : version), replacing: former)
    }
}

/// Operations that cannot be, for what they would do to shares; found when all is written, and nothing of it may stay.
struct ShareRefusals: Error {
    /// By record name.
    let byOperation: [String: CloudError]
}
