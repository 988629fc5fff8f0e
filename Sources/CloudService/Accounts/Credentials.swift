import CloudModel

/// What a request brings to prove who sends it.
public struct Credentials: Sendable {
    /// `ckAPIToken`.
    public var apiToken: String?
    /// `ckWebAuthToken` or `ckSession`.
    public var webAuthToken: String?
    /// The `Origin` header of a browser.
    public var origin: String?
    /// The signature of a server, instead of the tokens.
    public var signature: RequestSignature?
    /// The network address of the client, for counting its requests; nil counts them for nobody.
    public var source: String?

    /// Puts together what a request brought.
    public init(
        apiToken: String? = nil, webAuthToken: String? = nil, origin: String? = nil,
        signature: RequestSignature? = nil, source: String? = nil
    ) {
        self.source = source
        self.apiToken = apiToken
        self.webAuthToken = webAuthToken
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
