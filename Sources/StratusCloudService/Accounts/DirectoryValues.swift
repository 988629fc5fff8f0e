import StratusCloudModel

/// A person who can sign in.
struct Account: StoredValue, Hashable, PasswordHolder {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    /// 32 hexadecimal digits; never reused.
    var id: String
    var email: String
    /// argon2id, with its parameters.
    var passwordHash: String
    /// Milliseconds since 1970-01-01 UTC.
    var created: Int64
    /// Sessions made under an older number are void: it grows with a change of password.
    var sessionEpoch: UInt64
    /// The container in whose development a test account can sign in, and nowhere else; nil for people.
    var testOf: ContainerIdentifier?
}

/// One app's permission to talk to a container, public by nature: it stands in web pages.
struct APIToken: StoredValue, Hashable {
    static let format: UInt8 = 1

    var name: String
    var context: CloudContext
    /// Where the browser goes after signing in; nil posts a message to the window that opened the page.
    var signInCallback: String?
    /// Origins that browsers may use the token from; empty allows any.
    var allowedOrigins: [String]
    var created: Int64
}

/// The public half of a key that a server signs its requests with.
struct ServerKey: StoredValue, Hashable {
    static let format: UInt8 = 1

    var name: String
    var context: CloudContext
    var publicKeyPEM: String
    /// The name that records carry which are saved with this key.
    var userRecordName: String
    var created: Int64
}

/// A signed-in device or browser.
struct Session: StoredValue, Hashable {
    static let format: UInt8 = 1

    var accountID: String
    var context: CloudContext
    var userRecordName: String
    var created: Int64
    /// Nothing made of this session is valid later.
    var expires: Int64
    /// Milliseconds that each token is valid.
    var tokenLifetime: Int64
    var accountEpoch: UInt64
}

/// A container.
struct ContainerEntry: StoredValue, Hashable {
    static let format: UInt8 = 1

    var identifier: ContainerIdentifier
    var created: Int64
}

// MARK: - Stored forms

extension Account {
    init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.string(), email: try reader.string(), passwordHash: try reader.string(),
            created: try reader.signed(), sessionEpoch: try reader.unsigned())
        // Format 1 ends here.
        if reader.isAtEnd { return }
        testOf = try reader.optional { reader in
            guard let container = ContainerIdentifier(try reader.string()) else { throw ByteReader.Malformed() }
            return container
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(id)
        writer.write(email)
        writer.write(passwordHash)
        writer.write(signed: created)
        writer.write(unsigned: sessionEpoch)
        writer.write(optional: testOf?.rawValue) { $0.write($1) }
    }
}

extension APIToken {
    init(from reader: inout ByteReader) throws {
        name = try reader.string()
        context = try CloudContext(from: &reader)
        signInCallback = try reader.optional { try $0.string() }
        allowedOrigins = []
        for _ in 0..<(try reader.unsigned()) { allowedOrigins.append(try reader.string()) }
        created = try reader.signed()
    }

    func write(to writer: inout ByteWriter) {
        writer.write(name)
        context.write(to: &writer)
        writer.write(optional: signInCallback) { $0.write($1) }
        writer.write(unsigned: UInt64(allowedOrigins.count))
        for origin in allowedOrigins { writer.write(origin) }
        writer.write(signed: created)
    }
}

extension ServerKey {
    init(from reader: inout ByteReader) throws {
        self.init(
            name: try reader.string(), context: try CloudContext(from: &reader), publicKeyPEM: try reader.string(),
            userRecordName: try reader.string(), created: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(name)
        context.write(to: &writer)
        writer.write(publicKeyPEM)
        writer.write(userRecordName)
        writer.write(signed: created)
    }
}

extension Session {
    init(from reader: inout ByteReader) throws {
        self.init(
            accountID: try reader.string(), context: try CloudContext(from: &reader),
            userRecordName: try reader.string(), created: try reader.signed(), expires: try reader.signed(),
            tokenLifetime: try reader.signed(), accountEpoch: try reader.unsigned())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(accountID)
        context.write(to: &writer)
        writer.write(userRecordName)
        writer.write(signed: created)
        writer.write(signed: expires)
        writer.write(signed: tokenLifetime)
        writer.write(unsigned: accountEpoch)
    }
}

extension ContainerEntry {
    init(from reader: inout ByteReader) throws {
        guard let identifier = ContainerIdentifier(try reader.string()) else { throw ByteReader.Malformed() }
        self.init(identifier: identifier, created: try reader.signed())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(identifier.rawValue)
        writer.write(signed: created)
    }
}

extension CloudContext {
    init(from reader: inout ByteReader) throws {
        guard let container = ContainerIdentifier(try reader.string()),
            let environment = CloudEnvironment(rawValue: try reader.string())
        else { throw ByteReader.Malformed() }
        self.init(container: container, environment: environment)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(container.rawValue)
        writer.write(environment.rawValue)
    }
}
