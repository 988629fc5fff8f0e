import Glibc
import StratusCMicroHTTPD
import StratusWorkers

/// The thread that accepts connections, watches the time limits and stops the server.
///
/// `@unchecked Sendable`: after `start`, the variables are touched only by its own thread.
final class Caretaker: @unchecked Sendable {
    let core: ServerCore
    let daemons: [Daemon]
    private let listener: Listener
    private let wakePipe: (read: Int32, write: Int32)
    private let stopRequest = Lock<StopRequest?>(nil)
    private var spareDescriptor: Int32
    private var nextDaemon = 0
    private var isListening = true
    private var nextSweep: UInt64 = 0
    private var retryAcceptAt: UInt64 = 0

    init(core: ServerCore, daemons: [Daemon], listener: Listener) throws(HTTPServerError) {
        self.core = core
        self.daemons = daemons
        self.listener = listener
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw HTTPServerError(.system, "open a pipe", errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakePipe = (ends[0], ends[1])
        spareDescriptor = Self.openSpare()
    }

    private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    func start() {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, caretakerMain, context.toOpaque())
        precondition(failure == 0, "no thread can be started: error \(failure)")
        pthread_detach(thread)
    }

    /// Asks for the end; `done` is called when all is closed. Later requests wait for the first one.
    func requestStop(drainingFor patience: Duration, done: @escaping @Sendable () -> Void) {
        let isAwaited = stopRequest.withLock { request in
            if request != nil, request?.isDone == true { return false }
            let deadline = CoarseClock.milliseconds + patience.wholeMilliseconds
            request = request ?? StopRequest(deadline: deadline)
            request?.waiting.append(done)
            // Under the lock, since the thread closes the pipe when it is done.
            var byte: UInt8 = 0
            write(wakePipe.write, &byte, 1)
            return true
        }
        if !isAwaited { done() }
    }

    private struct StopRequest {
        let deadline: UInt64
        var waiting: [@Sendable () -> Void] = []
        var isDone = false
    }

    // MARK: The thread

    fileprivate func run() {
        let sweepEvery = sweepInterval
        while true {
            let request = stopRequest.withLock { $0?.deadline }
            if let deadline = request { return finish(by: deadline) }
            let isLingering = core.serveLingering()
            wait(milliseconds: isLingering ? min(sweepEvery, Self.lingerInterval) : sweepEvery)
            let now = CoarseClock.milliseconds
            if now >= nextSweep {
                sweep(now)
                nextSweep = now + sweepEvery
            }
        }
    }

    private static let lingerInterval: UInt64 = 20

    /// A quarter of the shortest limit, between 10 ms and 1 s.
    private var sweepInterval: UInt64 {
        let limits = core.limits
        let shortest = min(limits.headTime, limits.bodyTime, limits.idleTime).wholeMilliseconds
        return min(max(shortest / 4, 10), 1_000)
    }

