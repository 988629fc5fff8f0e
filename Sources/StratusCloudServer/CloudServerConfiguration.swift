import StratusHTTPTransport

/// How a cloud server listens and what it tells about itself.
public struct CloudServerConfiguration: Sendable {
    /// Where clients connect: address, TLS, I/O threads and limits of the connections.
    public var listener: HTTPServerConfiguration
    /// Where the operator's tools find `/metrics` and `/health/…`: a unix socket, or an address of this machine only,
    /// since nothing is asked for there. Nil for none.
    public var adminAddress: HTTPServerConfiguration.Address?
    /// Opens `/metrics` on the public listener to whoever sends it as `Authorization: Bearer …`. Nil keeps it shut.
    public var adminToken: String?
    /// What clients put before `/sign-in`, such as `https://cloud.example`; nil goes by the Host header of requests.
    public var publicURL: String?
    /// Addresses of proxies in front, as connections show them (`127.0.0.1`, `unix`), whose `X-Forwarded-For` and
    /// `X-Forwarded-Proto` are believed.
    public var trustedProxies: Set<String>
    /// Threads that answer requests, where they may wait for the disk.
    public var workerThreads: Int
    /// Bytes of a request body of the web services.
    public var bodyLimit: Int
    /// Requests of one client that are at work at a time while others ask, too, at least 1; the rest waits. Large ones
    /// count as several.
    public var clientConcurrency: Int
    /// The public key that browsers subscribe to notifications for, uncompressed; nil without web push.
    public var webPushKey: [UInt8]?
    /// The directory with the console's `index.html` and what it is made of; nil serves no console.
    public var consoleFiles: String?
    /// Whether each request is logged as information; otherwise only to developers (`debug`), except failures.
    public var logsRequests: Bool

    /// A configuration with the defaults of ``ServerLimits``.
    public init(
        listener: HTTPServerConfiguration, adminAddress: HTTPServerConfiguration.Address? = nil,
        adminToken: String? = nil, publicURL: String? = nil, trustedProxies: Set<String> = [],
        workerThreads: Int = ServerLimits.workerThreads, bodyLimit: Int = ServerLimits.bodySize,
        clientConcurrency: Int = ServerLimits.clientConcurrency, webPushKey: [UInt8]? = nil,
        consoleFiles: String? = nil, logsRequests: Bool = false
    ) {
        self.listener = listener
        self.adminAddress = adminAddress
        self.adminToken = adminToken
        self.publicURL = publicURL
        self.trustedProxies = trustedProxies
        self.workerThreads = workerThreads
        self.bodyLimit = bodyLimit
        self.clientConcurrency = clientConcurrency
        self.webPushKey = webPushKey
        self.consoleFiles = consoleFiles
        self.logsRequests = logsRequests
    }
}

extension CloudServerConfiguration {
    /// The listener, with room for a few bodies of the largest size, whatever that is.
    var listenerWithRoomForBodies: HTTPServerConfiguration {
        var listener = listener
        listener.limits.bufferedBodyBytes = max(listener.limits.bufferedBodyBytes, 4 * bodyLimit)
        listener.limits.bufferedBodyBytesPerClient = max(listener.limits.bufferedBodyBytesPerClient, 2 * bodyLimit)
        return listener
    }
}
