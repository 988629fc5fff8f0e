import Foundation

/// What stands in the payload of a push notification: `aps`, what is shown, and `ck`, what it is about.
///
/// `@unchecked Sendable`: ``fields`` holds values of JSON, which never change.
struct PushPayload: @unchecked Sendable {
    /// Which kind of subscription fired, by the key that tells about it.
    enum Kind: String, CaseIterable, Sendable {
        case query = "qry"
        case recordZone = "fet"
        case database = "met"
    }

    /// What is shown.
    struct Alert: Sendable {
        var body, bodyKey, title, titleKey, subtitle, subtitleKey, actionKey, launchImage, sound, category: String?
        var bodyArguments, titleArguments, subtitleArguments: [String]?
        var badge: Int?
    }

    /// What every notification has.
    struct Common: Sendable {
        var notificationID, containerIdentifier, owner: String?
        var isPruned = false
    }

    /// What it is about.
    struct Subject: Sendable {
        var subscriptionID, recordName, zoneName, zoneOwner: String?
        var scope: CKDatabase.Scope
        var reason: Int?
    }

    let alert: Alert
    let common: Common
    let kind: Kind
    let subject: Subject
    /// The values that travel along.
    let fields: [String: Any]?

    /// nil if there is no part of CloudKit.
    init?(_ payload: [AnyHashable: Any]) {
        guard let cloud = payload["ck"] as? [AnyHashable: Any] else { return nil }
        guard let kind = Kind.allCases.first(where: { cloud[$0.rawValue] is [AnyHashable: Any] }),
            let about = cloud[kind.rawValue] as? [AnyHashable: Any]
        else { return nil }
        self.kind = kind
        alert = Alert(payload["aps"] as? [AnyHashable: Any] ?? [:])
        common = Common(
            notificationID: cloud["nid"] as? String, containerIdentifier: cloud["cid"] as? String,
            owner: cloud["ckuserid"] as? String, isPruned: Self.number(cloud["p"]) ?? 0 != 0)
        // The wire counts public 0, private 1, shared 2. A subscription of a kind says the rest where it is missing.
        let scope: CKDatabase.Scope =
            switch Self.number(about["dbs"]) {
            case 0: .public
            case 2: .shared
            default: .private
            }
        subject = Subject(
            subscriptionID: about["sid"] as? String, recordName: about["rid"] as? String,
            zoneName: about["zid"] as? String, zoneOwner: about["zoid"] as? String, scope: scope,
            reason: Self.number(about["fo"]))
        fields = about["af"] as? [String: Any]
    }

    /// The zone in question. Where the owner of the subscription owns it, it is the current user's.
    var zoneID: CKRecordZone.ID? {
        guard let name = subject.zoneName else { return nil }
        return IdentityNames(currentUser: common.owner).zoneID(
            .init(zoneName: name, ownerRecordName: subject.zoneOwner))
    }

    private static func number(_ value: Any?) -> Int? { (value as? NSNumber)?.intValue ?? (value as? Int) }
}

extension PushPayload.Alert {
    fileprivate init(_ aps: [AnyHashable: Any]) {
        badge = (aps["badge"] as? NSNumber)?.intValue
        sound = aps["sound"] as? String
        category = aps["category"] as? String
        if let text = aps["alert"] as? String { body = text }
        guard let alert = aps["alert"] as? [AnyHashable: Any] else { return }
        body = alert["body"] as? String
        bodyKey = alert["loc-key"] as? String
        bodyArguments = alert["loc-args"] as? [String]
        title = alert["title"] as? String
        titleKey = alert["title-loc-key"] as? String
        titleArguments = alert["title-loc-args"] as? [String]
        subtitle = alert["subtitle"] as? String
        subtitleKey = alert["subtitle-loc-key"] as? String
        subtitleArguments = alert["subtitle-loc-args"] as? [String]
        actionKey = alert["action-loc-key"] as? String
        launchImage = alert["launch-image"] as? String
    }
}
