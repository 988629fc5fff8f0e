import StratusCloudCrypto
import StratusCloudModel

/// A web auth token: a session's identifier and an expiry of its own, sealed.
///
/// Every answer carries a new token, and the earlier ones stay valid until they expire, because browsers send
/// requests in parallel. Nothing has to be written for that: the token proves itself, and the stored session can
/// void all of them at once.
struct WebAuthToken: Hashable, Sendable {
    /// Bytes of a session identifier.
    static let sessionIDLength = 16
    /// Stands before every token, like the numbers before Apple's. Digits and underscores need no escaping anywhere.
    private static let prefix = "101__1__"
    private static let nonceLength = 16

    var sessionID: [UInt8]
    /// Milliseconds since 1970-01-01 UTC.
    var expires: Int64

    /// The token's text: letters, digits and underscores only, so that it survives cookies and URLs.
    func text(_ seals: Seals, _ random: RandomSource) -> String {
        var writer = ByteWriter(capacity: 48)
        writer.write(bytes: sessionID)
        writer.write(signed: expires)
        writer.write(bytes: random.bytes(Self.nonceLength))
        return Self.prefix + Hex.encode(seals.seal(writer.bytes, for: .session, boundTo: []))
    }

    /// A token's text with a number behind it, so that each answer carries another one without another seal. The number
    /// means nothing and proves nothing.
    static func numbered(_ text: String, _ number: UInt64) -> String { .joined(text, "_", Base36.text(number)) }

    /// A token's text without its number.
    static func withoutNumber(_ text: String) -> String {
        let end = text.utf8.suffix(Base36.mostDigits + 1)
        guard let mark = end.lastIndex(of: UInt8(ascii: "_")), text.utf8[..<mark].count > prefix.utf8.count else {
            return text
        }
        return String(text[..<mark])
    }

    /// Reads a token, with or without a number; nil for anything that was not made by ``text(_:_:)`` under the same
    /// secret.
    init?(_ text: String, _ seals: Seals) {
        guard text.hasPrefix(Self.prefix), text.utf8.count <= 512,
            let sealed = Hex.decode(String(Self.withoutNumber(text).dropFirst(Self.prefix.count))),
            let payload = seals.open(sealed, for: .session, boundTo: []),
            let token = try? ByteReader.read(
                payload, { WebAuthToken(sessionID: Array(try $0.slice()), expires: try $0.signed()) })
        else { return nil }
        self = token
    }

    init(sessionID: [UInt8], expires: Int64) {
        self.sessionID = sessionID
        self.expires = expires
    }
}
