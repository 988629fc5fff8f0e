import StratusWorkers

/// Where and how a server listens.
public struct HTTPServerConfiguration: Sendable {
    /// Where the server listens.
    public enum Address: Sendable {
        /// An address or name of this machine and a port; port 0 takes a free one. `::` listens on IPv4 too.
        case network(host: String, port: UInt16)
        /// A unix-domain socket, which only the process's own user may open (mode 0600). A socket file that nobody
        /// listens on is replaced.
        case unixSocket(path: String)
    }

    /// A certificate chain and its key, both as PEM text.
    public struct TLS: Sendable {
        /// The certificate, followed by those that vouch for it.
        public var certificate: String
        /// The private key, without a password.
        public var key: String

        /// TLS with this certificate and key; versions 1.2 and 1.3.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Where the server listens.
    public var address: Address
    /// TLS, or nil for plain HTTP.
    public var tls: TLS?
    /// Threads that read and write sockets, 1…64.
    public var ioThreads: Int
    /// What the server allows.
    public var limits: HTTPServerLimits

    /// Two for each core, at least eight and at most 64: with fewer, each answers so many connections in a row that the
    /// clients sleep meanwhile and have to be woken.
    public static let usualIOThreads = min(max(8, 2 * Processors.count), 64)

    /// A configuration; by default plain HTTP with ``usualIOThreads``.
    public init(
        address: Address, tls: TLS? = nil, ioThreads: Int = usualIOThreads,
        limits: HTTPServerLimits = HTTPServerLimits()
    ) {
        self.address = address
        self.tls = tls
        self.ioThreads = ioThreads
        self.limits = limits
    }
}
