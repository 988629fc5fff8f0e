import Glibc

/// Limits of the server's edge. The documentation quotes this file.
public enum ServerLimits {
    /// Bytes of a web-service request body: 16 MiB.
    public static let bodySize = 16 * 1_048_576
    /// Bytes of a sign-in form.
    public static let formSize = 16_384
    /// Bytes of a body nobody reads, as some clients send with GET.
    public static let ignoredBodySize = 65_536
    /// Bytes of a lookup's body up to which it is taken for a quick one: some ten names.
    static let quickBodySize = 512
    /// Characters of a Host header that answers repeat.
    public static let hostLength = 255
    /// Seconds told to a client that should wait, where the service names no time.
    public static let retryAfter = 5
    /// Seconds that a browser may remember a preflight answer: one day.
    static let preflightSeconds = "86400"
    /// How long a stop waits for requests under way.
    public static let drainTime = Duration.seconds(20)

    /// Threads that answer requests: one for each core, since they wait for nothing but pages of the store.
    public static let workerThreads = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// Threads that bring the bytes of assets to the disk, apart from those above because they wait for it.
    public static let assetThreads = 4
    /// Bytes of an asset that are written at a time: 256 KiB.
    public static let assetPieceSize = 262_144
    /// Between two collections of the bytes of assets that nothing needs any more.
    public static let assetCollectionInterval = Duration.seconds(600)

    /// What the transport's own refusals say.
    static func transportReason(_ status: Int, bodyLimit: Int) -> String {
        switch status {
        case 413: "the request body is larger than the maximum of \(bodyLimit) bytes"
        case 414: "the request target is longer than the maximum"
        case 431: "the request's header fields are larger or more than the maximum"
        case 503: "the server is stopping or has too many connections"
        default: "the request is not well-formed HTTP/1.1"
        }
    }
}
