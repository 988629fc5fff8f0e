import CloudModel
import Workers

/// News on its way to those who share: what is not told yet, once for each person and zone however many commits came
/// meanwhile.
final class SharedNewsDesk: Sendable {
    /// What one person is told of one zone.
    struct Letter: Sendable {
        let context: CloudContext
        let user: String
        let zoneID: ZoneID
        /// Of the changed records; empty where shares came or went with all that they held.
        var types: Set<String>
        /// The client that made the change; nil if there were several.
        var originClientID: String?

        func notification(
            for subscription: Subscription, at now: Int64, makeID: () -> String
        ) -> QueuedNotification? {
            guard case .database(let wanted) = subscription.kind else { return nil }
            if let wanted, !types.isEmpty, !types.contains(wanted) { return nil }
            var notification = CloudNotification(
                notificationID: makeID(), container: context.container, scope: .shared,
                subscriptionID: subscription.subscriptionID, userRecordName: user, kind: .database(zoneID))
            if let info = subscription.notificationInfo {
                info.fill(&notification, from: nil)
            } else {
                notification.isContentAvailable = true
            }
            return QueuedNotification(
                lane: .own, sequence: 0, time: now, originClientID: originClientID, recordType: nil, creator: nil,
                notification: notification)
        }
    }

    private struct Name: Hashable {
        let context: CloudContext
        let user: String
        let zoneID: ZoneID
    }

    private struct State {
        var letters: [Name: Letter] = [:]
        /// In the order in which they came.
        var order: [Name] = []
        var isOpen = false
    }

    private let state = Lock(State())

    /// Takes news in.
    /// - Returns: whether somebody must begin to tell them.
    func add(_ news: SharedNews, in context: CloudContext) -> Bool {
        state.withLock { state in
            for user in news.users.sorted() {
                let name = Name(context: context, user: user, zoneID: news.zoneID)
                guard var waiting = state.letters[name] else {
                    state.letters[name] = Letter(
                        context: context, user: user, zoneID: news.zoneID, types: news.types,
                        originClientID: news.originClientID)
                    state.order.append(name)
                    continue
                }
                waiting.types = waiting.types.isEmpty || news.types.isEmpty ? [] : waiting.types.union(news.types)
                if waiting.originClientID != news.originClientID { waiting.originClientID = nil }
                state.letters[name] = waiting
            }
            defer { state.isOpen = true }
            return !state.isOpen
        }
    }

    /// The next to be told; nil when there is none and whoever asks may go.
    func next() -> Letter? {
        state.withLock { state in
            guard !state.order.isEmpty else {
                state.isOpen = false
                return nil
            }
            return state.letters.removeValue(forKey: state.order.removeFirst())
        }
    }
}
