import StratusCloudStore

/// Finds out whether records that get another parent become their own ancestors.
struct ParentChain {
    enum Finding {
        /// The record is not among its ancestors. There may be a circle further up, which others close.
        case fine
        case circle
        /// More than ``ReferenceLimits/parentChain`` records.
        case tooLong
    }

    private let zone: ZoneNumber
    private let transaction: any ReadTransaction
    /// The parents of records that the batch saves, as it leaves them, and of others as they were read.
    private var parents: [String: String?]

    init(zone: ZoneNumber, saved parents: [String: String?], in transaction: any ReadTransaction) {
        self.zone = zone
        self.parents = parents
        self.transaction = transaction
    }

    /// Follows the parents upwards from a record.
    mutating func follow(from name: String) throws -> Finding {
        var seen: Set<String> = []
        var current = name
        while let ancestor = try parent(of: current) {
            if ancestor == name { return .circle }
            guard seen.insert(ancestor).inserted else { return .fine }
            guard seen.count <= ReferenceLimits.parentChain else { return .tooLong }
            current = ancestor
        }
        return .fine
    }

    private mutating func parent(of name: String) throws -> String? {
        if let known = parents[name] { return known }
        let parent = try transaction.record(named: name, in: zone)?.parent?.recordName
        parents[name] = .some(parent)
        return parent
    }
}
