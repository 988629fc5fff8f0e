import Glibc
import StratusCMicroHTTPD
import StratusCReceivedBytes
import Synchronization

/// What a connection is doing, and so which time limit it is under.
enum ConnectionPhase: UInt64 {
    /// Opened; no request line yet.
    case opening
    /// Kept alive; no next request line yet.
    case idle
    /// A request line has come.
    case head
    /// A head has come.
    case body
    /// The handler is working and the whole request has come.
    case handling
    /// The answer is being sent.
    case answering
}

/// One client's socket, from its acceptance to its closing.
///
/// `@unchecked Sendable`: `exchange` is touched only between `lock` and `unlock`; `lastTarget`, `framing`, `completed`
/// and `isRefused` only by the connection's I/O thread; all else never changes or is atomic.
final class Connection: @unchecked Sendable {
    let socket: Int32
    let address: ClientAddress
    /// Of the connection's I/O thread.
    let resumptions: ResumptionQueue
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: Atomic<UInt64>
    private var exchange: Exchange?
    private var lastTarget: HTTPTarget?
    private var framing = ReceivedFraming()
    /// Requests that are over.
    private var completed = 0
    private var isRefused = false
    private unowned let core: ServerCore
    /// Longer targets are not kept for the next request: what idle connections hold is bounded.
    private static let keptTargetLength = 1_024

    init(core: ServerCore, socket: Int32, address: ClientAddress, resumptions: ResumptionQueue) {
        self.core = core
        self.socket = socket
        self.address = address
        self.resumptions = resumptions
        state = Atomic(Self.encode(.opening))
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone. Protects the exchange and its streams, too.
    func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    func begin(_ exchange: Exchange) { withLock { self.exchange = exchange } }
    func end(_ exchange: Exchange) { withLock { if self.exchange === exchange { self.exchange = nil } } }
    var currentExchange: Exchange? { withLock { exchange } }

    /// The target of a request that begins: that of the one before, if it is repeated. On the I/O thread.
    func target(of text: UnsafePointer<CChar>) -> HTTPTarget {
        if let lastTarget, lastTarget.isText(text) { return lastTarget }
        let target = HTTPTarget(String(cString: text))
        lastTarget = target.text.utf8.count <= Self.keptTargetLength ? target : nil
        return target
    }

    // MARK: On the I/O thread

    /// Whether what came was seen before the library read it.
    var isWatched: Bool { framing.hasBegun }

    /// Looks at what has come, or its end, before the library does.
    /// - Returns: how many of the bytes the library may read; -1 if it is to come back later.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if isRefused { return 0 }
        let count = framing.read(bytes)
        guard let refusal = framing.refusal, count == 0 else { return count }
        // What came before is answered first.
        guard completed >= framing.requests else { return bytes.isEmpty ? 0 : -1 }
        refuse(refusal)
        return 0
    }

    /// A request is over, whole or not.
    func complete() {
        completed += 1
        enter(.idle)
        guard let refusal = framing.refusal, !isRefused, completed >= framing.requests else { return }
        refuse(refusal)
        // Wakes the library, which then sees the end.
        shutdown(socket, Int32(SHUT_RD))
    }

    /// Answers what is no HTTP/1.1, or too large to be counted.
    private func refuse(_ refusal: RequestRefusal) {
        isRefused = true
        core.counters.count(refusal)
        answer(status: refusal.status)
    }

    /// Answers where the library does not: in the middle of a request. The connection must be closed then.
    func answer(status: Int) {
        let bytes = RawAnswer.bytes(status: status, core.handler.refusal(status: status))
        bytes.withUnsafeBytes { received_bytes_answer(socket, $0.baseAddress, $0.count) }
        core.linger(on: socket)
    }

    // MARK: On any thread

    /// Enters a phase now.
    func enter(_ phase: ConnectionPhase) { state.store(Self.encode(phase), ordering: .relaxed) }

    /// The phase, and since when it lasts on the coarse monotonic clock, in milliseconds.
    var phase: (ConnectionPhase, since: UInt64) {
        let value = state.load(ordering: .relaxed)
        return (ConnectionPhase(rawValue: value & 7) ?? .opening, value >> 3)
    }

    private static func encode(_ phase: ConnectionPhase) -> UInt64 { CoarseClock.milliseconds << 3 | phase.rawValue }
}

/// The kernel's coarse monotonic clock: a few milliseconds' resolution, almost free to read.
enum CoarseClock {
    static var milliseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, not negative.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000).partialValue
            + UInt64(clamping: (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
