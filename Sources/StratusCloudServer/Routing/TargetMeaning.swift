import StratusCloudService
import StratusHTTPTransport
import StratusTelemetry

/// What the target of a request means to this server: found out once for all requests of a connection that repeat it,
/// as those of a device do that saves one record after another.
final class TargetMeaning: Sendable {
    /// Where a target leads by the beginning of its path, whether there is anything or not. It decides how large a body
    /// may be.
    enum Area {
        /// The address that bytes of an asset are sent to.
        case assetUpload(ticket: String)
        /// What the console asks.
        case console(isAboutContainer: Bool)
        case webServices
        case webDAV
        case other
    }

    // Not the target, which keeps this object.
    private let path: String
    private let method: String
    private let routeOfMethod: Route
    let area: Area
    /// Bytes of a body up to which a request is answered, or handed to the store's writer, in microseconds: a few reads
    /// by key, or a small save. Nil where none is.
    let largestQuickBody: Int?
    /// Bytes of a body up to which a request is answered in a fraction of a millisecond as a rule: a page or two of
    /// changes, read in one piece where they lie. Not queries, which read all over the store, perhaps from the disk.
    let largestBodyQuickAlone: Int?
    /// What a web service is told in the query.
    let parameters: QueryParameters
    /// The tokens among them.
    let tokens: ClientTokens
    /// What may be logged of the target of a web service.
    let redacted: String

    private init(_ target: HTTPTarget, method: String) {
        path = target.path
        self.method = method
        routeOfMethod = Router.route(method: method, path: target.path)
        area = Self.area(of: target.path)
        largestQuickBody = Self.largestQuickBody(of: target.path)
        largestBodyQuickAlone = target.path.hasSuffix("/changes/zone") ? ServerLimits.quickBodySize : nil
        parameters = QueryParameters(target.query)
        tokens = ClientTokens(apiToken: parameters.apiToken, webAuthToken: parameters.webAuthToken)
        redacted = Redaction.requestTarget(target.text)
    }

    /// Where a request of a method goes.
    func route(of method: String) -> Route {
        method == self.method ? routeOfMethod : Router.route(method: method, path: path)
    }

    static func of(_ head: HTTPRequestHead) -> TargetMeaning {
        let found = head.requestTarget.finding { TargetMeaning($0, method: head.method) }
        return found as? TargetMeaning ?? TargetMeaning(head.requestTarget, method: head.method)
    }

    private static func area(of path: String) -> Area {
        if let ticket = AssetAddress.uploadTicket(inPath: path) { return .assetUpload(ticket: ticket) }
        if isWebDAV(path) { return .webDAV }
        let path = path.utf8.drop { $0 == UInt8(ascii: "/") }
        if path.starts(with: "console/api/".utf8) {
            return .console(isAboutContainer: path.starts(with: "console/api/c/".utf8))
        }
        return path.starts(with: "database/".utf8) || path.starts(with: "device/".utf8) ? .webServices : .other
    }

    /// Whether a path that is not decoded is one of files.
    static func isWebDAV(_ path: String) -> Bool {
        let path = path.utf8.drop { $0 == UInt8(ascii: "/") }
        return path.elementsEqual("dav".utf8) || path.starts(with: "dav/".utf8)
    }

    private static func largestQuickBody(of path: String) -> Int? {
        if path.hasSuffix("/records/modify") { return ServerLimits.quickSaveSize }
        let areReads = ["/records/lookup", "/users/caller", "/users/current"].contains { path.hasSuffix($0) }
        return areReads ? ServerLimits.quickBodySize : nil
    }
}

extension HTTPRequestHead {
    /// Whether the request says that its body has at most so many bytes, also when it is decoded.
    func hasBody(upTo limit: Int?) -> Bool {
        guard let limit, headers["Content-Encoding"] == nil, let size = headers["Content-Length"].flatMap({ Int($0) })
        else { return false }
        return size <= limit
    }
}
