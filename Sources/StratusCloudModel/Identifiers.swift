/// The name of a container: one app's cloud, such as `iCloud.org.example.notes`. Case-sensitive.
public struct ContainerIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The name as clients send it in a path.
    public let rawValue: String

    /// Fails unless the name begins with `iCloud.`, is at most ``ModelLimits/nameLength`` ASCII letters, digits,
    /// hyphens, underscores and dots, and has something behind the prefix.
    public init?(_ rawValue: String) {
        guard rawValue.hasPrefix("iCloud."), rawValue.utf8.count > 7,
            rawValue.utf8.count <= ModelLimits.nameLength,
            rawValue.utf8.allSatisfy({ Self.allowed($0) })
        else { return nil }
        self.rawValue = rawValue
    }

    private static func allowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// The name itself.
    public var description: String { rawValue }
}

/// The two copies of a container: one to try things in, one for people.
public enum CloudEnvironment: String, Hashable, Sendable, CaseIterable {
    case development, production
}

/// Which database of a container: everybody's, the caller's own, or the view of what others share with the caller.
public enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
    case `public`, `private`, shared
}

/// A container in one of its environments, the unit that schema, tokens, keys and user names belong to.
public struct CloudContext: Hashable, Sendable {
    /// The container.
    public var container: ContainerIdentifier
    /// Which copy of it.
    public var environment: CloudEnvironment

    /// Makes a context.
    public init(container: ContainerIdentifier, environment: CloudEnvironment) {
        self.container = container
        self.environment = environment
    }
}

/// Names a zone. Two owners may use the same zone name.
public struct ZoneID: Hashable, Sendable {
    /// Name of the zone that every database has.
    public static let defaultZoneName = "_defaultZone"
    /// The default zone of the caller's database.
    public static let `default` = ZoneID(zoneName: defaultZoneName)

    /// Name, unique in its database.
    public var zoneName: String
    /// The owner's user record name; nil means the caller.
    public var ownerRecordName: String?

    /// Makes an identifier; without an owner it is a zone of the caller.
    public init(zoneName: String, ownerRecordName: String? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
    }

    /// Whether this is the zone that cannot be created or deleted, has no change feed and no atomic batches.
    public var isDefault: Bool { zoneName == Self.defaultZoneName }

    /// Whether the name is one that apps cannot give: that of a zone which the service itself knows, but not the default
    /// zone's.
    public var isReserved: Bool { zoneName.utf8.first == UInt8(ascii: "_") && !isDefault }
}

/// Record types with a meaning of their own.
public enum SystemRecordType {
    /// A user's public profile; exists implicitly, named by the user record name.
    public static let users = "Users"
    /// A share record.
    public static let share = "cloudkit.share"
    /// Name of the share record of a zone that is shared as a whole.
    public static let zoneShareName = "cloudkit.zoneshare"
    /// What devices keep of a person's keys in their private database, all of it encrypted on the devices. In
    /// production, too, the type appears with its first record.
    public static let encryptionKeys = "StratusEncryptionKeys"
}
