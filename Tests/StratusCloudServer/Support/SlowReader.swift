import Foundation
import StratusWorkers

/// Sends a request, and reads its answer when it is told to: the server has to wait with what does not fit.
final class SlowReader: Sendable {
    private static let pool = WorkerPool(threads: 4)
    /// Bytes of the answer that the system takes in before they are read, about.
    private static let window: Int32 = 65_536

    private let descriptor: Int32

    init(_ client: RawClient, _ method: String, _ target: String, headers: [(String, String)]) async throws {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        let request =
            "\(method) \(target) HTTP/1.1\r\nHost: \(client.host):\(client.port)\r\n\(fields)Connection: close\r\n\r\n"
        descriptor = try await Self.pool.run {
            let descriptor = try client.begin(Array(request.utf8), window: Self.window)
            // The answer has begun when its first byte is there.
            var first: UInt8 = 0
            guard recv(descriptor, &first, 1, Int32(MSG_PEEK)) == 1 else {
                close(descriptor)
                throw RawClient.Failure(step: "answer")
            }
            return descriptor
        }
    }

    deinit { close(descriptor) }

    func rest() async throws -> [UInt8] {
        let descriptor = descriptor
        return try await Self.pool.run { try RawClient.rest(descriptor) }
    }
}
