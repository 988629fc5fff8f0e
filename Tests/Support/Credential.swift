import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPClient

/// What a client shows to be let in.
public enum Credential: Sendable {
    /// Nothing.
    case none
    /// An API token alone.
    case apiToken(String)
    /// An API token and a user's web auth token.
    case user(apiToken: String, webAuthToken: String)
    /// A server-to-server key.
    case key(id: String, P256PrivateKey)

    /// The query items it adds to a URL, percent-encoded.
    var queryItems: [String] {
        switch self {
        case .none, .key: []
        case .apiToken(let token): ["ckAPIToken=\(token)"]
        case .user(let apiToken, let webAuthToken):
            ["ckAPIToken=\(apiToken)", "ckWebAuthToken=\(PercentEncoding.encode(webAuthToken))"]
        }
    }
}

/// The three headers of a signed request.
public struct Signature: Sendable {
    /// `X-Apple-CloudKit-Request-KeyID`
    public var keyID: String
    /// `X-Apple-CloudKit-Request-ISO8601Date`
    public var date: String
    /// `X-Apple-CloudKit-Request-SignatureV1`
    public var value: String

    /// Signs as the reference says: date, hash of the body, path.
    public init(
        keyID: String, key: P256PrivateKey, path: String, body: [UInt8], date: String = Signature.date()
    ) throws {
        self.keyID = keyID
        self.date = date
        let message = "\(date):\(Base64.string(SHA256.hash(body))):\(path)"
        value = Base64.string(try key.sign(Array(message.utf8)))
    }

    /// The headers.
    public var headers: HTTPHeaders {
        [
            "X-Apple-CloudKit-Request-KeyID": keyID, "X-Apple-CloudKit-Request-ISO8601Date": date,
            "X-Apple-CloudKit-Request-SignatureV1": value,
        ]
    }
}
