import Glibc
import StratusWorkers

/// Saves at a steady rate, however long each takes: one record each, named `w` and its number.
struct PacedWrites: Sendable {
    /// One save.
    struct Write {
        let number: Int
        /// On ``Clock``.
        let sent, acknowledged: UInt64
    }

    let port: Int
    let perSecond: Int
    let seconds: Int
    /// Head and body of the save of a number.
    let request: @Sendable (Int) -> [UInt8]

    private static let connections = 16

    func run() throws -> [Write] {
        let done = Lock([Write]())
        let failures = Lock([String]())
        let start = Clock.now() + 100_000_000
        let total = perSecond * seconds
        var threads: [pthread_t] = []
        for lane in 0..<Self.connections {
            let socket = try TCP.connect(port: port)
            let body = Body { [self] in
                for number in stride(from: lane, to: total, by: Self.connections) {
                    let due = start + UInt64(number) * 1_000_000_000 / UInt64(perSecond)
                    let now = Clock.now()
                    if due > now { usleep(UInt32((due - now) / 1_000)) }
                    do {
                        let sent = Clock.now()
                        try TCP.send(request(number), on: socket)
                        try Self.answer(on: socket)
                        let write = Write(number: number, sent: sent, acknowledged: Clock.now())
                        done.withLock { $0.append(write) }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                close(socket)
            }
            threads.append(body.start())
        }
        for thread in threads { pthread_join(thread, nil) }
        if let failure = failures.withLock({ $0.first }) { throw BenchmarkError("a save failed: \(failure)") }
        return done.withLock { $0 }
    }

    /// Reads one answer, which is small, and must be a saved record.
    private static func answer(on socket: Int32) throws {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchmarkError("the connection ended") }
            bytes += buffer[..<count]
            guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let text = String(decoding: bytes[..<head.lowerBound], as: UTF8.self)
            let length = text.split(separator: "Content-Length: ").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
            guard bytes.count >= head.upperBound + length else { continue }
            let body = String(decoding: bytes[head.upperBound...], as: UTF8.self)
            guard text.contains(" 200 "), !body.contains("serverErrorCode") else { throw BenchmarkError(body) }
            return
        }
    }

    private final class Body: Sendable {
        private let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        func start() -> pthread_t {
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().work() }
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
            return thread
        }
    }
}
