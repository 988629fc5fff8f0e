/// What a device is told when a subscription fires.
public struct CloudNotification: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A record was made, changed or deleted. `fields` are those that the subscription wants to travel along.
        case query(recordName: String, zoneID: ZoneID, QuerySubscription.Event, fields: FieldMap)
        /// Something in this zone changed.
        case zone(ZoneID)
        /// Something in the database changed: in this zone.
        case database(ZoneID)
    }

    /// A text to show, with the arguments that stand in for its fields.
    public struct Text: Hashable, Sendable {
        /// The text itself.
        public var literal: String?
        /// The key of a text in the app.
        public var localizationKey: String?
        /// What fills the app's text.
        public var localizationArguments: [String]

        /// Makes a text.
        public init(_ literal: String? = nil, localizationKey: String? = nil, localizationArguments: [String] = []) {
            self.literal = literal
            self.localizationKey = localizationKey
            self.localizationArguments = localizationArguments
        }
    }

    /// Tells notifications apart; a device that sees one twice was told twice. A UUID.
    public var notificationID: String
    /// The container it comes from.
    public var container: ContainerIdentifier
    /// The database it comes from, as the subscription's owner sees it.
    public var scope: DatabaseScope
    /// The subscription that fired.
    public var subscriptionID: String
    /// Whose subscription it is.
    public var userRecordName: String
    /// What happened.
    public var kind: Kind
    /// The message.
    public var body = Text()
    /// What stands above it.
    public var title = Text()
    /// What stands between the two.
    public var subtitle = Text()
    /// The key of the button's text.
    public var actionLocalizationKey: String?
    /// The image that is shown while the app starts.
    public var launchImage: String?
    /// The sound that is played.
    public var soundName: String?
    /// The number on the app's icon.
    public var badge: Int?
    /// The group of actions offered.
    public var category: String?
    /// Wakes the app in the background.
    public var isContentAvailable = false
    /// Lets an extension of the app change the notification before it is shown.
    public var isMutableContent = false
    /// Notifications of the same name replace each other on the device.
    public var collapseID: String?

    /// Makes a notification that says nothing beside what happened.
    public init(
        notificationID: String, container: ContainerIdentifier, scope: DatabaseScope, subscriptionID: String,
        userRecordName: String, kind: Kind
    ) {
        self.notificationID = notificationID
        self.container = container
        self.scope = scope
        self.subscriptionID = subscriptionID
        self.userRecordName = userRecordName
        self.kind = kind
    }

    /// Whether a person is shown or hears nothing of it.
    public var isSilent: Bool {
        let texts = [body, title, subtitle]
        return soundName == nil && badge == nil
            && texts.allSatisfy { $0.literal == nil && $0.localizationKey == nil }
    }
}
