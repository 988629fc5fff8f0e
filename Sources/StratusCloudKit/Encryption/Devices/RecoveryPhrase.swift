import StratusCloudCrypto

/// Twelve words that bring a person's keys to a new device when no other device is left.
///
/// Whoever has the phrase, and can sign in as the person or read the server's disk, can read all encrypted values. It
/// belongs on paper.
public struct RecoveryPhrase: Hashable, Sendable, CustomStringConvertible {
    /// Words of a phrase.
    public static let wordCount = 12
    static let secretLength = 22
    private static let checksumLength = 2

    private let secret: [UInt8]

    /// The words, with hyphens between them.
    public let words: String

    /// Takes 22 random bytes.
    init(_ secret: [UInt8]) {
        precondition(secret.count == Self.secretLength, "a recovery phrase stands for 22 bytes")
        self.secret = secret
        words = PronounceableWords.encode(secret + Self.checksum(secret))
    }

    /// Reads a phrase as a person types it: in any case, with anything between the words. nil if a word is misspelled or
    /// missing; most misspellings are noticed by the last word, which is computed from the others.
    public init?(_ text: String) {
        guard let bytes = PronounceableWords.decode(text, words: Self.wordCount) else { return nil }
        let secret = Array(bytes.prefix(Self.secretLength))
        guard Array(bytes.suffix(Self.checksumLength)) == Self.checksum(secret) else { return nil }
        self.init(secret)
    }

    /// Says nothing of the words, so that no log has them.
    public var description: String { "RecoveryPhrase(\(Self.wordCount) words)" }

    private static func checksum(_ secret: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(Frames("stratus.recovery.checksum.v1").adding(secret).bytes).prefix(checksumLength))
    }

    private func cipher(_ place: AccountPlace) -> AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: secret, salt: [],
                info: Frames("stratus.recovery.key.v1").adding(place.container, place.user).bytes,
                length: AES256GCM.keyLength))
    }

    private static func context(_ place: AccountPlace, _ keyID: KeyID) -> [UInt8] {
        Frames("stratus.recovery.v1").adding(place.container, place.user).adding(keyID.bytes).bytes
    }

    /// The account's key, encrypted for whoever has the phrase.
    func seal(_ key: AccountKey, _ place: AccountPlace, random: RandomSource) -> [UInt8] {
        let nonce = random.bytes(AES256GCM.nonceLength)
        return nonce
            + cipher(place).seal(key.secret, nonce: nonce, additionalData: Self.context(place, key.id))
    }

    /// The account's key; nil if this is another phrase.
    func open(_ envelope: AccountEnvelope, _ place: AccountPlace) -> AccountKey? {
        guard let sealed = envelope.recovery,
            let secret = Sealed.open(sealed, with: cipher(place), Self.context(place, envelope.keyID)),
            secret.count == AccountKey.length
        else { return nil }
        let key = AccountKey(secret)
        return key.id == envelope.keyID ? key : nil
    }
}
