/// A person as a container's users see each other.
public struct UserIdentity: Hashable, Sendable {
    /// `_` and 32 hexadecimal digits, random for each account, container and environment.
    public var userRecordName: String
    /// Only if the user is discoverable in this container.
    public var givenName: String?
    /// Likewise.
    public var familyName: String?
    /// How the user was found; for the caller, the own e-mail address. Only if the user is discoverable in this
    /// container.
    public var lookupInfo: UserLookup?

    /// Makes an identity.
    public init(
        userRecordName: String, givenName: String? = nil, familyName: String? = nil, lookupInfo: UserLookup? = nil
    ) {
        self.userRecordName = userRecordName
        self.givenName = givenName
        self.familyName = familyName
        self.lookupInfo = lookupInfo
    }
}

/// What one knows of a person to look for.
public enum UserLookup: Hashable, Sendable {
    case emailAddress(String)
    /// International, with a plus and the country's code; spaces, hyphens, dots and parentheses are passed over.
    case phoneNumber(String)
    case userRecordName(String)
    /// A salted hash of an e-mail address or phone number, as ``Contacts`` describes it. Only in answers.
    case contactHash([UInt8])
}

/// The people whom one user of a container knows of and who are discoverable there.
public struct Contacts: Hashable, Sendable {
    /// Those of the address book who were found, each with the hash that found them.
    public var users: [UserIdentity]
    /// What the container's environment puts in front of an e-mail address (in lower case) or a phone number (`+` and
    /// digits) before SHA-256: the hashes that an address book is made of.
    public var salt: [UInt8]

    /// Makes an answer.
    public init(users: [UserIdentity], salt: [UInt8]) {
        self.users = users
        self.salt = salt
    }
}
