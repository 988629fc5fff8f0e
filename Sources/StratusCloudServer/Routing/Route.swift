import StratusCloudModel

/// Where a request goes.
enum Route: Hashable, Sendable {
    case webService(WebServiceCall)
    case signIn
    /// A device takes up its session, or gives it back.
    case deviceSession
    case signOut
    /// A person's own account.
    case account
    /// Somebody makes an account.
    case signUp
    /// Somebody forgot their password.
    case password
    /// The list of a person's shares.
    case shares
    /// What a share link leads to, for people.
    case share(shortGUID: String)
    /// A device waits for its notifications: for one, or for all that come.
    case poll
    case eventStream
    /// A browser asks for the key that it subscribes for.
    case webPushKey
    /// The console's pages and files; the path behind `/console`.
    case consolePage([String])
    case home
    /// The console's API, by what stands behind `/console/api/`.
    case console([String])
    case liveness
    case readiness
    case metrics
    /// Bytes that come, by the ticket of the address.
    case assetUpload(ticket: String)
    /// Bytes that are fetched; the name is the client's, and means nothing here.
    case assetDownload(ticket: String, name: String?)
    /// A published file, by the token and the name in the address.
    case published(token: String, name: String)
    /// The backups of devices.
    case backup(BackupTarget)
    /// Files over WebDAV; the segments behind `/dav`.
    case webDAV([String])
    /// The page of files and what it asks; the segments behind `/files`.
    case files([String])
    /// `OPTIONS`, which is answered alike on every path.
    case preflight
    case refused(RouteRefusal)
}

/// An operation in a database.
struct WebServiceCall: Hashable, Sendable {
    var context: CloudContext
    var scope: DatabaseScope
    var operation: WebServiceOperation
}

/// Why a request goes nowhere.
struct RouteRefusal: Hashable, Sendable {
    var status: Int
    var code: CloudError.Code
    var reason: String
    /// The value of `Allow`, where another method would do.
    var allow: String?
    /// The value of `Accept-Encoding`, where the body in another encoding would do.
    var acceptEncoding: String?

    static func badRequest(_ reason: String) -> RouteRefusal {
        RouteRefusal(status: 400, code: .badRequest, reason: reason)
    }

    static let notFound = RouteRefusal(
        status: 404, code: .notFound, reason: "there is no page or operation at this path")

    static func method(_ method: String, allow: String) -> RouteRefusal {
        RouteRefusal(
            status: 405, code: .badRequest,
            reason: "the method \(method.prefix(16)) is not allowed for this path; use \(allow)",
            allow: allow)
    }

    /// - Parameter supported: the encoding that the server takes there.
    static func unsupportedCoding(_ supported: String) -> RouteRefusal {
        RouteRefusal(
            status: 415, code: .badRequest,
            reason: "the server does not decode what the header Content-Encoding names; use \(supported)",
            acceptEncoding: supported)
    }
}

/// The names of routes in metrics and logs.
enum RouteName: Hashable, Sendable, CaseIterable {
    case webService(WebServiceOperation)
    case signIn, deviceSession, signOut, account, signUp, password, shares, share, poll, eventStream, webPushKey,
        consolePage,
        home,
        console,
        health, metrics,
        assetUpload,
        assetDownload, published, backup, webDAV, files, preflight,
        refused

    static let allCases: [RouteName] =
        WebServiceOperation.allCases.map { .webService($0) }
        + [
            .signIn, .deviceSession, .signOut, .account, .signUp, .password, .shares, .share, .poll, .eventStream,
            .webPushKey,
            .consolePage, .home, .console, .health,
            .metrics,
            .assetUpload, .assetDownload, .published, .backup, .webDAV, .files, .preflight, .refused,
        ]

    var label: String {
        switch self {
        case .webService(let operation): operation.rawValue
        case .signIn: "sign-in"
        case .deviceSession: "sign-in/device"
        case .signOut: "sign-out"
        case .account: "account"
        case .signUp: "sign-up"
        case .password: "password"
        case .shares: "shares"
        case .share: "share"
        case .poll: "push/poll"
        case .eventStream: "push/events"
        case .webPushKey: "push/key"
        case .consolePage: "console-page"
        case .home: "home"
        case .console: "console"
        case .health: "health"
        case .metrics: "metrics"
        case .assetUpload: "asset-upload"
        case .assetDownload: "asset-download"
        case .published: "published"
        case .backup: "backup"
        case .webDAV: "webdav"
        case .files: "files"
        case .preflight: "preflight"
        case .refused: "refused"
        }
    }
}

extension Route {
    var name: RouteName {
        switch self {
        case .webService(let call): .webService(call.operation)
        case .signIn: .signIn
        case .deviceSession: .deviceSession
        case .signOut: .signOut
        case .account: .account
        case .signUp: .signUp
        case .password: .password
        case .shares: .shares
        case .share: .share
        case .poll: .poll
        case .eventStream: .eventStream
        case .webPushKey: .webPushKey
        case .consolePage: .consolePage
        case .home: .home
        case .console: .console
        case .liveness, .readiness: .health
        case .metrics: .metrics
        case .assetUpload: .assetUpload
        case .assetDownload: .assetDownload
        case .published: .published
        case .backup: .backup
        case .webDAV: .webDAV
        case .files: .files
        case .preflight: .preflight
        case .refused: .refused
        }
    }
}
