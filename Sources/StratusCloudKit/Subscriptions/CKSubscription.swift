import Foundation
import StratusWorkers

/// A wish to be told of changes. Its kinds are ``CKQuerySubscription``, ``CKRecordZoneSubscription`` and
/// ``CKDatabaseSubscription``.
///
/// `@unchecked Sendable`: what changes is under a lock. A class that is not final cannot say so in a way that the compiler
/// checks.
public class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a subscription.
    public typealias ID = String
    /// What notifications say.
    public typealias NotificationInfo = CKNotificationInfo

    /// The kinds of subscriptions.
    public enum SubscriptionType: Int, Sendable {
        case query = 1
        case recordZone = 2
        case database = 3
    }

    /// What can be changed.
    struct State: Sendable {
        var info: CKNotificationInfo?
        var zoneID: CKRecordZone.ID?
        var recordType: CKRecord.RecordType?
    }

    /// The name, unique among those of the user in the database.
    public let subscriptionID: ID
    /// The kind.
    public let subscriptionType: SubscriptionType
    let state: Lock<State>

    init(_ type: SubscriptionType, _ subscriptionID: ID, _ state: State) {
        subscriptionType = type
        self.subscriptionID = subscriptionID
        self.state = Lock(state)
    }

    /// What the notifications say; nil tells the devices silently. A copy: set it to change it.
    public var notificationInfo: NotificationInfo? {
        get { state.withLock { $0.info } }
        set {
            let info = newValue?.copy() as? CKNotificationInfo
            state.withLock { $0.info = info }
        }
    }

    /// Archives hold it.
    public class var supportsSecureCoding: Bool { true }

    /// Reads it from an archive; nil if it is not whole.
    public required init?(coder: NSCoder) {
        guard let type = SubscriptionType(rawValue: Int(coder.decodeInt64(forKey: "SubscriptionType"))),
            let name = coder.decoded(NSString.self, "SubscriptionID")
        else { return nil }
        subscriptionType = type
        subscriptionID = name as String
        state = Lock(
            State(
                info: coder.decoded(CKNotificationInfo.self, "NotificationInfo"),
                zoneID: coder.decoded(CKRecordZoneID.self, "ZoneID"),
                recordType: coder.decoded(NSString.self, "RecordType") as String?))
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        let state = state.withLock { $0 }
        coder.encode(Int64(subscriptionType.rawValue), forKey: "SubscriptionType")
        coder.encode(subscriptionID as NSString, forKey: "SubscriptionID")
        coder.encode(state.info, forKey: "NotificationInfo")
        coder.encode(state.zoneID, forKey: "ZoneID")
        coder.encode(state.recordType as NSString?, forKey: "RecordType")
    }

    /// An equal subscription of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        CKSubscription(subscriptionType, subscriptionID, state.withLock { $0 })
    }

    /// Whether the names are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKSubscription else { return false }
        return other.subscriptionID == subscriptionID && other.subscriptionType == subscriptionType
    }

    /// Of the name.
    public override var hash: Int { subscriptionID.hashValue }
    /// For logs.
    public override var description: String { "<\(type(of: self)): subscriptionID=\(subscriptionID)>" }
}
