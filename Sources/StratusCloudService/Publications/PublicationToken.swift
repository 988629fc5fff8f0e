import StratusCloudCrypto
import StratusCloudModel

/// What the link of a publication says: where its record is, and a random secret that opens it.
///
/// All of it is encrypted with a key of this cloud, so that a link tells nobody whose file it leads to. The record has
/// only the hash of the secret.
struct PublicationToken: Sendable {
    private static let secretLength = 16

    let context: CloudContext
    /// User record name.
    let owner: String
    /// The name of the record.
    let id: String
    private let secret: [UInt8]

    /// A new one.
    init(_ id: String, of owner: String, in context: CloudContext, _ random: RandomSource) {
        self.context = context
        self.owner = owner
        self.id = id
        secret = random.bytes(Self.secretLength)
    }

    /// What is stored of the secret.
    var secretHash: [UInt8] { SHA256.hash(secret) }

    /// Whether it opens a publication with a hash.
    func opens(_ hash: [UInt8]) -> Bool { constantTimeEqual(secretHash, hash) }

    func text(_ seals: Seals, _ random: RandomSource) -> String {
        var writer = ByteWriter()
        writer.write(context.container.rawValue)
        writer.write(context.environment.rawValue)
        writer.write(owner)
        writer.write(id)
        writer.write(bytes: secret)
        let nonce = random.bytes(AES256GCM.nonceLength)
        return TicketText.encode(nonce + Self.cipher(seals).seal(writer.bytes, nonce: nonce, additionalData: []))
    }

    /// Reads what ``text(_:_:)`` made; nil for anything else.
    init?(_ text: String, _ seals: Seals) {
        guard let sealed = TicketText.decode(text), sealed.count > AES256GCM.nonceLength + AES256GCM.tagLength else {
            return nil
        }
        let nonce = Array(sealed.prefix(AES256GCM.nonceLength))
        let message = Array(sealed.dropFirst(AES256GCM.nonceLength))
        guard let payload = try? Self.cipher(seals).open(message, nonce: nonce, additionalData: []),
            let token = try? ByteReader.read(payload, Self.init(from:))
        else { return nil }
        self = token
    }

    private init(from reader: inout ByteReader) throws {
        guard let container = ContainerIdentifier(try reader.string()),
            let environment = CloudEnvironment(rawValue: try reader.string())
        else { throw ByteReader.Malformed() }
        context = CloudContext(container: container, environment: environment)
        owner = try reader.string()
        id = try reader.string()
        secret = Array(try reader.slice())
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }

    private static func cipher(_ seals: Seals) -> AES256GCM {
        AES256GCM(key: seals.secret(for: .publication, boundTo: []))
    }
}
