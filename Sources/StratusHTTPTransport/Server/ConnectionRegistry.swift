import Glibc
import StratusWorkers

/// The open connections by socket, counted by address.
///
/// While a connection is registered its socket is open: the library closes it only after `remove`. So sockets are shut
/// down and polled under the registry's lock only.
final class ConnectionRegistry: Sendable {
    private struct Content {
        var connections: [Int32: Connection] = [:]
        var perNetwork: [UInt64: Int] = [:]
    }

    enum Refusal {
        case tooManyConnections
        case tooManyOfAddress
    }

    private let content = Lock(Content())
    private let most: Int
    private let mostOfAddress: Int

    init(limits: HTTPServerLimits) {
        most = min(limits.connections, Descriptors.limit - Descriptors.spare)
        mostOfAddress = limits.connectionsPerAddress
    }

    var count: Int { content.withLock { $0.connections.count } }

    /// Registers a connection, or says why not.
    func add(_ connection: Connection) -> Refusal? {
        content.withLock { content in
            // A socket number that is taken belongs to a connection that the library failed to begin.
            if let stale = content.connections.removeValue(forKey: connection.socket) {
                Self.release(stale.address.network, in: &content)
            }
            if content.connections.count >= most { return .tooManyConnections }
            if let network = connection.address.network {
                if content.perNetwork[network, default: 0] >= mostOfAddress { return .tooManyOfAddress }
                content.perNetwork[network, default: 0] += 1
            }
            content.connections[connection.socket] = connection
            return nil
        }
    }

    func connection(on socket: Int32) -> Connection? { content.withLock { $0.connections[socket] } }

    func remove(_ socket: Int32) {
        content.withLock { content in
            guard let connection = content.connections.removeValue(forKey: socket) else { return }
            Self.release(connection.address.network, in: &content)
        }
    }

    /// Calls `body` with each connection, whose socket stays open meanwhile.
    func forEach(_ body: @Sendable (Connection) -> Void) {
        content.withLock { for connection in $0.connections.values { body(connection) } }
    }

    /// Those of the connections for which `isIncluded` whose clients have closed their side.
    func abandoned(where isIncluded: @Sendable (Connection) -> Bool) -> [Connection] {
        content.withLock { content in
            let candidates = content.connections.values.filter(isIncluded)
            var polls = candidates.map { pollfd(fd: $0.socket, events: Self.peerClosed, revents: 0) }
            guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return [] }
            return zip(candidates, polls).filter { $0.1.revents != 0 }.map(\.0)
        }
    }

    /// Whether a connection is there and its client has not closed its side.
    func isOpen(_ connection: Connection) -> Bool {
        content.withLock { content in
            guard content.connections[connection.socket] === connection else { return false }
            var probe = pollfd(fd: connection.socket, events: Self.peerClosed, revents: 0)
            return poll(&probe, 1, 0) == 0
        }
    }

    /// POLLRDHUP, which Glibc's module does not show.
    private static let peerClosed: Int16 = 0x2000

    private static func release(_ network: UInt64?, in content: inout Content) {
        guard let network, let count = content.perNetwork[network] else { return }
        content.perNetwork[network] = count > 1 ? count - 1 : nil
    }
}

/// The process's file descriptors.
enum Descriptors {
    /// Descriptors that are kept for everything but connections.
    static let spare = 128

    /// How many the process may open, after raising the soft limit to the hard one.
    static let limit: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }()
}
