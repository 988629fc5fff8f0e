extension LocalCloud.Device {
    /// What becomes of notifications on their way to a device.
    public enum Push: Sendable {
        /// They come.
        case delivered
        /// They come when they are delivered again: late.
        case held
        /// They never come.
        case lost
    }

    /// Says what becomes of notifications from now on, for the app and its sync engines alike. What happened before may be
    /// concerned as well, unless it was taken.
    public func setPush(_ push: Push) { room.setPush(push) }
}
