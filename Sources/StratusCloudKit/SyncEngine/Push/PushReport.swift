/// What one hears who listens for a container's notifications.
public enum PushReport: Sendable {
    /// The cloud is there, and what happens from now on is told. What happened before may not have been.
    case listening
    /// A subscription fired.
    case notification(CKNotification)
    /// The connection is lost; another is tried.
    case interrupted
    /// This way to the cloud brings no notifications.
    case unavailable
}
