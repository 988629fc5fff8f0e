/// A user's wish to be told of changes in a database.
public struct Subscription: Hashable, Sendable {
    /// What is watched.
    public enum Kind: Hashable, Sendable {
        /// Records of one type that satisfy a predicate.
        case query(QuerySubscription)
        /// Everything in one custom zone; with a record type, only records of it.
        case zone(ZoneID, recordType: String?)
        /// Everything in all custom zones; with a record type, only records of it.
        case database(recordType: String?)
    }

    /// Name, unique among those of the user in the database.
    public var subscriptionID: String
    /// What is watched.
    public var kind: Kind
    /// What the notification says; nil tells the devices silently.
    public var notificationInfo: NotificationInfo?

    /// Makes a subscription.
    public init(subscriptionID: String, kind: Kind, notificationInfo: NotificationInfo? = nil) {
        self.subscriptionID = subscriptionID
        self.kind = kind
        self.notificationInfo = notificationInfo
    }
}

/// The part of a subscription that says which records it is about.
public struct QuerySubscription: Hashable, Sendable {
    /// What happens to a record.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        // In the order in which answers list them.
        case create, update, delete
    }

    /// Type and predicate; its sort keys mean nothing.
    public var query: Query
    /// Events that it fires on; never empty.
    public var firesOn: Set<Event>
    /// Whether it is deleted when it has fired.
    public var firesOnce: Bool
    /// The zone that is watched; nil watches all of the database.
    public var zoneID: ZoneID?

    /// Makes a description of records.
    public init(
        query: Query, firesOn: Set<Event> = Set(Event.allCases), firesOnce: Bool = false, zoneID: ZoneID? = nil
    ) {
        self.query = query
        self.firesOn = firesOn
        self.firesOnce = firesOnce
        self.zoneID = zoneID
    }
}
