import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// A browser in which a person is signed in to their own account: to look after it, not to use an app.
struct AccountSession: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    var accountID: String
    var created: Int64
    var expires: Int64
    var accountEpoch: UInt64
    /// The `User-Agent` of the sign-in, as far as there was one.
    var agent: String?

    init(accountID: String, created: Int64, expires: Int64, accountEpoch: UInt64, agent: String? = nil) {
        self.accountID = accountID
        self.created = created
        self.expires = expires
        self.accountEpoch = accountEpoch
        self.agent = agent
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            accountID: try reader.string(), created: try reader.signed(), expires: try reader.signed(),
            accountEpoch: try reader.unsigned())
        // Format 1 ends here.
        if !reader.isAtEnd { agent = try reader.optional { try $0.string() } }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(accountID)
        writer.write(signed: created)
        writer.write(signed: expires)
        writer.write(unsigned: accountEpoch)
        writer.write(optional: agent) { $0.write($1) }
    }

    /// Whether it counts now, for its account as it is now.
    func isLive(for account: Account, at now: Int64) -> Bool {
        accountID == account.id && accountEpoch == account.sessionEpoch && expires > now
    }
}

/// What a browser keeps of its session: whose it is, and a secret of which only the hash is stored.
struct AccountSessionID: Hashable {
    /// Bytes of the secret.
    static let secretLength = 32
    private static let accountLength = 16

    let accountID: String
    let secret: [UInt8]

    init(accountID: String, secret: [UInt8]) {
        self.accountID = accountID
        self.secret = secret
    }

    /// Reads what ``text`` wrote; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count == 2 * (Self.accountLength + Self.secretLength), let bytes = Hex.decode(text) else {
            return nil
        }
        self.init(
            accountID: Hex.encode(Array(bytes.prefix(Self.accountLength))),
            secret: Array(bytes.dropFirst(Self.accountLength)))
    }

    /// Hexadecimal digits.
    var text: String { accountID + Hex.encode(secret) }
    var hash: [UInt8] { SHA256.hash(secret) }
    var key: Key { DirectoryKey.accountSession(hash, of: accountID) }
}

extension DirectoryKey {
    static func accountSession(_ hash: [UInt8], of accountID: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.accountSession.rawValue)
        encoder.append(string: accountID)
        encoder.append(rest: hash)
        return encoder.key
    }

    static func accountSessions(of accountID: String) -> KeyRange { KeyRange(prefix: key(.accountSession, accountID)) }
}
