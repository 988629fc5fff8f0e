import StratusCloudService

/// How a server sends mail.
public struct MailService: Sendable {
    /// Takes it to people.
    public var channel: any MailChannel
    /// Invitations that one user may send in a day.
    public var perUserAndDay: Int

    /// Says how.
    public init(channel: any MailChannel, perUserAndDay: Int = MailLimits.perUserAndDay) {
        self.channel = channel
        self.perUserAndDay = perUserAndDay
    }
}
