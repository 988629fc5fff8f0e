import StratusCloudCrypto
import StratusWorkers

/// How a server proves itself to Apple's push service: one token for all connections, renewed in time.
final class APNsCredentials: Sendable {
    private struct Token {
        var text: String
        /// Seconds since 1970-01-01 UTC.
        var made: Int64
    }

    private let key: P256PrivateKey
    private let keyID: String
    private let teamID: String
    private let token = Lock<Token?>(nil)

    init(key: P256PrivateKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The value of `authorization`.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func authorization(now: Int64) throws(CryptoError) -> String {
        // Made inside the lock: the service refuses senders that change their token too often.
        let outcome = token.withLock { token -> Result<String, CryptoError> in
            if let token, now - token.made < PushChannelLimits.appleTokenLifetime { return .success(token.text) }
            do throws(CryptoError) {
                let text = try JSONWebToken.make(
                    header: ["kid": keyID], texts: ["iss": teamID], times: ["iat": now], key: key)
                token = Token(text: text, made: now)
                return .success(text)
            } catch {
                return .failure(error)
            }
        }
        return "bearer \(try outcome.get())"
    }

    /// Makes a new token for the next request, as the service finds this one too old.
    func renew(_ authorization: String) {
        token.withLock { token in
            if let kept = token, authorization == "bearer \(kept.text)" { token = nil }
        }
    }
}
