import CloudKit
import StratusCloudModel
import StratusWorkers

/// Sends what the library wants to send, and remembers it as it goes over the wire.
final class RecordingTransport: CloudTransport {
    /// A request as bytes.
    struct Exchange: Sendable {
        let url: String
        let body: [UInt8]
    }

    private let inner: HTTPCloudTransport
    private let sent = Lock<[Exchange]?>(nil)

    init(_ inner: HTTPCloudTransport) { self.inner = inner }

    var isSignedIn: Bool { inner.isSignedIn }

    /// What `body` sends.
    func recording(_ body: () throws -> Void) rethrows -> [Exchange] {
        sent.withLock { $0 = [] }
        try body()
        return sent.withLock { sent in
            defer { sent = nil }
            return sent ?? []
        }
    }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        if sent.withLock({ $0 != nil }), let body = try? request.call.body() {
            sent.withLock { $0?.append(Exchange(url: inner.url(request), body: body)) }
        }
        return try await inner.send(request)
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset {
        try await inner.upload(file, to: address, progress: progress)
    }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await inner.download(from: address, size: size, to: file, progress: progress)
    }
}
