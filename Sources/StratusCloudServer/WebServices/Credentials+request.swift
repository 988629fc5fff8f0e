import StratusCloudService
import StratusHTTPTransport

extension Credentials {
    /// What a request brings: tokens in its query, or a signature in its headers.
    /// - Parameter source: what the client is counted by where addresses are.
    init(_ request: HTTPRequest, _ tokens: ClientTokens, isMutating: Bool, source: String) {
        self.init(
            tokens, origin: request.head.headers["Origin"],
            signature: RequestSignature(request, isMutating: isMutating), source: source)
    }
}

extension RequestSignature {
    /// The signature of a request; nil if none of the three headers is there. A missing one of them reads as empty,
    /// which no key verifies.
    init?(_ request: HTTPRequest, isMutating: Bool) {
        let headers = request.head.headers
        let keyID = headers[SignatureHeader.keyID]
        let date = headers[SignatureHeader.date]
        let signature = headers[SignatureHeader.signature]
        guard keyID != nil || date != nil || signature != nil else { return nil }
        self.init(
            keyID: keyID ?? "", date: date ?? "", signature: signature ?? "",
            subpaths: SignedPaths.candidates(target: request.head.target), body: request.body.bytes,
            isMutating: isMutating)
    }
}

/// The headers of a signed request.
enum SignatureHeader {
    static let keyID = "X-Apple-CloudKit-Request-KeyID"
    static let date = "X-Apple-CloudKit-Request-ISO8601Date"
    static let signature = "X-Apple-CloudKit-Request-SignatureV1"
}
