/// Why the credentials of this machine's user cannot be used.
public struct CredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that names the file and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
