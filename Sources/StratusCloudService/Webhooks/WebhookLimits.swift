/// Limits of webhooks. The documentation quotes this file.
public enum WebhookLimits {
    /// Webhooks of one context.
    public static let perContext = 20
    /// Record types of one webhook.
    public static let types = 50
    /// Bytes of an address.
    public static let urlLength = 2_048
    /// Events in one message.
    public static let eventsPerMessage = 100
    /// Events that wait for one webhook; what comes beyond is counted and lost.
    public static let waitingEvents = 100_000
    /// Milliseconds after which an event that could not be delivered is given up: 3 days.
    public static let lifetime: Int64 = 3 * 24 * 60 * 60 * 1_000
    /// Milliseconds until a message is tried again: after the first failure, the second …; the last holds for all later.
    public static let pauses: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
    /// The longest that a receiver may ask to be left alone, in milliseconds: a day.
    public static let longestPause: Int64 = 24 * 60 * 60 * 1_000
    /// Attempts of one webhook that are remembered.
    public static let deliveries = 100
    /// Characters of what a receiver is remembered to have said.
    static let errorLength = 200
}
