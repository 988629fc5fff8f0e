import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A password that a program uses in the place of a person's own: for their files over WebDAV, in every container but
/// only in one environment, for all backups of their devices, and for nothing else.
struct AppPassword: StoredValue, Hashable {
    static let format: UInt8 = 1

    /// Unique among those of the account.
    var name: String
    /// The environment whose files it opens. Backups belong to no environment.
    var environment: CloudEnvironment
    /// Whether it may delete backups, and not only add to them.
    var mayDeleteBackups: Bool
    /// Milliseconds since 1970-01-01 UTC.
    var created: Int64
    /// Milliseconds since 1970-01-01 UTC; at most ``ServiceLimits/sessionUsePause`` behind. Nil before the first use.
    var lastUsed: Int64?
    /// The whole keyed hash of the secret.
    var hash: [UInt8]

    init(
        name: String, environment: CloudEnvironment, mayDeleteBackups: Bool, created: Int64, lastUsed: Int64? = nil,
        hash: [UInt8]
    ) {
        self.name = name
        self.environment = environment
        self.mayDeleteBackups = mayDeleteBackups
        self.created = created
        self.lastUsed = lastUsed
        self.hash = hash
    }

    init(from reader: inout ByteReader) throws {
        let name = try reader.string()
        guard let environment = CloudEnvironment(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.init(
            name: name, environment: environment, mayDeleteBackups: try reader.byte() != 0,
            created: try reader.signed(), lastUsed: try reader.optional { try $0.signed() },
            hash: Array(try reader.slice()))
    }

    func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.write(environment.rawValue)
        writer.write(byte: mayDeleteBackups ? 1 : 0)
        writer.write(signed: created)
        writer.write(optional: lastUsed) { $0.write(signed: $1) }
        writer.write(bytes: hash)
    }
}

/// What a person is shown of an app password. The password itself is not stored.
public struct AppPasswordSummary: Hashable, Sendable {
    /// The name that the person gave it, unique in the account.
    public var name: String
    /// The environment whose files it opens. It opens all backups of the account.
    public var environment: CloudEnvironment
    /// Whether it may delete backups.
    public var mayDeleteBackups: Bool
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64
    /// Milliseconds since 1970-01-01 UTC, to the hour; nil before the first use.
    public var lastUsed: Int64?

    init(_ password: AppPassword) {
        name = password.name
        environment = password.environment
        mayDeleteBackups = password.mayDeleteBackups
        created = password.created
        lastUsed = password.lastUsed
    }
}

extension DirectoryKey {
    /// Bytes of the secret's keyed hash that stand in the key.
    private static let appPasswordMark = 16

    /// - Parameter hash: the keyed hash of the secret.
    static func appPassword(_ hash: [UInt8], of accountID: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.appPassword.rawValue)
        encoder.append(string: accountID)
        encoder.append(rest: Array(hash.prefix(appPasswordMark)))
        return encoder.key
    }

    static func appPasswords(of accountID: String) -> KeyRange { KeyRange(prefix: key(.appPassword, accountID)) }
}
