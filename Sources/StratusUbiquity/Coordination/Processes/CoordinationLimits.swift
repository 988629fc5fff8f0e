/// Bounds of file coordination. `Documentation/limits.md` lists them.
enum CoordinationLimits {
    /// Seconds that a presenter may take to answer, so that one that hangs blocks others only for so long.
    static let presenterReply = 30.0
    /// Seconds after which a claim that waits is looked at again without a message, in case the message was lost.
    static let lostMessage = 5.0
    /// Seconds that a process may take to accept a message.
    static let sending = 5.0
    /// Bytes of a message between two processes.
    static let message = 1 << 20
    /// Bytes of the file with the claims of all processes.
    static let ledger = 16 << 20
    /// Bytes of a socket's path that Linux allows.
    static let socketPath = 107
    /// Conversations with other processes at the same time.
    static let conversations = 256
}
