/// A whole response.
public struct HTTPClientResponse: Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The header fields in the order they came. Trailers are left out.
    public let headers: HTTPHeaders
    /// The body, decompressed.
    public let body: [UInt8]
    /// The protocol's version: "1.0", "1.1" or "2".
    public let version: String
}
