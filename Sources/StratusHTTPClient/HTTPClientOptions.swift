/// How a client connects, and what it will bear.
public struct HTTPClientOptions: Sendable {
    /// Connects to this unix socket, whatever host the URL names.
    public var unixSocketPath: String?
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// Whether `http_proxy` and its like in the environment are obeyed.
    public var usesEnvironmentProxy = false
    /// An `http` or `https` URL of the proxy that every connection goes through, whatever the environment says; an `https`
    /// URL is reached by a tunnel (`CONNECT`). What it connects to is then its affair, and
    /// ``allowsPrivateAddresses`` is about the proxy alone.
    public var proxy: String?
    /// Whether connections to this machine and to private networks are made; without it only to addresses that the
    /// internet routes (see ``NetworkAddress``). To be turned off where others say what is fetched. The address that is
    /// connected to is looked at, whatever names were resolved before.
    public var allowsPrivateAddresses = true
    /// Longest time until a connection stands, TLS included.
    public var connectTimeout: Duration = .seconds(10)
    /// Longest time for a whole request and its response, unless the request says otherwise.
    public var timeout: Duration = .seconds(60)
    /// Longest accepted body of a response in bytes, after decompression.
    public var maximumResponseLength = 64 << 20
    /// Connections to one host at the same time; further requests wait.
    public var connectionsPerHost = 64
    /// Idle connections kept for the next request.
    public var idleConnections = 64
    /// The `User-Agent` of requests that bring none.
    public var userAgent = "stratus"

    /// The standard options.
    public init() {}
}

/// Limits that are not options.
enum HTTPClientLimits {
    /// Bytes of a response's header lines together.
    static let responseHeaderLength = 128 << 10
    /// Handles of libcurl kept for the next request.
    static let idleHandles = 128
    /// Longest sleep of the client's thread; it is woken before for everything there is to do.
    static let sleepMilliseconds: Int32 = 60_000
}
