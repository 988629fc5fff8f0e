import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Somebody who may sign in to the console. No person of any app, and known to none.
struct Developer: StoredValue, Hashable, PasswordHolder {
    static let format: UInt8 = 1

    /// 32 hexadecimal digits; never reused.
    var id: String
    var email: String
    var name: String
    /// argon2id, with its parameters.
    var passwordHash: String
    /// Whether the developer is admin of all containers, and may make them.
    var isOwner: Bool
    /// Milliseconds since 1970-01-01 UTC.
    var created: Int64
    /// Sessions made under an older number are void: it grows with a change of password.
    var sessionEpoch: UInt64 = 1

    init(id: String, email: String, name: String, passwordHash: String, isOwner: Bool, created: Int64) {
        self.id = id
        self.email = email
        self.name = name
        self.passwordHash = passwordHash
        self.isOwner = isOwner
        self.created = created
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.string(), email: try reader.string(), name: try reader.string(),
            passwordHash: try reader.string(), isOwner: try reader.byte() == 1, created: try reader.signed())
        sessionEpoch = try reader.unsigned()
    }

    func write(to writer: inout ByteWriter) {
        for text in [id, email, name, passwordHash] { writer.write(text) }
        writer.write(byte: isOwner ? 1 : 0)
        writer.write(signed: created)
        writer.write(unsigned: sessionEpoch)
    }
}

/// A browser in which a developer is signed in.
struct DeveloperSession: StoredValue, Hashable {
    static let format: UInt8 = 1

    var created: Int64
    var expires: Int64
    var epoch: UInt64

    init(created: Int64, expires: Int64, epoch: UInt64) {
        self.created = created
        self.expires = expires
        self.epoch = epoch
    }

    init(from reader: inout ByteReader) throws {
        self.init(created: try reader.signed(), expires: try reader.signed(), epoch: try reader.unsigned())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(signed: created)
        writer.write(signed: expires)
        writer.write(unsigned: epoch)
    }

    /// Whether it outlives the browser, because the developer chose to stay signed in.
    var isLong: Bool { expires - created > DeveloperLimits.sessionLifetime }

    /// Whether it counts now, for its developer as they are now.
    func isLive(for developer: Developer, at now: Int64) -> Bool {
        epoch == developer.sessionEpoch && expires > now
    }
}

/// A developer's place in a container's team.
struct TeamMembership: StoredValue, Hashable {
    static let format: UInt8 = 1

    var role: TeamRole
    var since: Int64

    init(role: TeamRole, since: Int64) {
        self.role = role
        self.since = since
    }

    init(from reader: inout ByteReader) throws {
        self.init(role: try TeamRole(from: &reader), since: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(role.rawValue)
        writer.write(signed: since)
    }
}

extension TeamRole {
    init(from reader: inout ByteReader) throws {
        guard let role = TeamRole(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self = role
    }
}

/// A one-time code that lets somebody in. It lies under the hash of the code, which is stored nowhere.
struct StoredInvitation: StoredValue, Hashable {
    static let format: UInt8 = 1

    var purpose: InvitationPurpose
    /// The address that an account made with it gets; nil leaves it open.
    var email: String?
    /// Who made it.
    var by: String
    var created: Int64
    var expires: Int64

    init(purpose: InvitationPurpose, email: String?, by: String, created: Int64, expires: Int64) {
        self.purpose = purpose
        self.email = email
        self.by = by
        self.created = created
        self.expires = expires
    }

    init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 0: purpose = .owner
        case 1:
            guard let container = ContainerIdentifier(try reader.string()) else { throw ByteReader.Malformed() }
            purpose = .team(container, try TeamRole(from: &reader))
        default: throw ByteReader.Malformed()
        }
        email = try reader.optional { try $0.string() }
        by = try reader.string()
        created = try reader.signed()
        expires = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        switch purpose {
        case .owner: writer.write(byte: 0)
        case .team(let container, let role):
            writer.write(byte: 1)
            writer.write(container.rawValue)
            writer.write(role.rawValue)
        }
        writer.write(optional: email) { $0.write($1) }
        writer.write(by)
        writer.write(signed: created)
        writer.write(signed: expires)
    }
}

/// What an invitation is to.
public enum InvitationPurpose: Hashable, Sendable {
    /// To own the server.
    case owner
    /// To be in a container's team.
    case team(ContainerIdentifier, TeamRole)
}

// MARK: - Keys

extension AccountSessionID {
    /// Where the session lies whose holder is a developer.
    var developerKey: Key { DirectoryKey.developerSession(hash, of: accountID) }
}

extension DirectoryKey {
    static func developer(email: String) -> Key { key(.developerByEmail, email) }
    static func developer(id: String) -> Key { key(.developer, id) }
    static var developers: KeyRange { KeyRange(prefix: Key([Tag.developer.rawValue])) }

    static func developerSession(_ hash: [UInt8], of developerID: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.developerSession.rawValue)
        encoder.append(string: developerID)
        encoder.append(rest: hash)
        return encoder.key
    }

    static func developerSessions(of developerID: String) -> KeyRange {
        KeyRange(prefix: key(.developerSession, developerID))
    }

    static func invitation(_ hash: [UInt8]) -> Key { Key([Tag.developerInvitation.rawValue] + hash) }
    static var invitations: KeyRange { KeyRange(prefix: Key([Tag.developerInvitation.rawValue])) }

    static func membership(of developerID: String, in container: ContainerIdentifier) -> Key {
        key(.teamMembership, container.rawValue, developerID)
    }

    static func team(of container: ContainerIdentifier) -> KeyRange {
        KeyRange(prefix: key(.teamMembership, container.rawValue))
    }

    /// The developer at the end of a membership's key.
    static func developerID(ofMembership membership: Key) -> String? {
        var decoder = TupleDecoder(membership, skipping: 1)
        guard decoder.string() != nil else { return nil }
        return decoder.string()
    }

    /// The name under which a developer works in a context.
    static func developerUser(_ developerID: String, in context: CloudContext) -> Key {
        key(.developerUser, context.container.rawValue, context.environment.rawValue, developerID)
    }
}
