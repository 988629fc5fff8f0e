import Foundation
import StratusCloudModel
import StratusCompatibility

/// Translates subscriptions into what is sent, and back.
struct SubscriptionCoding {
    let names: IdentityNames

    func input(_ subscription: CKSubscription) throws -> SubscriptionInput {
        SubscriptionInput(
            subscriptionID: subscription.subscriptionID, kind: try kind(of: subscription),
            notificationInfo: subscription.notificationInfo?.value)
    }

    private func kind(of subscription: CKSubscription) throws -> Subscription.Kind {
        switch subscription {
        case let zone as CKRecordZoneSubscription:
            return .zone(names.zoneID(zone.zoneID), recordType: zone.recordType)
        case let database as CKDatabaseSubscription: return .database(recordType: database.recordType)
        case let query as CKQuerySubscription:
            guard FieldName.isIdentifier(query.watchedType) else {
                throw NSError.cloudKit(.invalidArguments, "'\(query.watchedType)' is no name for a record type.")
            }
            let question = CKQuery(query.watchedType, query.predicate)
            guard let translated = try QueryTranslation(names: names).query(question) else {
                throw NSError.cloudKit(.invalidArguments, "A subscription that nothing satisfies cannot be saved.")
            }
            let options = query.querySubscriptionOptions
            let events = Self.events.filter { options.contains($0.option) }.map(\.event)
            return .query(
                QuerySubscription(
                    query: translated, firesOn: Set(events), firesOnce: options.contains(.firesOnce),
                    zoneID: query.zoneID.map(names.zoneID)))
        default: throw NSError.cloudKit(.invalidArguments, "The subscription is of no known kind.")
        }
    }

    func subscription(_ subscription: Subscription) throws -> CKSubscription {
        let name = subscription.subscriptionID
        let result: CKSubscription
        switch subscription.kind {
        case .zone(let zoneID, let recordType):
            let zone = CKRecordZoneSubscription(zoneID: names.zoneID(zoneID), subscriptionID: name)
            zone.recordType = recordType
            result = zone
        case .database(let recordType):
            let database = CKDatabaseSubscription(subscriptionID: name)
            database.recordType = recordType
            result = database
        case .query(let query):
            var options: CKQuerySubscription.Options = query.firesOnce ? .firesOnce : []
            for pair in Self.events where query.firesOn.contains(pair.event) { options.insert(pair.option) }
            let predicate = try PredicateFromFilters(names: names).predicate(query.query.filters)
            let state = CKSubscription.State(zoneID: query.zoneID.map(names.zoneID))
            result = CKQuerySubscription(query.query.recordType, predicate, options, name, state)
        }
        result.notificationInfo = subscription.notificationInfo.map { CKNotificationInfo($0) }
        return result
    }

    private static let events: [(event: QuerySubscription.Event, option: CKQuerySubscription.Options)] = [
        (.create, .firesOnRecordCreation), (.update, .firesOnRecordUpdate), (.delete, .firesOnRecordDeletion),
    ]
}
