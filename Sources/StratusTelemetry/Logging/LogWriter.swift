import Glibc
import StratusWorkers

/// Writes whole lines to a file descriptor from a thread of its own, so that who logs never waits for a disk or pipe.
///
/// At most `capacity` bytes wait. Lines that find no room are dropped, and their number is logged as soon as there is.
public final class LogWriter: Sendable {
    private struct Waiting {
        var bytes: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let descriptor: Int32
    private let capacity: Int
    private let now: @Sendable () -> LogTime
    private let waiting = Lock(Waiting())
    /// Held while writing, to keep chunks in order: by the pool's thread, or by who waits in `flushBlocking`.
    private let output = Lock(())
    private let pool = WorkerPool(threads: 1)

    /// A writer to `descriptor`, which stays open and the caller's. Its thread lives as long as the process.
    public init(
        descriptor: Int32 = STDERR_FILENO, capacity: Int = TelemetryLimits.logBuffer,
        now: @escaping @Sendable () -> LogTime = LogTime.now
    ) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.now = now
    }

    /// Waits until every line logged before this call is written (or known to be unwritable).
    public func flush() async {
        await withCheckedContinuation { done in
            pool.submit {
                self.drain(); done.resume()
            }
        }
    }

    /// The same for callers without concurrency, such as the end of a process. Blocks the thread.
    public func flushBlocking() { drain() }

    func append(_ line: LogLine) {
        let mustSchedule = waiting.withLock { waiting in
            guard waiting.bytes.count + line.bytes.count <= capacity else {
                waiting.dropped += 1
                return false
            }
            waiting.bytes += line.bytes
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { pool.submit { self.drain() } }
    }

    private func drain() {
        output.withLock { _ in
            var (bytes, dropped) = waiting.withLock { waiting in
                let taken = (waiting.bytes, waiting.dropped)
                waiting = Waiting()
                return taken
            }
            if dropped > 0 {
                bytes +=
                    LogLine(
                        time: now(), level: .warning, message: "log lines dropped",
                        fields: [["count": .integer(Int64(dropped))]]
                    ).bytes
            }
            if !write(bytes) {
                let lost = bytes.count { $0 == UInt8(ascii: "\n") } - (dropped > 0 ? 1 : 0) + dropped
                waiting.withLock { $0.dropped += lost }
            }
        }
    }

    /// Writes everything with as few calls as the system takes. False if the descriptor takes no more.
    private func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&room, 1, -1)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
