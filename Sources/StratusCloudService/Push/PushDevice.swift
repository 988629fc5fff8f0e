import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Names a device of a user.
struct DeviceID: Hashable, Sendable {
    static let length = 16

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Of a device that is known by an address of its own: the same for the same address.
    init(address: PushAddress) {
        var writer = ByteWriter()
        address.write(to: &writer)
        bytes = Array(SHA256.hash(writer.bytes).prefix(Self.length))
    }
}

/// A device as it lies in the store.
struct PushDevice: StoredValue, Hashable {
    static let format: UInt8 = 3
    static let readableFormats: ClosedRange<UInt8> = 1...3

    var address: PushAddress
    var clientID: String?
    /// The sessions' number of its account when it was registered: under another one the registration is void. Nil for
    /// users without an account, who are the operator's.
    var accountEpoch: UInt64?
    var created: Int64
    /// Milliseconds since 1970-01-01 UTC.
    var lastSeen: Int64
    /// How far it has read.
    var cursor: PushCursor
    /// The hash of the API token that it was registered with: when that is revoked, the registration is void.
    var apiToken: [UInt8]?
    /// The hash of the session that it was registered in: when that ends, the registration is void. Nil for devices
    /// registered without one, or before this was stored.
    var session: [UInt8]?

    init(
        address: PushAddress, clientID: String?, accountEpoch: UInt64?, created: Int64, lastSeen: Int64,
        cursor: PushCursor
    ) {
        self.address = address
        self.clientID = clientID
        self.accountEpoch = accountEpoch
        self.created = created
        self.lastSeen = lastSeen
        self.cursor = cursor
    }

    init(from reader: inout ByteReader) throws {
        self.init(
            address: try PushAddress(from: &reader), clientID: try reader.optional { try $0.string() },
            accountEpoch: try reader.optional { try $0.unsigned() }, created: try reader.signed(),
            lastSeen: try reader.signed(),
            cursor: PushCursor(own: try reader.unsigned(), public: try reader.unsigned()))
        // Format 1 ends here, format 2 after the next value.
        if !reader.isAtEnd { apiToken = try reader.optional { Array(try $0.slice()) } }
        if !reader.isAtEnd { session = try reader.optional { Array(try $0.slice()) } }
    }

    func write(to writer: inout ByteWriter) {
        address.write(to: &writer)
        writer.write(optional: clientID) { $0.write($1) }
        writer.write(optional: accountEpoch) { $0.write(unsigned: $1) }
        writer.write(signed: created)
        writer.write(signed: lastSeen)
        writer.write(unsigned: cursor.own)
        writer.write(unsigned: cursor.public)
        writer.write(optional: apiToken) { $0.write(bytes: $1) }
        writer.write(optional: session) { $0.write(bytes: $1) }
    }
}

extension PushAddress {
    fileprivate init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 1:
            guard let environment = APNsEnvironment(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
            self = .courier(environment)
        case 2:
            guard let environment = APNsEnvironment(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
            self = .apns(token: Array(try reader.slice()), environment)
        case 3:
            self = .webPush(
                WebPushAddress(
                    endpoint: try reader.string(), publicKey: Array(try reader.slice()),
                    authenticationSecret: Array(try reader.slice())))
        default: throw ByteReader.Malformed()
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .courier(let environment):
            writer.write(byte: 1)
            writer.write(environment.rawValue)
        case .apns(let token, let environment):
            writer.write(byte: 2)
            writer.write(environment.rawValue)
            writer.write(bytes: token)
        case .webPush(let address):
            writer.write(byte: 3)
            writer.write(address.endpoint)
            writer.write(bytes: address.publicKey)
            writer.write(bytes: address.authenticationSecret)
        }
    }
}

/// What opens a device's notifications: names the device and proves itself. Letters and digits only.
struct CourierSecret: Hashable, Sendable {
    var owner: PushOwner
    var device: DeviceID

    /// Bytes up to which a text is looked at.
    private static let longest = 2_048

    init(owner: PushOwner, device: DeviceID) {
        self.owner = owner
        self.device = device
    }

    func sealed(_ seals: Seals) -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        owner.context.write(to: &writer)
        writer.write(owner.userRecordName)
        writer.write(bytes: device.bytes)
        return seals.seal(writer.bytes, for: .courier, boundTo: [])
    }

    /// Nil for anything that was not made by ``sealed(_:)`` under the same secret.
    init?(sealed: [UInt8], _ seals: Seals) {
        guard sealed.count <= Self.longest, let payload = seals.open(sealed, for: .courier, boundTo: []),
            let secret = try? ByteReader.read(payload, Self.init(from:))
        else { return nil }
        self = secret
    }

    private init(from reader: inout ByteReader) throws {
        let owner = PushOwner(context: try CloudContext(from: &reader), userRecordName: try reader.string())
        self.init(owner: owner, device: DeviceID(Array(try reader.slice())))
    }

    init?(text: String, _ seals: Seals) {
        guard text.utf8.count <= 2 * Self.longest, let sealed = Hex.decode(text) else { return nil }
        self.init(sealed: sealed, seals)
    }
}
