import StratusCloudModel

/// Subscriptions, alike in requests and answers.
extension JSONWriter {
    /// The members of a subscription dictionary.
    mutating func subscriptionMembers(
        _ subscriptionID: String?, _ kind: Subscription.Kind, _ info: NotificationInfo?, _ form: WireForm
    ) {
        optional("subscriptionID", subscriptionID)
        key("subscriptionType")
        switch kind {
        case .query(let query):
            constant("query")
            querySubscription(query, form)
        case .zone(let zone, let recordType):
            constant("zone")
            key("zoneID")
            zoneID(zone, form)
            optional("recordType", recordType)
        case .database(let recordType):
            constant("database")
            optional("recordType", recordType)
        }
        if let info { notificationInfo(info) }
    }

    private mutating func querySubscription(_ subscription: QuerySubscription, _ form: WireForm) {
        key("query")
        query(subscription.query)
        key("firesOn")
        beginArray()
        for event in QuerySubscription.Event.allCases where subscription.firesOn.contains(event) {
            string(event.rawValue)
        }
        endArray()
        key("firesOnce")
        boolean(subscription.firesOnce)
        key("zoneWide")
        boolean(subscription.zoneID == nil)
        if let zone = subscription.zoneID {
            key("zoneID")
            zoneID(zone, form)
        }
    }

    private mutating func notificationInfo(_ info: NotificationInfo) {
        key("notificationInfo")
        beginObject()
        text(info.body, "alertBody", "alertLocalizationKey", "alertLocalizationArgs")
        text(info.title, "title", "titleLocalizationKey", "titleLocalizationArgs")
        text(info.subtitle, "subtitle", "subtitleLocalizationKey", "subtitleLocalizationArgs")
        optional("alertActionLocalizationKey", info.actionLocalizationKey)
        optional("alertLaunchImage", info.launchImage)
        optional("soundName", info.soundName)
        optional("category", info.category)
        optional("collapseIDKey", info.collapseIDKey)
        key("shouldBadge")
        boolean(info.shouldBadge)
        key("shouldSendContentAvailable")
        boolean(info.shouldSendContentAvailable)
        if info.shouldSendMutableContent { optional("shouldSendMutableContent", true) }
        if !info.desiredKeys.isEmpty { optional("additionalFields", info.desiredKeys) }
        endObject()
    }

    private mutating func text(
        _ text: NotificationInfo.Text, _ literal: StaticString, _ key: StaticString, _ arguments: StaticString
    ) {
        optional(literal, text.literal)
        optional(key, text.localizationKey)
        if !text.localizationArguments.isEmpty { optional(arguments, text.localizationArguments) }
    }
}
