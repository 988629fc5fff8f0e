import Foundation
import StratusCloudModel
import StratusWorkers

/// What the notifications of a subscription say.
///
/// A class of the top level, because keyed archives cannot name nested ones; use it as
/// ``CKSubscription/NotificationInfo``.
///
/// `@unchecked Sendable`: what changes is under a lock.
public final class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let info: Lock<NotificationInfo>

    /// Makes a description; without anything the notification is silent.
    public init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil,
        alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil, titleLocalizationKey: String? = nil,
        titleLocalizationArgs: [CKRecord.FieldKey] = [], subtitle: String? = nil,
        subtitleLocalizationKey: String? = nil, subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
        alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil, soundName: String? = nil,
        desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
        shouldSendMutableContent: Bool = false, category: String? = nil, collapseIDKey: String? = nil
    ) {
        typealias Text = NotificationInfo.Text
        info = Lock(
            NotificationInfo(
                body: Text(
                    alertBody, localizationKey: alertLocalizationKey, localizationArguments: alertLocalizationArgs),
                title: Text(
                    title, localizationKey: titleLocalizationKey, localizationArguments: titleLocalizationArgs),
                subtitle: Text(
                    subtitle, localizationKey: subtitleLocalizationKey,
                    localizationArguments: subtitleLocalizationArgs),
                actionLocalizationKey: alertActionLocalizationKey, launchImage: alertLaunchImage,
                soundName: soundName, shouldBadge: shouldBadge,
                shouldSendContentAvailable: shouldSendContentAvailable,
                shouldSendMutableContent: shouldSendMutableContent, category: category, collapseIDKey: collapseIDKey,
                desiredKeys: desiredKeys))
    }

    init(_ value: NotificationInfo) { info = Lock(value) }

    /// What is sent.
    var value: NotificationInfo { info.withLock { $0 } }

    private func get<Value: Sendable>(_ path: any WritableKeyPath<NotificationInfo, Value> & Sendable) -> Value {
        info.withLock { $0[keyPath: path] }
    }

    private func set<Value: Sendable>(_ path: any WritableKeyPath<NotificationInfo, Value> & Sendable, _ value: Value) {
        info.withLock { $0[keyPath: path] = value }
    }

    /// The message.
    public var alertBody: String? {
        get { get(\.body.literal) }
        set { set(\.body.literal, newValue) }
    }
    /// The key of the message in the app's texts.
    public var alertLocalizationKey: String? {
        get { get(\.body.localizationKey) }
        set { set(\.body.localizationKey, newValue) }
    }
    /// Fields whose values fill the app's text.
    public var alertLocalizationArgs: [CKRecord.FieldKey]? {
        get { get(\.body.localizationArguments) }
        set { set(\.body.localizationArguments, newValue ?? []) }
    }
    /// What stands above the message.
    public var title: String? {
        get { get(\.title.literal) }
        set { set(\.title.literal, newValue) }
    }
    /// The key of the title in the app's texts.
    public var titleLocalizationKey: String? {
        get { get(\.title.localizationKey) }
        set { set(\.title.localizationKey, newValue) }
    }
    /// Fields whose values fill the app's text.
    public var titleLocalizationArgs: [CKRecord.FieldKey]? {
        get { get(\.title.localizationArguments) }
        set { set(\.title.localizationArguments, newValue ?? []) }
    }
    /// What stands between title and message.
    public var subtitle: String? {
        get { get(\.subtitle.literal) }
        set { set(\.subtitle.literal, newValue) }
    }
    /// The key of the subtitle in the app's texts.
    public var subtitleLocalizationKey: String? {
        get { get(\.subtitle.localizationKey) }
        set { set(\.subtitle.localizationKey, newValue) }
    }
    /// Fields whose values fill the app's text.
    public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
        get { get(\.subtitle.localizationArguments) }
        set { set(\.subtitle.localizationArguments, newValue ?? []) }
    }
    /// The key of the button's text.
    public var alertActionLocalizationKey: String? {
        get { get(\.actionLocalizationKey) }
        set { set(\.actionLocalizationKey, newValue) }
    }
    /// The image that is shown while the app starts.
    public var alertLaunchImage: String? {
        get { get(\.launchImage) }
        set { set(\.launchImage, newValue) }
    }
    /// The sound that is played.
    public var soundName: String? {
        get { get(\.soundName) }
        set { set(\.soundName, newValue) }
    }
    /// Fields whose values travel with the notification, three at most.
    public var desiredKeys: [CKRecord.FieldKey]? {
        get { get(\.desiredKeys) }
        set { set(\.desiredKeys, newValue ?? []) }
    }
    /// Puts a number on the app's icon.
    public var shouldBadge: Bool {
        get { get(\.shouldBadge) }
        set { set(\.shouldBadge, newValue) }
    }
    /// Wakes the app in the background.
    public var shouldSendContentAvailable: Bool {
        get { get(\.shouldSendContentAvailable) }
        set { set(\.shouldSendContentAvailable, newValue) }
    }
    /// Lets an extension of the app change the notification before it is shown.
    public var shouldSendMutableContent: Bool {
        get { get(\.shouldSendMutableContent) }
        set { set(\.shouldSendMutableContent, newValue) }
    }
    /// The group of actions offered.
    public var category: String? {
        get { get(\.category) }
        set { set(\.category, newValue) }
    }
    /// The field whose value names notifications that replace each other.
    public var collapseIDKey: String? {
        get { get(\.collapseIDKey) }
        set { set(\.collapseIDKey, newValue) }
    }

    /// Archives hold it.
    public static var supportsSecureCoding: Bool { true }

    /// An equal description of its own.
    public func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(value) }

    /// Whether the descriptions say the same.
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationInfo)?.value == value }
    /// Of what it says.
    public override var hash: Int { value.hashValue }

    /// Reads it from an archive.
    public convenience init?(coder: NSCoder) {
        func text(_ key: String) -> String? { coder.decoded(NSString.self, key) as String? }
        func names(_ key: String) -> [String] {
            let list = coder.decoded([NSArray.self, NSString.self], key) as? NSArray
            return list?.compactMap { $0 as? String } ?? []
        }
        func decoded(_ name: String) -> NotificationInfo.Text {
            NotificationInfo.Text(
                text(name), localizationKey: text(name + "Key"), localizationArguments: names(name + "Args"))
        }
        self.init(
            NotificationInfo(
                body: decoded("Body"), title: decoded("Title"), subtitle: decoded("Subtitle"),
                actionLocalizationKey: text("ActionKey"), launchImage: text("LaunchImage"), soundName: text("Sound"),
                shouldBadge: coder.decodeBool(forKey: "Badge"),
                shouldSendContentAvailable: coder.decodeBool(forKey: "ContentAvailable"),
                shouldSendMutableContent: coder.decodeBool(forKey: "MutableContent"), category: text("Category"),
                collapseIDKey: text("CollapseIDKey"), desiredKeys: names("DesiredKeys")))
    }

    /// Writes it to an archive.
    public func encode(with coder: NSCoder) {
        let value = value
        func encode(_ text: String?, _ key: String) { coder.encode(text as NSString?, forKey: key) }
        func encode(_ names: [String], _ key: String) {
            coder.encode(NSArray(array: names.map { $0 as NSString }), forKey: key)
        }
        for (text, name) in [(value.body, "Body"), (value.title, "Title"), (value.subtitle, "Subtitle")] {
            encode(text.literal, name)
            encode(text.localizationKey, name + "Key")
            encode(text.localizationArguments, name + "Args")
        }
        encode(value.actionLocalizationKey, "ActionKey")
        encode(value.launchImage, "LaunchImage")
        encode(value.soundName, "Sound")
        encode(value.category, "Category")
        encode(value.collapseIDKey, "CollapseIDKey")
        encode(value.desiredKeys, "DesiredKeys")
        coder.encode(value.shouldBadge, forKey: "Badge")
        coder.encode(value.shouldSendContentAvailable, forKey: "ContentAvailable")
        coder.encode(value.shouldSendMutableContent, forKey: "MutableContent")
    }
}
