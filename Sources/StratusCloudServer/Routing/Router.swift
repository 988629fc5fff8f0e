import StratusCloudModel

/// Finds the route of a request from its first line alone.
///
/// Repeated slashes count as one, since one client sends `…/development//zones/list`; signatures are verified over the
/// path as it came, which is not this room's affair.
enum Router {
    /// - Parameter path: the request target without its query, not decoded.
    static func route(method: String, path: String) -> Route {
        if method == "OPTIONS", !TargetMeaning.isWebDAV(path) { return .preflight }
        guard let segments = segments(of: path) else {
            return .refused(.badRequest("the path is not percent-encoded UTF-8"))
        }
        guard path.utf8.first == UInt8(ascii: "/") else { return .refused(.notFound) }
        if segments.first == "database" || segments.first == "device" { return webService(method, segments) }
        if segments.starts(with: ["console", "api"]) { return .console(Array(segments.dropFirst(2))) }
        if segments.first == "assets" { return asset(method, segments) }
        if segments.first == "backup" { return backup(method, segments.dropFirst()) }
        if segments.first == "dav" { return .webDAV(Array(segments.dropFirst())) }
        if segments.first == "files" { return files(method, Array(segments.dropFirst())) }
        return page(method, segments)
    }

    /// What stands between the slashes, decoded; nil if that cannot be done.
    private static func segments(of path: String) -> [String]? {
        var path = path
        return path.withUTF8 { bytes in
            var segments: [String] = []
            segments.reserveCapacity(8)
            for piece in BytePieces(bytes, separator: UInt8(ascii: "/")) {
                guard let segment = PercentEncoding.decode(piece) else { return nil }
                segments.append(segment)
            }
            return segments
        }
    }

    private static func page(_ method: String, _ segments: [String]) -> Route {
        let route: Route
        switch segments {
        case []: route = .home
        case ["sign-in"]: route = .signIn
        case ["sign-in", "device"]: route = .deviceSession
        case ["sign-out"]: route = .signOut
        case ["account"]: route = .account
        case ["sign-up"]: route = .signUp
        case ["password"]: route = .password
        case ["share"]: route = .shares
        case _ where segments.count == 3 && segments[0] == "published":
            route = .published(token: segments[1], name: segments[2])
        case _ where segments.count == 2 && segments[0] == "share": route = .share(shortGUID: segments[1])
        case _ where segments[0] == "console": route = .consolePage(Array(segments.dropFirst()))
        case ["push", "poll"]: route = .poll
        case ["push", "events"]: route = .eventStream
        case ["push", "key"]: route = .webPushKey
        case ["health", "live"]: route = .liveness
        case ["health", "ready"]: route = .readiness
        case ["metrics"]: route = .metrics
        default: return .refused(.notFound)
        }
        switch (method, route) {
        case ("POST", .deviceSession), ("POST", .signOut): return route
        case (_, .deviceSession), (_, .signOut): return .refused(.method(method, allow: "POST"))
        case ("GET", .poll), ("GET", .eventStream): return route
        case (_, .poll), (_, .eventStream): return .refused(.method(method, allow: "GET"))
        case ("GET", _), ("HEAD", _), ("POST", .signIn), ("POST", .account), ("POST", .signUp),
            ("POST", .password), ("POST", .share), ("POST", .shares):
            return route
        case (_, .signIn), (_, .account), (_, .signUp), (_, .password), (_, .share), (_, .shares):
            return .refused(.method(method, allow: "GET, HEAD, POST"))
        default: return .refused(.method(method, allow: "GET, HEAD"))
        }
    }

    private static func files(_ method: String, _ segments: [String]) -> Route {
        switch method {
        case "GET", "HEAD", "POST": return .files(segments)
        case _ where FilesHandler.isUpload(segments, method): return .files(segments)
        default: return .refused(.method(method, allow: "GET, HEAD, POST"))
        }
    }

    private static func backup(_ method: String, _ segments: ArraySlice<String>) -> Route {
        guard let target = BackupTarget(segments) else { return .refused(.notFound) }
        guard target.methods.contains(method) else {
            return .refused(.method(method, allow: target.methods.joined(separator: ", ")))
        }
        return .backup(target)
    }

    private static func asset(_ method: String, _ segments: [String]) -> Route {
        switch (segments.count, segments.count > 1 ? segments[1] : "") {
        case (3, "upload"):
            guard ["POST", "PUT", "GET", "HEAD"].contains(method) else {
                return .refused(.method(method, allow: "GET, HEAD, POST, PUT"))
            }
            return .assetUpload(ticket: segments[2])
        case (3...4, "download"):
            guard method == "GET" || method == "HEAD" else { return .refused(.method(method, allow: "GET, HEAD")) }
            return .assetDownload(ticket: segments[2], name: segments.count == 4 ? segments[3] : nil)
        default: return .refused(.notFound)
        }
    }

    /// `/database/1/{container}/{environment}/{scope}/{entity}/{action}`; the scope may be missing before `zones`
    /// (private) and `users` (public), as some clients leave it out. Tokens have none, and begin with `/device/` too.
    private static func webService(_ method: String, _ segments: [String]) -> Route {
        guard segments.count >= 6, segments[1] == "1" else { return .refused(.notFound) }
        guard let container = ContainerIdentifier(segments[2]) else {
            return .refused(.badRequest("'\(segments[2].prefix(64))' is not a container identifier"))
        }
        guard let environment = CloudEnvironment(rawValue: segments[3]) else {
            return .refused(
                .badRequest("'\(segments[3].prefix(64))' is not an environment; use development or production"))
        }
        let scope: DatabaseScope
        let rest: ArraySlice<String>
        if let named = DatabaseScope(rawValue: segments[4]) {
            (scope, rest) = (named, segments[5...])
        } else if segments[4] == "zones" {
            (scope, rest) = (.private, segments[4...])
        } else if segments[4] == "users" || segments[4] == "tokens" {
            (scope, rest) = (.public, segments[4...])
        } else if segments.count == 7 {
            return .refused(.badRequest("'\(segments[4].prefix(64))' is not a database; use public, private or shared"))
        } else {
            return .refused(.notFound)
        }
        guard rest.count == 2 || rest.count == 3,
            let operation = WebServiceOperation(
                entity: rest[rest.startIndex],
                action: rest.count == 2 ? rest[rest.startIndex + 1] : rest.dropFirst().joined(separator: "/"))
        else { return .refused(.notFound) }
        guard segments[0] == "database" || operation.isAboutDevices else { return .refused(.notFound) }
        guard method == "POST" || method == "GET" && operation.allowsGet else {
            return .refused(.method(method, allow: operation.allowsGet ? "GET, POST" : "POST"))
        }
        let context = CloudContext(container: container, environment: environment)
        return .webService(WebServiceCall(context: context, scope: scope, operation: operation))
    }
}
