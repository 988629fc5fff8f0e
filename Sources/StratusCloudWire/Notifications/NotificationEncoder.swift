import StratusCloudModel

/// Writes notifications as Apple's push service carries them: what is shown under `aps`, what it is about under `ck`.
///
/// A payload over the limit loses what matters least until it fits, and says so by `ck.p`.
public struct NotificationEncoder: Sendable {
    /// Bytes of a payload.
    public var limit: Int

    /// Makes an encoder for payloads of at most so many bytes.
    public init(limit: Int = ModelLimits.notificationSize) { self.limit = limit }

    /// The payload of a notification.
    public func payload(_ notification: CloudNotification) -> [UInt8] {
        let whole = Self.write(notification, Set(NotificationPart.allCases), isPruned: false)
        guard whole.count > limit else { return whole }
        var kept: Set<NotificationPart> = []
        var payload = Self.write(notification, kept, isPruned: true)
        for part in NotificationPart.allCases {
            let candidate = Self.write(notification, kept.union([part]), isPruned: true)
            guard candidate.count <= limit else { continue }
            kept.insert(part)
            payload = candidate
        }
        return payload
    }

    private static func write(
        _ notification: CloudNotification, _ parts: Set<NotificationPart>, isPruned: Bool
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        writer.notificationAlert(notification, parts)
        writer.notificationSigns(notification, parts)
        writer.endObject()
        writer.key("ck")
        writer.notificationSubject(notification, parts, isPruned: isPruned)
        writer.endObject()
        return writer.bytes
    }
}

/// What a payload can do without, in the order in which it is given up: the last first. The subscription's name and the
/// database are always there.
enum NotificationPart: CaseIterable {
    case notificationID, badge, localizationKey, localizationArguments, body, actionKey, launchImage, sound
    case contentAvailable, fields, reason, record, container, owner
    case titleKey, titleArguments, title, subtitleKey, subtitleArguments, subtitle
    // Later than Apple's list, and small.
    case category, mutableContent
}

extension JSONWriter {
    fileprivate mutating func notificationAlert(
        _ notification: CloudNotification, _ parts: Set<NotificationPart>
    ) {
        func kept<Value>(_ part: NotificationPart, _ value: Value?) -> Value? { parts.contains(part) ? value : nil }
        func arguments(_ part: NotificationPart, _ text: CloudNotification.Text) -> [String]? {
            text.localizationKey == nil ? nil : kept(part, text.localizationArguments).flatMap { $0.isEmpty ? nil : $0 }
        }
        let texts: [(StaticString, String?)] = [
            ("body", kept(.body, notification.body.literal)),
            ("loc-key", kept(.localizationKey, notification.body.localizationKey)),
            ("title", kept(.title, notification.title.literal)),
            ("title-loc-key", kept(.titleKey, notification.title.localizationKey)),
            ("subtitle", kept(.subtitle, notification.subtitle.literal)),
            ("subtitle-loc-key", kept(.subtitleKey, notification.subtitle.localizationKey)),
            ("action-loc-key", kept(.actionKey, notification.actionLocalizationKey)),
            ("launch-image", kept(.launchImage, notification.launchImage)),
        ]
        let lists: [(StaticString, [String]?)] = [
            ("loc-args", arguments(.localizationArguments, notification.body)),
            ("title-loc-args", arguments(.titleArguments, notification.title)),
            ("subtitle-loc-args", arguments(.subtitleArguments, notification.subtitle)),
        ]
        guard texts.contains(where: { $0.1 != nil }) else { return }
        key("alert")
        beginObject()
        for (name, text) in texts { optional(name, text) }
        for (name, list) in lists { optional(name, list) }
        endObject()
    }

    fileprivate mutating func notificationSigns(
        _ notification: CloudNotification, _ parts: Set<NotificationPart>
    ) {
        if let badge = notification.badge, parts.contains(.badge) {
            key("badge")
            integer(badge)
        }
        if parts.contains(.sound) { optional("sound", notification.soundName) }
        if parts.contains(.category) { optional("category", notification.category) }
        if notification.isContentAvailable, parts.contains(.contentAvailable) {
            key("content-available")
            integer(1)
        }
        if notification.isMutableContent, parts.contains(.mutableContent) {
            key("mutable-content")
            integer(1)
        }
    }

    fileprivate mutating func notificationSubject(
        _ notification: CloudNotification, _ parts: Set<NotificationPart>, isPruned: Bool
    ) {
        beginObject()
        key("ce")
        integer(2)
        if parts.contains(.container) { optional("cid", notification.container.rawValue) }
        if parts.contains(.notificationID) { optional("nid", notification.notificationID) }
        if parts.contains(.owner) { optional("ckuserid", notification.userRecordName) }
        if isPruned {
            key("p")
            integer(1)
        }
        switch notification.kind {
        case .query(let record, let zone, let event, let fields):
            key("qry")
            beginObject()
            if parts.contains(.record) {
                notificationZone(zone)
                key("rid")
                string(record)
            }
            notificationSource(notification)
            if parts.contains(.reason) {
                key("fo")
                integer(event.reason)
            }
            if parts.contains(.fields), !fields.isEmpty { notificationFields(fields) }
            endObject()
        case .zone(let zone):
            key("fet")
            beginObject()
            if parts.contains(.record) { notificationZone(zone) }
            notificationSource(notification)
            endObject()
        case .database(let zone):
            key("met")
            beginObject()
            if parts.contains(.record) { notificationZone(zone) }
            notificationSource(notification)
            endObject()
        }
        endObject()
    }

    private mutating func notificationZone(_ zone: ZoneID) {
        key("zid")
        string(zone.zoneName)
        key("zoid")
        if let owner = zone.ownerRecordName { string(owner) } else { constant(WireNames.defaultOwner) }
    }

    private mutating func notificationSource(_ notification: CloudNotification) {
        key("dbs")
        integer(notification.scope.number)
        key("sid")
        string(notification.subscriptionID)
    }

    /// Bare values, as clients put them into dictionaries of their own.
    private mutating func notificationFields(_ fields: FieldMap) {
        let form = WireForm(callerRecordName: nil, isComplete: true, numbersAsStrings: false)
        key("af")
        beginObject()
        for entry in fields {
            key(named: entry.name)
            switch entry.field.value {
            case .scalar(let value): scalar(value, form)
            case .list(_, let members):
                beginArray()
                for member in members { scalar(member, form) }
                endArray()
            }
        }
        endObject()
    }
}

extension DatabaseScope {
    /// Apple's own client takes 0 for public; payloads of private databases say 1.
    fileprivate var number: Int {
        switch self {
        case .public: 0
        case .private: 1
        case .shared: 2
        }
    }
}

extension QuerySubscription.Event {
    fileprivate var reason: Int {
        switch self {
        case .create: 1
        case .update: 2
        case .delete: 3
        }
    }
}
