/// Limits of notifications and devices. The documentation quotes this file.
public enum PushLimits {
    /// Devices of one user in one container and environment; the one that was seen least recently gives way.
    public static let devicesPerUser = 100
    /// Milliseconds after which a device that was not seen is forgotten: 90 days.
    public static let deviceLifetime: Int64 = 90 * 24 * 60 * 60 * 1_000
    /// Milliseconds that a notification waits for an absent device: 30 days.
    public static let queueTime: Int64 = 30 * 24 * 60 * 60 * 1_000
    /// Milliseconds that a long poll waits before it is answered with nothing: below the 60 s after which proxies lose
    /// their patience.
    public static let pollTime: Int64 = 50_000
    /// Milliseconds between the signs of life of an event stream.
    public static let streamPause: Int64 = 25_000
    /// Milliseconds within which a device that got something polls again; one that comes later gets it again.
    public static let confirmationTime: Int64 = 30_000
    /// Milliseconds that a device's mailbox stays in memory after its listener left.
    public static let mailboxTime: Int64 = 120_000
    /// Milliseconds between two storings of how far devices have read.
    public static let storingPause: Int64 = 60_000
    /// Bytes of a client's name for itself.
    public static let clientIDLength = 255
    /// Bytes of a device token.
    public static let deviceTokenLength = 512
    /// Bytes of the address of a browser's push service.
    public static let endpointLength = 2_048
    /// Milliseconds before a push service that failed is tried again, at first; doubled each time.
    public static let retryPause: Int64 = 1_000
    /// The longest such time: 5 minutes.
    public static let longestRetryPause: Int64 = 300_000
}
