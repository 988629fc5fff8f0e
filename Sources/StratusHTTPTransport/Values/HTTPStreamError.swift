/// Why a streamed body cannot be read or written further.
public enum HTTPStreamError: Error {
    /// The connection is closed: the client went away, a time limit passed, or the server is stopping.
    case connectionClosed
    /// The request body is larger than the handler's limit.
    case bodyTooLarge
    /// The response writer wrote more bytes than it had declared.
    case contentLengthExceeded
}
