import CloudKit

/// Subscriptions as programs use them. Compiled, not run.
enum SubscriptionSurface {
    static func info() -> CKSubscription.NotificationInfo {
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "New"
        info.alertLocalizationKey = "KEY"
        info.alertLocalizationArgs = ["title"]
        info.alertActionLocalizationKey = "ACTION"
        info.alertLaunchImage = "image"
        info.title = "Title"
        info.titleLocalizationKey = nil
        info.titleLocalizationArgs = nil
        info.subtitle = ""
        info.subtitleLocalizationKey = nil
        info.subtitleLocalizationArgs = []
        info.soundName = "default"
        info.desiredKeys = ["title"]
        info.shouldBadge = true
        info.shouldSendContentAvailable = true
        info.shouldSendMutableContent = false
        info.category = "NOTE"
        info.collapseIDKey = "collapse"
        let other = CKSubscription.NotificationInfo(alertBody: "New", shouldBadge: true)
        let silent = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        print(other.copy(), silent.desiredKeys as Any, info.title as Any)
        return info
    }

    static func subscriptions(_ zoneID: CKRecordZone.ID) -> [CKSubscription] {
        let predicate = NSPredicate(format: "title = %@", "a")
        let query = CKQuerySubscription(
            recordType: "Note", predicate: predicate, subscriptionID: "note-changes",
            options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
        let once = CKQuerySubscription(
            recordType: "Note", predicate: predicate, options: [.firesOnRecordCreation, .firesOnce])
        query.zoneID = zoneID
        query.notificationInfo = info()
        if let recordType: CKRecord.RecordType = query.recordType { print(recordType) }
        print(query.predicate, query.querySubscriptionOptions.contains(.firesOnce), query.zoneID as Any)
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone-changes")
        zone.recordType = "Note"
        let unnamed = CKRecordZoneSubscription(zoneID: zone.zoneID)
        let database = CKDatabaseSubscription(subscriptionID: "database-changes")
        database.recordType = nil
        database.notificationInfo = CKSubscription.NotificationInfo()
        return [query, once, zone, unnamed, database]
    }

    static func kinds(_ subscription: CKSubscription) -> CKSubscription.ID {
        switch subscription.subscriptionType {
        case .query: print((subscription as? CKQuerySubscription)?.predicate as Any)
        case .recordZone: print((subscription as? CKRecordZoneSubscription)?.zoneID as Any)
        case .database: print(subscription is CKDatabaseSubscription)
        @unknown default: break
        }
        return subscription.notificationInfo == nil ? "" : subscription.subscriptionID
    }

    static func calls(_ database: CKDatabase, _ subscription: CKSubscription) async throws {
        try await database.save(subscription)
        let saved: CKSubscription = try await database.save(subscription)
        let fetched = try await database.subscription(for: saved.subscriptionID)
        let all: [CKSubscription] = try await database.allSubscriptions()
        try await database.deleteSubscription(withID: fetched.subscriptionID)
        let deleted: CKSubscription.ID = try await database.deleteSubscription(withID: "a")
        let byID = try await database.subscriptions(for: [deleted])
        let (saves, deletions) = try await database.modifySubscriptions(saving: all, deleting: ["b"])
        try await database.modifySubscriptions(saving: [], deleting: [])
        // swift-format-ignore: NeverForceUnwrap
        print(try byID["a"]?.get() as Any, try saves["b"]?.get() as Any, try deletions["b"]!.get())
    }

    static func handlers(_ database: CKDatabase, _ subscription: CKSubscription) {
        database.save(subscription) { (saved: CKSubscription?, error: (any Error)?) in print(saved as Any, error as Any)
        }
        database.fetchAllSubscriptions { subscriptions, _ in print(subscriptions?.count ?? 0) }
        database.fetch(withSubscriptionID: "a") { subscription, error in print(subscription as Any, error as Any) }
        database.delete(withSubscriptionID: "a") { identifier, error in
            print(identifier as String? as Any, error as Any)
        }
        database.fetch(withSubscriptionIDs: ["a"]) { result in _ = try? result.get()["a"]?.get() }
        database.modifySubscriptions(saving: [subscription], deleting: []) { result in
            if case .success((let saves, let deletions)) = result { print(saves, deletions) }
        }
    }

    static func operations(_ subscription: CKSubscription) -> [CKDatabaseOperation] {
        let modify = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription], subscriptionIDsToDelete: [])
        modify.subscriptionsToSave = nil
        modify.subscriptionIDsToDelete = ["a"]
        modify.perSubscriptionSaveBlock = { identifier, result in print(identifier, result) }
        modify.perSubscriptionDeleteBlock = { identifier, result in print(identifier, result) }
        modify.modifySubscriptionsResultBlock = { result in if case .failure(let error) = result { print(error) } }
        let fetch = CKFetchSubscriptionsOperation(subscriptionIDs: ["a"])
        fetch.subscriptionIDs = nil
        fetch.perSubscriptionResultBlock = { _, _ in }
        fetch.fetchSubscriptionsResultBlock = { _ in }
        return [
            modify, fetch, CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation(),
            CKModifySubscriptionsOperation(subscriptionsToSave: [subscription]), CKModifySubscriptionsOperation(),
        ]
    }

    @available(*, deprecated)
    static func older(_ modify: CKModifySubscriptionsOperation, _ fetch: CKFetchSubscriptionsOperation)
        -> CKSubscription
    {
        modify.modifySubscriptionsCompletionBlock = { saved, deleted, error in
            print(saved?.first?.subscriptionID as Any, deleted?.first as Any, error as Any)
        }
        fetch.fetchSubscriptionCompletionBlock = { subscriptions, error in
            print(subscriptions?["a"] as Any, error as Any)
        }
        return CKDatabaseSubscription()
    }
}
