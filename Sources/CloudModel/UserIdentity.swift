/// A person as a container's users see each other.
public struct UserIdentity: Hashable, Sendable {
    /// `_` and 32 hexadecimal digits, random for each account, container and environment.
    public var userRecordName: String
    /// Only if the user is discoverable in this container.
    public var givenName: String?
    /// Likewise.
    public var familyName: String?
    /// Likewise.
    public var emailAddress: String?

    /// Makes an identity.
    public init(
        userRecordName: String, givenName: String? = nil, familyName: String? = nil, emailAddress: String? = nil
    ) {
        self.userRecordName = userRecordName
        self.givenName = givenName
        self.familyName = familyName
        self.emailAddress = emailAddress
    }
}