    /// Waits for connections, a stop or the time, and accepts.
    private func wait(milliseconds: UInt64) {
        let accepts = isListening && CoarseClock.milliseconds >= retryAcceptAt
        var polls = [
            pollfd(fd: wakePipe.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: accepts ? listener.socket : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polls, 2, Int32(milliseconds)) > 0, polls[1].revents != 0 else { return }
        for _ in 0..<Self.acceptsAtOnce where !acceptOne() { return }
    }

    private static let acceptsAtOnce = 256
    /// How long to leave the listening socket alone when no descriptor is left, in milliseconds.
    private static let acceptPause: UInt64 = 100

    /// - Returns: whether there may be more.
    private func acceptOne() -> Bool {
        var (socket, address, length) = listener.accept()
        guard socket >= 0 else {
            switch errno {
            case EMFILE, ENFILE: return refuseWithSpare()
            case EAGAIN: return false
            case ENOBUFS, ENOMEM:
                retryAcceptAt = CoarseClock.milliseconds + Self.acceptPause
                return false
            default: return true
            }
        }
        let daemon = daemons[nextDaemon]
        let connection = Connection(
            core: core, socket: socket, address: ClientAddress(address), resumptions: daemon.resumptions)
        switch core.registry.add(connection) {
        case .tooManyConnections: refuse(socket, counting: \.refusedAtConnectionLimit)
        case .tooManyOfAddress: refuse(socket, counting: \.refusedAtAddressLimit)
        case nil:
            core.counters.accepted.count()
            withSockaddr(&address) { daemon.add(socket, $0, length) }
            nextDaemon = (nextDaemon + 1) % daemons.count
        }
        return true
    }

    private func refuse(_ socket: Int32, counting counter: KeyPath<ServerCounters, Counter>) {
        core.counters[keyPath: counter].count()
        if !core.isSecure {
            RawAnswer.writeUnavailable(to: socket)
            shutdown(socket, Int32(SHUT_WR))
            core.linger(on: socket)
        }
        close(socket)
    }

    /// No descriptor is left: gives up the spare one for as long as the refusal takes.
    private func refuseWithSpare() -> Bool {
        core.counters.refusedWithoutDescriptor.count()
        close(spareDescriptor)
        let (socket, _, _) = listener.accept()
        if socket >= 0 {
            if !core.isSecure { RawAnswer.writeUnavailable(to: socket) }
            close(socket)
        }
        spareDescriptor = Self.openSpare()
        if spareDescriptor < 0 { retryAcceptAt = CoarseClock.milliseconds + Self.acceptPause }
        return socket >= 0 && spareDescriptor >= 0
    }

    /// Closes what is over its time or was left by its client, and tells handlers whose clients have gone.
    private func sweep(_ now: UInt64) {
        let limits = core.limits
        let (head, body) = (limits.headTime.wholeMilliseconds, limits.bodyTime.wholeMilliseconds)
        let idle = limits.idleTime.wholeMilliseconds
        core.registry.forEach { [core] connection in
            let (phase, since) = connection.phase
            let age = now > since ? now - since : 0
            switch phase {
            case .opening where age >= head, .head where age >= head:
                core.counters.headTimeouts.count()
            case .body where age >= body:
                core.counters.bodyTimeouts.count()
            case .idle where age >= idle: break
            default: return
            }
            shutdown(connection.socket, Int32(SHUT_RDWR))
        }
        for connection in core.registry.abandoned() { connection.currentExchange?.abandon() }
    }

    // MARK: Stopping

    /// How often the connections are looked at while draining, in milliseconds.
    private static let drainInterval: UInt64 = 10
    /// How often clients that have gone are looked for meanwhile, in milliseconds.
    private static let drainSweepInterval: UInt64 = 100
    /// How long clients may take to receive that their handlers had no time left, in milliseconds.
    private static let answerPatience: UInt64 = 200
    /// How long connections may take to end after they are cut off, in milliseconds.
    private static let cutOffPatience: UInt64 = 5_000

    private func finish(by deadline: UInt64) {
        core.drain()
        while acceptOne() {}
        listener.close()
        isListening = false
        drain(until: deadline)
        let isClosed = cutOff()
        if isClosed {
            for daemon in daemons { daemon.stop() }
        } else {
            // Stopping the library with a suspended connection is not allowed: its threads are left, and what they use.
            _ = Unmanaged.passRetained(self)
        }
        _ = core.serveLingering(closingAll: true)
        if spareDescriptor >= 0 { close(spareDescriptor) }
        let waiting = stopRequest.withLock { request in
            request?.isDone = true
            close(wakePipe.read)
            close(wakePipe.write)
            return request?.waiting ?? []
        }
        for done in waiting { done() }
    }

    /// Answers until all connections are closed: at first whatever comes, then what has come.
    private func drain(until deadline: UInt64) {
        let graceEnd = CoarseClock.milliseconds + core.limits.drainGrace.wholeMilliseconds
        nextSweep = 0
        while core.registry.count > 0 {
            let now = CoarseClock.milliseconds
            if now >= deadline { return }
            if now >= graceEnd {
                // Only the reading side, so that a request which has just been received is still answered.
                core.registry.forEach { connection in
                    guard connection.phase.0.isBetweenRequests else { return }
                    shutdown(connection.socket, Int32(SHUT_RD))
                }
            }
            pause(deadline: deadline, now: now)
            if now >= nextSweep {
                sweep(now)
                nextSweep = now + min(sweepInterval, Self.drainSweepInterval)
            }
        }
    }

    private func pause(deadline: UInt64, now: UInt64) {
        _ = core.serveLingering()
        _ = poll(nil, 0, Int32(min(Self.drainInterval, deadline - now)))
    }

    /// Ends what is left: clients that wait for a handler are answered, the others are cut off at once.
    private func cutOff() -> Bool {
        core.abort()
        core.registry.forEach { connection in
            if connection.currentExchange?.abort() != true { shutdown(connection.socket, Int32(SHUT_RDWR)) }
        }
        waitForEnds(Self.answerPatience) {}
        waitForEnds(Self.cutOffPatience) { [core] in
            core.registry.forEach { connection in
                shutdown(connection.socket, Int32(SHUT_RDWR))
                connection.currentExchange?.abort()
            }
        }
        return core.registry.count == 0
    }

    /// Waits until all connections are closed.
    private func waitForEnds(_ patience: UInt64, _ hasten: () -> Void) {
        let end = CoarseClock.milliseconds + patience
        while core.registry.count > 0, CoarseClock.milliseconds < end {
            hasten()
            _ = poll(nil, 0, Int32(Self.drainInterval))
        }
    }
}

extension ConnectionPhase {
    /// Whether the client waits for the handler.
    var isHandlersTurn: Bool { self == .handling || self == .answering }
    fileprivate var isBetweenRequests: Bool { self == .opening || self == .idle }
}

private func caretakerMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Caretaker>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
