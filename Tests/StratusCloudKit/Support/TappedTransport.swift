import CloudKit
import StratusCloudModel
import StratusWorkers

/// A way to a cloud on which a test looks at what passes.
struct TappedTransport: CloudTransport {
    let transport: any CloudTransport
    /// What the device says of its account.
    let status = Lock<CKAccountStatus?>(nil)
    /// Told of each request before it goes on.
    var sending: @Sendable (CloudRequest) -> Void = { _ in }
    /// Told of how many bytes of a file have arrived, before the next ones are read.
    var uploaded: @Sendable (Int64) -> Void = { _ in }

    init(_ transport: any CloudTransport) { self.transport = transport }

    var isSignedIn: Bool { transport.isSignedIn }
    var shareLinkBase: String { transport.shareLinkBase }
    var accountStatus: CKAccountStatus? { status.withLock { $0 } ?? transport.accountStatus }

    func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws(CloudTransportError) {
        try await transport.listen(receive)
    }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        sending(request)
        return try await transport.send(request)
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset {
        try await transport.upload(file, to: address) { count in
            uploaded(count)
            progress(count)
        }
    }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await transport.download(from: address, size: size, to: file, progress: progress)
    }
}
