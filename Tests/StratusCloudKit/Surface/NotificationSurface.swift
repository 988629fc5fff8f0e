import CloudKit

/// Notifications as programs read them. Compiled, not run.
enum NotificationSurface {
    static func received(_ userInfo: [AnyHashable: Any]) -> CKDatabase.Scope? {
        guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else { return nil }
        switch notification.notificationType {
        case .query:
            let query = notification as? CKQueryNotification
            switch query?.queryNotificationReason {
            case .recordCreated, .recordUpdated:
                print(query?.recordID as Any, query?.recordFields?["title"] as? String as Any)
            case .recordDeleted: break
            case nil: break
            @unknown default: break
            }
            return query?.databaseScope
        case .recordZone:
            // swift-format-ignore: NeverForceUnwrap
            let zone = notification as! CKRecordZoneNotification
            print(zone.recordZoneID as Any)
            return zone.databaseScope
        case .database: return (notification as? CKDatabaseNotification)?.databaseScope
        case .readNotification: return nil
        @unknown default: return nil
        }
    }

    /// Deprecated at Apple, and still in programs.
    static func older(_ container: CKContainer, _ ids: [CKNotification.ID]) {
        let badge = CKModifyBadgeOperation(badgeValue: 0)
        badge.modifyBadgeCompletionBlock = { error in print(error as Any) }
        let fetch = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
        fetch.notificationChangedBlock = { print($0.notificationType == .readNotification) }
        fetch.fetchNotificationChangesCompletionBlock = { token, error in
            if fetch.moreComing { print(token as Any, error as Any) }
        }
        let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
        mark.markNotificationsReadCompletionBlock = { ids, error in print(ids?.count as Any, error as Any) }
        for operation in [badge, fetch, mark] { container.add(operation) }
    }

    static func contents(_ notification: CKNotification) -> [Any?] {
        let identifier: CKNotification.ID? = notification.notificationID
        let subscriptionID: CKSubscription.ID? = notification.subscriptionID
        return [
            identifier, subscriptionID, notification.containerIdentifier, notification.isPruned,
            notification.subscriptionOwnerUserRecordID, notification.alertBody, notification.alertLocalizationKey,
            notification.alertLocalizationArgs?.first, notification.alertActionLocalizationKey,
            notification.alertLaunchImage, notification.soundName, notification.badge?.intValue, notification.category,
            notification.title, notification.titleLocalizationKey, notification.titleLocalizationArgs,
            notification.subtitle, notification.subtitleLocalizationKey, notification.subtitleLocalizationArgs,
        ]
    }

    static func byKind(_ userInfo: [AnyHashable: Any]) -> String? {
        if let query = CKQueryNotification(fromRemoteNotificationDictionary: userInfo) { return query.alertBody }
        return CKDatabaseNotification(fromRemoteNotificationDictionary: userInfo)?.subscriptionID
    }
}
