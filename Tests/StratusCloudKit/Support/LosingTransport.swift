import CloudKit
import StratusCloudModel
import StratusWorkers

/// A transport that loses the answers to what changes something.
struct LosingTransport: CloudTransport {
    let isLosing = Lock(true)
    private let transport: any CloudTransport

    init(_ transport: any CloudTransport) { self.transport = transport }

    var isSignedIn: Bool { transport.isSignedIn }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        let answer = try await transport.send(request)
        if request.call.isMutating, isLosing.withLock({ $0 }) { throw .failed("the answer is lost") }
        return answer
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { try await transport.upload(file, to: address, progress: progress) }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await transport.download(from: address, size: size, to: file, progress: progress)
    }
}
