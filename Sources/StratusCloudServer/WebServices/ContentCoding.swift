import StratusCloudModel
import StratusHTTPTransport

/// How the body of a request is encoded (RFC 9110, section 8.4).
enum ContentCoding: Hashable, Sendable {
    case identity
    case gzip

    /// Nil for encodings that this server does not decode.
    init?(_ headers: HTTPHeaders) {
        guard headers["Content-Encoding"] != nil else {
            self = .identity
            return
        }
        let names = headers.all("Content-Encoding").joined(separator: ",").split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        switch names {
        case []: self = .identity
        case ["gzip"], ["x-gzip"]: self = .gzip
        default: return nil
        }
    }
}

/// The body of a web service's request as it came.
struct RequestContent: Sendable {
    private let bytes: [UInt8]
    private let coding: ContentCoding?

    /// A body of `GET` counts for nothing.
    init(_ request: HTTPRequest) {
        let isRead = request.head.method == "POST"
        bytes = isRead ? request.body.bytes : []
        coding = isRead ? ContentCoding(request.head.headers) : .identity
    }

    /// Bytes that it has when it is decoded, as far as it says so itself: at most ``decoded(limit:)`` makes of it.
    var size: Int { coding == .gzip ? max(bytes.count, Gzip.statedSize(of: bytes) ?? 0) : bytes.count }

    /// The body that the client means.
    /// - Throws: `badRequest` if it cannot be decoded, or not by this server; `quotaExceeded` with `limitExceeded` if
    ///   it would have more than `limit` bytes, which is known without decoding it.
    func decoded(limit: Int) throws(CloudError) -> [UInt8] {
        switch coding {
        case .identity: return bytes
        case .gzip:
            if bytes.isEmpty { return [] }
            guard let size = Gzip.statedSize(of: bytes) else { throw Self.malformed }
            guard size <= limit else { throw ServerLimits.bodyTooLarge(limit: limit) }
            guard let decoded = Gzip.decompress(bytes, size: size) else { throw Self.malformed }
            return decoded
        case nil: throw CloudError(.badRequest, RouteRefusal.unsupportedCoding("gzip").reason)
        }
    }

    private static let malformed = CloudError(
        .badRequest, "the request body is not one gzip member, as the header Content-Encoding says")
}
