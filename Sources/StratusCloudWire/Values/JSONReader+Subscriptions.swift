import StratusCloudModel

/// Subscriptions, alike in requests and answers.
extension JSONReader {
    /// A subscription dictionary; its name may be missing.
    func subscriptionInput() throws(CloudError) -> SubscriptionInput {
        try requireObject()
        return SubscriptionInput(
            subscriptionID: try text("subscriptionID"), kind: try subscriptionKind(),
            notificationInfo: try member("notificationInfo").map { (info) throws(CloudError) in
                try info.notificationInfo()
            })
    }

    private func subscriptionKind() throws(CloudError) -> Subscription.Kind {
        let type = try required("subscriptionType")
        switch try type.string() {
        case "query": return .query(try querySubscription())
        case "zone": return .zone(try required("zoneID").zoneID(), recordType: try text("recordType"))
        case "database": return .database(recordType: try text("recordType"))
        default: throw type.refusal("must be query, zone or database")
        }
    }

    private func querySubscription() throws(CloudError) -> QuerySubscription {
        var query = QuerySubscription(query: try required("query").query())
        if let events = member("firesOn") {
            query.firesOn = []
            for event in try events.elements() { query.firesOn.insert(try event.subscriptionEvent()) }
        }
        query.firesOnce = try flag("firesOnce") ?? false
        query.zoneID = try zoneID("zoneID")
        if query.zoneID == nil, try flag("zoneWide") == false { query.zoneID = .default }
        return query
    }

    private func subscriptionEvent() throws(CloudError) -> QuerySubscription.Event {
        guard let event = QuerySubscription.Event(rawValue: try string()) else {
            throw refusal("must be create, update or delete")
        }
        return event
    }

    private func notificationInfo() throws(CloudError) -> NotificationInfo {
        try requireObject()
        var info = NotificationInfo(
            body: try notificationText("alertBody", "alertLocalizationKey", "alertLocalizationArgs"),
            title: try notificationText("title", "titleLocalizationKey", "titleLocalizationArgs"),
            subtitle: try notificationText("subtitle", "subtitleLocalizationKey", "subtitleLocalizationArgs"))
        info.actionLocalizationKey = try text("alertActionLocalizationKey")
        info.launchImage = try text("alertLaunchImage")
        info.soundName = try text("soundName")
        info.shouldBadge = try flag("shouldBadge") ?? false
        info.shouldSendContentAvailable = try flag("shouldSendContentAvailable") ?? false
        info.shouldSendMutableContent = try flag("shouldSendMutableContent") ?? false
        info.category = try text("category")
        info.collapseIDKey = try text("collapseIDKey")
        // The web's name for it, and the native one.
        let names: StaticString = member("additionalFields") != nil ? "additionalFields" : "desiredKeys"
        info.desiredKeys = try texts(names) ?? []
        return info
    }

    private func notificationText(
        _ literal: StaticString, _ key: StaticString, _ arguments: StaticString
    ) throws(CloudError) -> NotificationInfo.Text {
        NotificationInfo.Text(
            try text(literal), localizationKey: try text(key), localizationArguments: try texts(arguments) ?? [])
    }
}
