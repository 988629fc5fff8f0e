import StratusCloudModel
import StratusWorkers

/// What became of a notification, for developers: nothing tells whose it is.
public struct PushEvent: Hashable, Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// The subscription that fired; left out as ``zoneName`` is.
    public var subscriptionID: String?
    /// The database it watches.
    public var scope: DatabaseScope
    /// `query`, `zone` or `database`.
    public var kind: String
    /// What took it: `queue`, where devices come for it, or the channel to a push service.
    public var channel: String
    /// `queued`, `delivered`, `refused`, `retry` or `gone`.
    public var outcome: String
    /// The type of the record that it is about; nil where it is about a zone.
    public var recordType: String?
    /// The zone. Left out where it is a person's in production: such names are the app's, and may say anything.
    public var zoneName: String?

    init(_ notification: CloudNotification, in context: CloudContext, channel: String, outcome: String, at time: Int64)
    {
        self.time = time
        scope = notification.scope
        self.channel = channel
        self.outcome = outcome
        let zone: ZoneID
        switch notification.kind {
        case .query(_, let zoneID, _, _): (kind, zone) = ("query", zoneID)
        case .zone(let zoneID): (kind, zone) = ("zone", zoneID)
        case .database(let zoneID): (kind, zone) = ("database", zoneID)
        }
        if scope == .public || context.environment == .development {
            zoneName = zone.zoneName
            subscriptionID = notification.subscriptionID
        }
    }
}

/// The latest notifications of each context, in memory.
final class PushHistory: Sendable {
    private let events = Lock([CloudContext: [PushEvent]]())

    func note(
        _ notification: CloudNotification, in context: CloudContext, channel: String, outcome: String, at time: Int64
    ) {
        note([PushEvent(notification, in: context, channel: channel, outcome: outcome, at: time)], in: context)
    }

    func note(_ new: [PushEvent], in context: CloudContext) {
        events.withLock { events in
            var known = events[context, default: []]
            known += new
            if known.count > 2 * FigureLimits.pushes { known.removeFirst(known.count - FigureLimits.pushes) }
            events[context] = known
        }
    }

    func latest(in context: CloudContext) -> [PushEvent] {
        events.withLock { ($0[context] ?? []).suffix(FigureLimits.pushes).reversed() }
    }
}

extension CloudService {
    /// What became of a context's latest notifications since the server started, the latest first; at most
    /// ``FigureLimits/pushes``.
    public func recentPushes(in context: CloudContext) -> [PushEvent] { push.history.latest(in: context) }
}
