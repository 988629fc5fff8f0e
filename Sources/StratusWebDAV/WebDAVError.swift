/// Why a WebDAV request, or its part about one resource, was refused.
public struct WebDAVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The HTTP status.
    public let status: Int
    /// For people. Names no value of the request.
    public let reason: String
    /// The element that names the condition that was not met (RFC 4918, section 16).
    public let condition: String?

    /// Makes an error.
    public init(_ status: Int, _ reason: String, condition: String? = nil) {
        self.status = status
        self.reason = reason
        self.condition = condition
    }

    /// Status and reason.
    public var description: String { "\(status): \(reason)" }
}
