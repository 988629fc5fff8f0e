import Glibc
import StratusCMicroHTTPD
import StratusWorkers
import Synchronization

/// What a server's threads share.
final class ServerCore: Sendable {
    let limits: HTTPServerLimits
    let isSecure: Bool
    let executor: WorkerPool
    let handler: any HTTPHandler
    let counters = ServerCounters()
    let registry: ConnectionRegistry
    let bodies: BodyBudget
    let answers: Lock<WaitingAnswers<Exchange>>
    private let handlers = Atomic<Int>(0)
    private let lingering = Lock<[LingeringSocket]>([])
    private let draining = Atomic<Bool>(false)
    private let aborting = Atomic<Bool>(false)

    init(configuration: HTTPServerConfiguration, executor: WorkerPool, handler: any HTTPHandler) {
        limits = configuration.limits
        isSecure = configuration.tls != nil
        self.executor = executor
        self.handler = handler
        registry = ConnectionRegistry(limits: configuration.limits)
        bodies = BodyBudget(limits: configuration.limits)
        answers = Lock(
            WaitingAnswers(
                total: configuration.limits.waitingAnswerBytes,
                perClient: configuration.limits.waitingAnswerBytesPerClient))
    }

    /// What the library gets per connection: the head, its own notes on the fields, and the answer's head.
    var connectionMemory: Int { min(max(limits.headerBytes, 1_024), 24_576) + 4_096 }

    /// Whether no handler is at work or waits for a thread; those that have answered and only send are not counted.
    var isIdle: Bool { handlers.load(ordering: .relaxed) == 0 }
    func beginHandler() { handlers.wrappingAdd(1, ordering: .relaxed) }
    func endHandler() { handlers.wrappingSubtract(1, ordering: .relaxed) }

    /// Whether answers close their connections.
    var isDraining: Bool { draining.load(ordering: .relaxed) }
    func drain() { draining.store(true, ordering: .relaxed) }

    /// Whether the stop's time has run out, so that no handler is started.
    var isAborting: Bool { aborting.load(ordering: .sequentiallyConsistent) }
    func abort() { aborting.store(true, ordering: .sequentiallyConsistent) }

    /// Keeps a socket that is about to be closed in the middle of a request until the client has read the answer.
    func linger(on socket: Int32) {
        lingering.withLock { sockets in
            guard sockets.count < LingeringSocket.most else { return }
            let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            if copy >= 0 { sockets.append(LingeringSocket(socket: copy)) }
        }
    }

    /// Reads what lingering sockets have received, and closes those that are done.
    /// - Returns: whether any is left.
    func serveLingering(closingAll: Bool = false) -> Bool {
        lingering.withLock { sockets in
            sockets.removeAll { socket in
                guard closingAll || socket.isDone() else { return false }
                close(socket.socket)
                return true
            }
            return !sockets.isEmpty
        }
    }
}

/// A second descriptor of a socket on which a request was refused before all of it was read. Closing it at once would
/// make the kernel reset the connection, and the client could lose the answer.
struct LingeringSocket {
    /// Sockets that linger at the same time; beyond, they are closed at once.
    static let most = 256
    /// How long a client may take to notice the end, in milliseconds.
    static let patience: UInt64 = 2_000

    let socket: Int32
    let deadline = CoarseClock.milliseconds + patience

    func isDone() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            var count = 0
            repeat {
                count = recv(socket, buffer.baseAddress, buffer.count, MessageFlags.dontWait)
            } while count == buffer.count
            let isOpen = count > 0 || count < 0 && errno == EAGAIN
            return !isOpen || CoarseClock.milliseconds >= deadline
        }
    }
}
