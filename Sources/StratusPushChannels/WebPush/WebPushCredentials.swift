import StratusCloudCrypto
import StratusCloudModel
import StratusWorkers

/// How a server proves itself to browsers' push services (VAPID, RFC 8292): a token for each of them, kept for its time.
final class WebPushCredentials: Sendable {
    private struct Token {
        var text: String
        /// Seconds since 1970-01-01 UTC until which it is used.
        var end: Int64
    }

    private let key: P256PrivateKey
    private let contact: String
    private let publicKey: String
    private let tokens = Lock<[String: Token]>([:])

    init(key: P256PrivateKey, contact: String) throws(CryptoError) {
        self.key = key
        self.contact = contact
        publicKey = Base64.urlString(try key.publicKey.point())
    }

    /// The value of `Authorization` for the push service of this origin.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func authorization(for origin: String, now: Int64) throws(CryptoError) -> String {
        "vapid t=\(try token(for: origin, now: now)), k=\(publicKey)"
    }

    private func token(for origin: String, now: Int64) throws(CryptoError) -> String {
        let kept = tokens.withLock { $0[origin] }
        if let kept, now < kept.end { return kept.text }
        let lifetime = PushChannelLimits.webPushTokenLifetime
        let text = try JSONWebToken.make(
            header: ["typ": "JWT"], texts: ["aud": origin, "sub": contact], times: ["exp": now + lifetime], key: key)
        tokens.withLock { tokens in
            // Clients name the services, so their number is bounded; a token is cheap to make again.
            if tokens.count >= PushChannelLimits.webPushTokens { tokens.removeAll() }
            tokens[origin] = Token(text: text, end: now + lifetime / 2)
        }
        return text
    }
}
