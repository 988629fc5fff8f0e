import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// A device of a test and the way to its notifications.
struct TestDevice: Sendable {
    let service: CloudService
    let registration: PushRegistration

    /// All that waits now, each confirmed by asking for the next.
    func notifications() async throws -> [CloudNotification] {
        let listener = try await service.listen(courierSecret: registration.courierSecret, isStream: false)
        defer { listener.close() }
        var all: [CloudNotification] = []
        while case .delivery(let delivery) = try await listener.next(patience: 0) {
            all.append(delivery.notification)
            listener.confirm()
        }
        return all
    }
}

extension TestCloud {
    /// A device of a user that is told of what happens from now on.
    func device(of caller: Caller? = nil, clientID: String? = nil) async throws -> TestDevice {
        TestDevice(
            service: service,
            registration: try await service.registerDevice(
                PushTokenRequest(clientID: clientID), as: caller ?? user()))
    }

    /// Saves a subscription and gives it back.
    @discardableResult
    func subscribe(
        _ name: String?, _ kind: Subscription.Kind, _ info: NotificationInfo? = nil,
        in scope: DatabaseScope = .private, as caller: Caller? = nil
    ) async throws -> SubscriptionResult {
        let input = SubscriptionInput(subscriptionID: name, kind: kind, notificationInfo: info)
        let results = try await service.modifySubscriptions([.create(input)], in: scope, as: caller ?? user())
        return try #require(results.first)
    }
}

extension SubscriptionResult {
    var subscription: Subscription? { if case .subscription(let subscription) = self { subscription } else { nil } }
    var error: CloudError? { if case .failed(_, let error) = self { error } else { nil } }
}

extension Subscription.Kind {
    /// Records of a type for which all filters hold.
    static func records(
        _ type: String = "Note", _ filters: [Filter] = [],
        on events: Set<QuerySubscription.Event> = Set(QuerySubscription.Event.allCases), once: Bool = false,
        zone: String? = nil
    ) -> Subscription.Kind {
        .query(
            QuerySubscription(
                query: Query(recordType: type, filters: filters), firesOn: events, firesOnce: once,
                zoneID: zone.map { ZoneID(zoneName: $0) }))
    }
}

extension Filter {
    static func equals(_ field: String, _ value: InputValue) -> Filter {
        Filter(.equals, .named(field), FieldInput(value))
    }
}

extension CloudNotification {
    /// The name of the record it tells of.
    var recordName: String? { if case .query(let name, _, _, _) = kind { name } else { nil } }
    var event: QuerySubscription.Event? { if case .query(_, _, let event, _) = kind { event } else { nil } }
    var fields: FieldMap? { if case .query(_, _, _, let fields) = kind { fields } else { nil } }
}
