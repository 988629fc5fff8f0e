import Glibc
import StratusCReceivedBytes
import StratusWorkers

/// An HTTP/1.1 server: sockets, TLS, limits and streaming over GNU libmicrohttpd, strict about framing.
///
/// HTTP/2 and HTTP/3 are left to a proxy in front.
public final class HTTPServer: Sendable {
    private let configuration: HTTPServerConfiguration
    private let core: ServerCore
    private let caretaker = Lock<Caretaker?>(nil)

    /// A server that is not started yet.
    /// - Parameters:
    ///   - configuration: where and how to listen.
    ///   - executor: the pool on which the handler runs and may block.
    ///   - handler: answers the requests.
    public init(configuration: HTTPServerConfiguration, executor: WorkerPool, handler: any HTTPHandler) {
        self.configuration = configuration
        core = ServerCore(configuration: configuration, executor: executor, handler: handler)
    }

    deinit {
        caretaker.withLock { $0 }?.requestStop(drainingFor: .zero) {}
    }

    /// Binds, listens and serves. Raises the process's limit of open files as far as it may.
    /// - Returns: the bound port; 0 on a unix-domain socket.
    /// - Throws: `HTTPServerError`.
    public func start() throws(HTTPServerError) -> UInt16 {
        let (configuration, core) = (configuration, core)
        return try caretaker.withLock { caretaker throws(HTTPServerError) in
            guard caretaker == nil else { throw HTTPServerError(.alreadyStarted, "start the server") }
            guard Descriptors.limit >= Descriptors.least else {
                throw HTTPServerError(.tooFewDescriptors, "serve with \(Descriptors.limit) file descriptors")
            }
            guard received_bytes_prepare() else { throw HTTPServerError(.system, "reserve memory", errno: errno) }
            let listener = try Listener(configuration.address)
            do throws(HTTPServerError) {
                let started = try Self.start(configuration, core, listener)
                caretaker = started
                return listener.port
            } catch {
                listener.close()
                throw error
            }
        }
    }

    private static func start(
        _ configuration: HTTPServerConfiguration, _ core: ServerCore, _ listener: Listener
    ) throws(HTTPServerError) -> Caretaker {
        var daemons: [Daemon] = []
        do throws(HTTPServerError) {
            for _ in 0..<min(max(configuration.ioThreads, 1), 64) {
                daemons.append(try Daemon(core: core, tls: configuration.tls))
            }
            let caretaker = try Caretaker(core: core, daemons: daemons, listener: listener)
            caretaker.start()
            return caretaker
        } catch {
            for daemon in daemons { daemon.stop() }
            throw error
        }
    }

    /// Stops accepting, answers what has been sent with `Connection: close`, and waits until all connections are
    /// closed, at most `patience`; then cancels the handlers that still run, answers for them with 503 where that is
    /// possible, and closes. Stopping twice waits for the first stop. A server is not started again.
    public func stop(drainingFor patience: Duration) async {
        guard let caretaker = caretaker.withLock({ $0 }) else { return }
        await withCheckedContinuation { continuation in
            caretaker.requestStop(drainingFor: patience) { continuation.resume() }
        }
    }

    /// Files that are being sent.
    var openFiles: Int { core.registry.files }

    /// The counters since the start.
    public func statistics() -> HTTPServerStatistics {
        var result = core.counters.snapshot(openConnections: core.registry.count)
        result.bufferedBodyBytes = core.bodies.used
        result.waitingAnswerBytes = core.answers.withLock { $0.bytes }
        return result
    }
}
