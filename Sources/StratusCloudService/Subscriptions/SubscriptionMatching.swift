import StratusCloudModel
import StratusCloudStore

/// Finds the subscriptions that a commit fires, inside its transaction, and queues what their owners are told.
///
/// What is read grows with the subscriptions that could match: those that stand at a place (``WatchedPlace``) which a
/// changed record touches. Where the summary names no such place nothing is read.
struct SubscriptionMatching {
    /// Of the database in which the commit happens: public or private.
    let scope: DatabaseScope
    let context: CloudContext
    let schema: Schema
    /// The client that makes the commit, if it says who it is.
    let originClientID: String?
    /// Of the request that makes the commit.
    let trace: TraceContext?
    let now: Int64
    let makeID: () -> String
    let transaction: any WriteTransaction

    /// Subscriptions that are read at a time.
    private static let step = 500

    private struct Candidate {
        let name: SubscriptionName
        let stored: StoredSubscription
        /// The predicate under the current schema; nil where the schema no longer knows its fields.
        let filters: [ResolvedFilter]?
    }

    private struct Fired {
        let candidate: Candidate
        let notification: CloudNotification
        let recordType: String?
        let creator: String?
    }

    /// Queues the notifications of changed records.
    /// - Parameters:
    ///   - summary: nil where nobody subscribes to anything.
    ///   - zone: as answers name it.
    /// - Returns: what was queued, to be delivered when the commit is durable.
    func match(
        _ changes: [WatchedChange], in zone: ZoneID, _ summary: SubscriptionSummary?
    ) throws -> [QueuedNotification] {
        guard let summary, !changes.isEmpty else { return [] }
        for webhook in summary.webhooks { try webhook.queue(changes, in: zone, at: now, trace, transaction) }
        let touched = changes.map { change in
            change.subject.map { summary.places(of: $0, schema.recordTypes[$0.recordType]) } ?? []
        }
        var candidates: [WatchedPlace: [Candidate]] = [:]
        for place in Set(touched.joined()) { candidates[place] = try read(place) }
        var fired: [Fired] = []
        var spent: Set<SubscriptionName> = []
        for (change, places) in zip(changes, touched) {
            // A record touches several values of a list, and a subscription may stand at more than one of them.
            var seen: Set<SubscriptionName> = []
            for candidate in places.compactMap({ candidates[$0] }).joined() {
                guard !spent.contains(candidate.name), seen.insert(candidate.name).inserted,
                    case .query(let query) = candidate.stored.subscription.kind,
                    let match = try fire(candidate, query, change, zone)
                else { continue }
                fired.append(match)
                if query.firesOnce { spent.insert(candidate.name) }
            }
        }
        if !zone.isDefault { fired += try matchZone(zone, summary, types: Set(changes.map(\.recordType))) }
        var remaining = summary
        for match in fired where spent.contains(match.candidate.name) {
            SubscriptionTable(transaction).remove(
                match.candidate.stored, of: match.candidate.name.user, scope, from: &remaining)
        }
        if remaining != summary { SubscriptionTable(transaction).store(remaining) }
        return try queue(fired)
    }

    /// Queues the notifications of a zone that was made or deleted.
    func matchZoneItself(_ zone: ZoneID, _ summary: SubscriptionSummary?) throws -> [QueuedNotification] {
        guard let summary else { return [] }
        return try queue(try matchZone(zone, summary, types: nil))
    }

    // MARK: - Matching

    /// - Parameter types: of the changed records; nil where the zone itself changed.
    private func matchZone(_ zone: ZoneID, _ summary: SubscriptionSummary, types: Set<String?>?) throws -> [Fired] {
        var candidates: [Candidate] = []
        if summary.zones > 0 { candidates += try read(.zone(zone.zoneName)) }
        if summary.databases > 0 { candidates += try read(.database) }
        return candidates.compactMap { candidate in
            let kind: CloudNotification.Kind
            let wanted: String?
            switch candidate.stored.subscription.kind {
            case .zone(_, let type): (kind, wanted) = (.zone(zone), type)
            case .database(let type): (kind, wanted) = (.database(zone), type)
            case .query: return nil
            }
            if let wanted, let types, !types.contains(wanted) { return nil }
            return Fired(
                candidate: candidate, notification: notification(candidate, kind, of: nil), recordType: nil,
                creator: nil)
        }
    }

    private func fire(
        _ candidate: Candidate, _ query: QuerySubscription, _ change: WatchedChange, _ zone: ZoneID
    ) throws -> Fired? {
        guard let record = change.subject, query.firesOn.contains(change.event),
            query.zoneID.map({ $0.zoneName == zone.zoneName }) ?? true, let filters = candidate.filters,
            try FilterEvaluator(filters: filters, zone: zone).matches(record)
        else { return nil }
        let owner = Caller(context: context, principal: .user(candidate.name.user))
        guard
            Authorization.permits(
                .read, in: scope, record.recordType, of: schema, creator: record.created.userRecordName, owner)
        else { return nil }
        let kind = CloudNotification.Kind.query(
            recordName: record.recordName, zoneID: zone, change.event,
            fields: candidate.stored.subscription.notificationInfo?.fields(of: record) ?? [:])
        return Fired(
            candidate: candidate, notification: notification(candidate, kind, of: record),
            recordType: record.recordType, creator: record.created.userRecordName)
    }

    private func notification(
        _ candidate: Candidate, _ kind: CloudNotification.Kind, of record: StoredRecord?
    ) -> CloudNotification {
        let subscription = candidate.stored.subscription
        var notification = CloudNotification(
            notificationID: makeID(), container: context.container, scope: scope,
            subscriptionID: subscription.subscriptionID, userRecordName: candidate.name.user, kind: kind)
        if let info = subscription.notificationInfo {
            info.fill(&notification, from: record)
        } else {
            notification.isContentAvailable = true
        }
        return notification
    }

    // MARK: - Reading and writing

    private func read(_ place: WatchedPlace) throws -> [Candidate] {
        let range = SubscriptionKey.index(place)
        var rest = range
        var candidates: [Candidate] = []
        while true {
            let entries = try transaction.entries(in: rest, limit: Self.step)
            let names = entries.compactMap { SubscriptionKey.name(in: $0.key, of: range) }
            let keys = names.map { SubscriptionKey.subscription($0.id, of: $0.user, scope) }
            for (name, bytes) in zip(names, keys.isEmpty ? [] : try transaction.get(keys)) {
                guard let bytes else { continue }
                let stored = try StoredSubscription(stored: bytes)
                candidates.append(Candidate(name: name, stored: stored, filters: filters(of: stored)))
            }
            guard entries.count == Self.step, let last = entries.last else { return candidates }
            rest.lower = last.key.next
        }
    }

    private func filters(of stored: StoredSubscription) -> [ResolvedFilter]? {
        guard case .query(let query) = stored.subscription.kind else { return [] }
        guard let type = schema.recordTypes[query.query.recordType] else { return nil }
        // A predicate that the schema no longer allows, say without the field's index, fits nothing.
        return try? QueryResolution.resolveFilters(query.query.filters, in: type)
    }

    private func queue(_ fired: [Fired]) throws -> [QueuedNotification] {
        guard !fired.isEmpty else { return [] }
        return try PushQueue.append(
            fired.map { match in
                QueuedNotification(
                    lane: scope == .public ? .public : .own, sequence: 0, time: now, originClientID: originClientID,
                    recordType: match.recordType, creator: match.creator, notification: match.notification,
                    trace: trace)
            }, in: transaction)
    }
}

extension WatchedChange {
    fileprivate var recordType: String? { subject?.recordType }
}
