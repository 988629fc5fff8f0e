/// Limits of what is exchanged with push services. The documentation quotes this file.
public enum PushChannelLimits {
    /// Bytes of a web push message, encrypted: what push services must take at least (RFC 8291, section 4).
    public static let webPushMessage = 4_096
    /// Seconds that a browser's push service is asked to keep a message: four weeks, more than which none does.
    public static let webPushLifetime: Int64 = 28 * 24 * 60 * 60
    /// Bytes of the part of an endpoint that names a host.
    public static let hostLength = 255
    /// Seconds for which a token for a browser's push service is good: half of what is allowed.
    public static let webPushTokenLifetime: Int64 = 12 * 60 * 60
    /// Push services for which tokens are kept.
    public static let webPushTokens = 256
    /// Seconds for which a token for Apple's push service is used: new ones are taken after 20 minutes, old ones refused
    /// after an hour.
    public static let appleTokenLifetime: Int64 = 45 * 60
    /// Bytes of the name under which Apple's push service replaces notifications.
    public static let collapseIDLength = 64
    /// Bytes of an answer's body.
    public static let responseLength = 65_536
    /// Seconds until a push service has answered.
    public static let timeout = 30
    /// Seconds until a connection stands.
    public static let connectTimeout = 10
    /// Connections to one host.
    public static let connectionsPerHost = 8
}
