import StratusCloudModel

/// The tokens that a client sends with each of its requests. Whoever gets many requests with the same ones keeps the object:
/// they are looked through once.
public final class ClientTokens: Sendable {
    /// `ckAPIToken`.
    public let apiToken: String?
    /// `ckWebAuthToken` or `ckSession`.
    public let webAuthToken: String?
    /// The web auth token without its number, which proves nothing; empty if there is none.
    let provenWebAuthToken: String
    private let mark: Int

    /// The tokens of a request.
    public init(apiToken: String? = nil, webAuthToken: String? = nil) {
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
        provenWebAuthToken = webAuthToken.map(WebAuthToken.withoutNumber) ?? ""
        var hasher = Hasher()
        hasher.combine(apiToken)
        hasher.combine(provenWebAuthToken)
        mark = hasher.finalize()
    }
}

extension ClientTokens: Hashable {
    /// Whether both prove the same.
    public static func == (left: ClientTokens, right: ClientTokens) -> Bool {
        left === right
            || left.mark == right.mark && left.apiToken == right.apiToken
                && left.provenWebAuthToken == right.provenWebAuthToken
    }

    /// Feeds a hash that was made once, as the texts are long.
    public func hash(into hasher: inout Hasher) { hasher.combine(mark) }
}

/// What a request brings to prove who sends it.
public struct Credentials: Sendable {
    /// The tokens in its query.
    public var tokens: ClientTokens
    /// The `Origin` header of a browser.
    public var origin: String?
    /// The signature of a server, instead of the tokens.
    public var signature: RequestSignature?
    /// The address or network of the client, for counting its requests; nil counts them for nobody.
    public var source: String?

    /// Puts together what a request brought.
    public init(
        _ tokens: ClientTokens, origin: String? = nil, signature: RequestSignature? = nil, source: String? = nil
    ) {
        self.tokens = tokens
        self.source = source
        self.origin = origin
        self.signature = signature
    }
}

/// A server-to-server signature and what it is over.
public struct RequestSignature: Sendable {
    /// Which key signed.
    public var keyID: String
    /// The date header as it came.
    public var date: String
    /// Base64 of the DER signature.
    public var signature: String
    /// The paths that the sender may have signed: as received with its query, without it, percent-decoded.
    public var subpaths: [String]
    /// The body exactly as received.
    public var body: [UInt8]
    /// Whether the request may change something: only such requests are refused when they are repeated.
    public var isMutating: Bool

    /// Puts together a signature.
    public init(
        keyID: String, date: String, signature: String, subpaths: [String], body: [UInt8], isMutating: Bool
    ) {
        self.keyID = keyID
        self.date = date
        self.signature = signature
        self.subpaths = subpaths
        self.body = body
        self.isMutating = isMutating
    }
}

/// Who a request comes from.
public struct Authentication: Sendable {
    /// Who it is.
    public var caller: Caller
    /// To be sent with the answer, where the request came with one.
    public var renewedWebAuthToken: String?
    /// For `AUTHENTICATION_REQUIRED`: the sealed state that the sign-in page needs; nil unless the caller is anonymous.
    public var signInState: String?

    /// Puts together the outcome.
    public init(caller: Caller, renewedWebAuthToken: String? = nil, signInState: String? = nil) {
        self.caller = caller
        self.renewedWebAuthToken = renewedWebAuthToken
        self.signInState = signInState
    }
}
