import StratusCloudModel

/// What a commit did to one record.
struct WatchedChange: Sendable {
    var before: StoredRecord?
    var after: StoredRecord?

    /// The version that says whether a predicate holds: the new one, or the last one of a deleted record.
    var subject: StoredRecord? { after ?? before }

    var event: QuerySubscription.Event {
        if after == nil { return .delete }
        return before == nil ? .create : .update
    }
}

/// What a commit did to the records of a zone, in the order in which it was done.
final class ZoneChanges {
    private let areWatched: Bool
    private(set) var records: [WatchedChange] = []

    /// - Parameter areWatched: whether anybody subscribes to anything in the database; else nothing is noted.
    init(areWatched: Bool) { self.areWatched = areWatched }

    func note(from before: StoredRecord?, to after: StoredRecord?) {
        guard areWatched else { return }
        records.append(WatchedChange(before: before, after: after))
    }
}
