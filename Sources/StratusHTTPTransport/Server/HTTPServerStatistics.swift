import Synchronization

/// A server's counters since its start. Read one after the other, so they may differ by what happened meanwhile.
public struct HTTPServerStatistics: Sendable, Equatable {
    /// Connections open now.
    public var openConnections = 0
    /// Connections accepted and served.
    public var acceptedConnections = 0
    /// Connections refused because `limits.connections` were open.
    public var refusedAtConnectionLimit = 0
    /// Connections refused because their address had `limits.connectionsPerAddress` open.
    public var refusedAtAddressLimit = 0
    /// Connections refused because the process or the system had no file descriptor left.
    public var refusedWithoutDescriptor = 0
    /// Requests passed to the handler.
    public var requests = 0
    /// Requests refused as malformed, by this module's own checks (400, 414, 431 and the like).
    public var malformedRequests = 0
    /// Requests refused for a body over the limit (413).
    public var oversizedBodies = 0
    /// Requests refused because there was no room for their bodies (503).
    public var refusedBodies = 0
    /// Connections closed because their clients did not take answers while there were too many.
    public var cutAnswers = 0
    /// Bytes of request bodies in memory now, small ones aside.
    public var bufferedBodyBytes = 0
    /// Bytes of answers in memory now that clients have not taken yet, small ones aside.
    public var waitingAnswerBytes = 0
    /// Connections closed because a head was not complete in time.
    public var headTimeouts = 0
    /// Connections closed because a body was not complete in time.
    public var bodyTimeouts = 0
    /// Requests whose client went away before they were answered.
    public var abandonedRequests = 0
}

/// The counters behind `HTTPServerStatistics`.
final class ServerCounters: Sendable {
    let accepted = Counter()
    let refusedAtConnectionLimit = Counter()
    let refusedAtAddressLimit = Counter()
    let refusedWithoutDescriptor = Counter()
    let requests = Counter()
    let malformedRequests = Counter()
    let oversizedBodies = Counter()
    let refusedBodies = Counter()
    let cutAnswers = Counter()
    let headTimeouts = Counter()
    let bodyTimeouts = Counter()
    let abandonedRequests = Counter()

    /// Counts a refusal of this module's own.
    func count(_ refusal: RequestRefusal) {
        switch refusal.status {
        case 413: oversizedBodies.count()
        case 503: break
        default: malformedRequests.count()
        }
    }

    func snapshot(openConnections: Int) -> HTTPServerStatistics {
        var result = HTTPServerStatistics()
        result.openConnections = openConnections
        result.acceptedConnections = accepted.value
        result.refusedAtConnectionLimit = refusedAtConnectionLimit.value
        result.refusedAtAddressLimit = refusedAtAddressLimit.value
        result.refusedWithoutDescriptor = refusedWithoutDescriptor.value
        result.requests = requests.value
        result.malformedRequests = malformedRequests.value
        result.oversizedBodies = oversizedBodies.value
        result.refusedBodies = refusedBodies.value
        result.cutAnswers = cutAnswers.value
        result.headTimeouts = headTimeouts.value
        result.bodyTimeouts = bodyTimeouts.value
        result.abandonedRequests = abandonedRequests.value
        return result
    }
}

/// A number that any thread may count up.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    func count() { number.wrappingAdd(1, ordering: .relaxed) }
    var value: Int { number.load(ordering: .relaxed) }
}
