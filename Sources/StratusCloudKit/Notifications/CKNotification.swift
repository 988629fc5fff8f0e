import Foundation

/// What a push notification says. Its kinds are ``CKQueryNotification``, ``CKRecordZoneNotification`` and
/// ``CKDatabaseNotification``.
///
/// `@unchecked Sendable`: nothing changes after it was made, and what ``CKQueryNotification/recordFields`` holds are
/// immutable values.
public class CKNotification: NSObject, @unchecked Sendable {
    /// The name of a notification.
    public typealias ID = CKNotificationID

    /// The kinds of notifications.
    public enum NotificationType: Int, Sendable {
        case query = 1
        case recordZone = 2
        case readNotification = 3
        case database = 4
    }

    /// The kind.
    public let notificationType: NotificationType
    let payload: PushPayload
    private var alert: PushPayload.Alert { payload.alert }
    private var common: PushPayload.Common { payload.common }

    init(_ payload: PushPayload) {
        self.payload = payload
        notificationType =
            switch payload.kind {
            case .query: .query
            case .recordZone: .recordZone
            case .database: .database
            }
    }

    /// Tells notifications apart.
    public var notificationID: ID? { common.notificationID.map { CKNotificationID($0) } }
    /// The container it comes from.
    public var containerIdentifier: String? { common.containerIdentifier }
    /// Whose subscription it is.
    public var subscriptionOwnerUserRecordID: CKRecord.ID? { common.owner.map { CKRecord.ID(recordName: $0) } }
    /// Whether something was left out, because the payload would have been too large.
    public var isPruned: Bool { common.isPruned }
    /// The subscription that fired.
    public var subscriptionID: CKSubscription.ID? { payload.subject.subscriptionID }
    /// The message.
    public var alertBody: String? { alert.body }
    /// The key of the message in the app's texts.
    public var alertLocalizationKey: String? { alert.bodyKey }
    /// What fills the app's text.
    public var alertLocalizationArgs: [String]? { alert.bodyArguments }
    /// What stands above the message.
    public var title: String? { alert.title }
    /// The key of the title in the app's texts.
    public var titleLocalizationKey: String? { alert.titleKey }
    /// What fills the app's text.
    public var titleLocalizationArgs: [String]? { alert.titleArguments }
    /// What stands between title and message.
    public var subtitle: String? { alert.subtitle }
    /// The key of the subtitle in the app's texts.
    public var subtitleLocalizationKey: String? { alert.subtitleKey }
    /// What fills the app's text.
    public var subtitleLocalizationArgs: [String]? { alert.subtitleArguments }
    /// The key of the button's text.
    public var alertActionLocalizationKey: String? { alert.actionKey }
    /// The image that is shown while the app starts.
    public var alertLaunchImage: String? { alert.launchImage }
    /// The number on the app's icon.
    public var badge: NSNumber? { alert.badge.map { NSNumber(value: $0) } }
    /// The sound that is played.
    public var soundName: String? { alert.sound }
    /// The group of actions offered.
    public var category: String? { alert.category }
}

/// Lets the initializer give an object of a subclass, which an initializer of a class cannot.
public protocol _CKNotificationFactory {}

extension CKNotification: _CKNotificationFactory {}

extension _CKNotificationFactory where Self: CKNotification {
    /// Reads the payload of a push notification. The object is of the class of its kind; nil if the payload has no part of
    /// CloudKit, or is of another kind than the class that is asked for.
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let payload = PushPayload(notificationDictionary) else { return nil }
        let notification: CKNotification =
            switch payload.kind {
            case .query: CKQueryNotification(payload)
            case .recordZone: CKRecordZoneNotification(payload)
            case .database: CKDatabaseNotification(payload)
            }
        guard let notification = notification as? Self else { return nil }
        self = notification
    }
}
