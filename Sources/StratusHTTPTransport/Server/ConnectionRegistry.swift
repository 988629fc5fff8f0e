import Glibc
import StratusCMicroHTTPD
import StratusCReceivedBytes
import StratusWorkers

/// The open connections by socket, counted by address.
///
/// While a connection is registered its socket is open: the library closes it only after `remove`. So sockets are shut
/// down and polled under the registry's lock only.
final class ConnectionRegistry: Sendable {
    private struct Content {
        var connections: [Int32: Connection] = [:]
        var perNetwork: [UInt64: Int] = [:]
        /// Files that are being sent, each of which has a descriptor, too.
        var files = 0
    }

    enum Refusal {
        case tooManyConnections
        case tooManyOfAddress
    }

    private let content = Lock(Content())
    private let most: Int
    let mostOfAddress: Int
    /// Descriptors for connections and files together.
    private let descriptors: Int

    init(limits: HTTPServerLimits, descriptors: Int = Descriptors.limit - Descriptors.spare) {
        self.descriptors = descriptors
        most = min(limits.connections, descriptors)
        let proportion = Double(most) / Double(max(limits.connections, 1))
        mostOfAddress = max(1, Int(Double(limits.connectionsPerAddress) * min(1, max(0, proportion))))
    }

    /// Files that are being sent.
    var files: Int { content.withLock { $0.files } }

    var count: Int { content.withLock { $0.connections.count } }

    /// Registers a connection, or says why not.
    func add(_ connection: Connection) -> Refusal? {
        content.withLock { content in
            // A socket number that is taken belongs to a connection that the library failed to begin.
            if let stale = content.connections.removeValue(forKey: connection.socket) {
                Self.release(stale.address.network, in: &content)
            }
            let count = content.connections.count
            if count >= most || count + content.files >= descriptors { return .tooManyConnections }
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

    /// Takes a descriptor for a file to be sent; nil if none is left.
    func leaseFile() -> FileLease? {
        content.withLock { content in
            guard content.connections.count + content.files < descriptors else { return nil }
            content.files += 1
            return FileLease(registry: self)
        }
    }

    fileprivate func giveBackFile() { content.withLock { $0.files -= 1 } }

    /// Ends a connection, if it is still there.
    func shutDown(_ connection: Connection) {
        content.withLock { content in
            guard content.connections[connection.socket] === connection else { return }
            shutdown(connection.socket, Int32(SHUT_RDWR))
        }
    }

    /// Calls `body` with each connection, whose socket stays open meanwhile.
    func forEach(_ body: @Sendable (Connection) -> Void) {
        content.withLock { for connection in $0.connections.values { body(connection) } }
    }

    /// Finds the connections whose clients have closed their side.
    ///
    /// Where a request is still to come, or to be completed, the library is woken: it reads what there is, and closes
    /// at the end. It may have missed that, since it does not look for more behind a piece that came together with it.
    /// - Returns: those whose clients wait for a handler.
    func abandoned() -> [Connection] {
        content.withLock { content in
            let candidates = Array(content.connections.values)
            var polls = candidates.map { pollfd(fd: $0.socket, events: Self.peerClosed, revents: 0) }
            guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return [] }
            var result: [Connection] = []
            for (connection, poll) in zip(candidates, polls) where poll.revents != 0 {
                if connection.phase.0.isHandlersTurn {
                    result.append(connection)
                } else {
                    // Takes nothing away: what has come can be read, and nothing more will.
                    shutdown(connection.socket, Int32(SHUT_RD))
                }
            }
            return result
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

/// The descriptor of a file that is being sent, until nobody has the object any more.
final class FileLease: Sendable {
    private let registry: ConnectionRegistry

    fileprivate init(registry: ConnectionRegistry) { self.registry = registry }

    deinit { registry.giveBackFile() }
}

/// The process's file descriptors.
enum Descriptors {
    /// Descriptors that are kept for everything but connections.
    static let spare = 128
    /// With fewer no server starts: half of them would be spare.
    static let least = 256

    /// How many the process may open, after raising the soft limit to the hard one, as far as sockets can be watched.
    static let limit: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(received_bytes_sockets))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }()
}
