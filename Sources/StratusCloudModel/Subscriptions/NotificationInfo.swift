/// What the notifications of a subscription say.
public struct NotificationInfo: Hashable, Sendable {
    /// A text, or the key of one that the device looks up and fills with values of the record.
    public struct Text: Hashable, Sendable {
        /// The text itself.
        public var literal: String?
        /// The key of a text in the app.
        public var localizationKey: String?
        /// Names of fields whose values fill the app's text, in order.
        public var localizationArguments: [String]

        /// Makes a text; without anything it is not shown.
        public init(_ literal: String? = nil, localizationKey: String? = nil, localizationArguments: [String] = []) {
            self.literal = literal
            self.localizationKey = localizationKey
            self.localizationArguments = localizationArguments
        }

        /// Whether there is nothing to show.
        public var isEmpty: Bool { literal == nil && localizationKey == nil }
    }

    /// The message.
    public var body: Text
    /// What stands above it.
    public var title: Text
    /// What stands between the two.
    public var subtitle: Text
    /// The key of the button's text.
    public var actionLocalizationKey: String?
    /// The image that is shown while the app starts.
    public var launchImage: String?
    /// The sound that is played.
    public var soundName: String?
    /// Puts a number on the app's icon.
    public var shouldBadge: Bool
    /// Wakes the app in the background.
    public var shouldSendContentAvailable: Bool
    /// Lets an extension of the app change the notification before it is shown.
    public var shouldSendMutableContent: Bool
    /// The group of actions offered.
    public var category: String?
    /// The field whose value names notifications that replace each other.
    public var collapseIDKey: String?
    /// Fields whose values travel with the notification; at most ``ModelLimits/fieldsPerNotification``.
    public var desiredKeys: [String]

    /// Makes a description; without anything the notification is silent.
    public init(
        body: Text = Text(), title: Text = Text(), subtitle: Text = Text(), actionLocalizationKey: String? = nil,
        launchImage: String? = nil, soundName: String? = nil, shouldBadge: Bool = false,
        shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false, category: String? = nil,
        collapseIDKey: String? = nil, desiredKeys: [String] = []
    ) {
        self.body = body
        self.title = title
        self.subtitle = subtitle
        self.actionLocalizationKey = actionLocalizationKey
        self.launchImage = launchImage
        self.soundName = soundName
        self.shouldBadge = shouldBadge
        self.shouldSendContentAvailable = shouldSendContentAvailable
        self.shouldSendMutableContent = shouldSendMutableContent
        self.category = category
        self.collapseIDKey = collapseIDKey
        self.desiredKeys = desiredKeys
    }

    /// Whether a person is shown or hears nothing of it.
    public var isSilent: Bool {
        body.isEmpty && title.isEmpty && subtitle.isEmpty && soundName == nil && !shouldBadge
    }
}
