import CloudKit
import StratusCloudModel

/// A transport that fails in one way, and counts how often it was asked.
struct NoTransport: CloudTransport {
    var failure = CloudTransportError.unreachable("no network")
    var isSignedIn = true
    var asked: @Sendable () -> Void = {}

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        if request.call == .currentUser { return .users([UserIdentity(userRecordName: "_me")]) }
        asked()
        throw failure
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { throw failure }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) { throw failure }
}

/// A transport that never answers, until it is cancelled.
struct StuckTransport: CloudTransport {
    /// Something for each request.
    let asked: AsyncStream<Void>
    private let ask: AsyncStream<Void>.Continuation
    let isSignedIn = true

    init() { (asked, ask) = AsyncStream<Void>.makeStream() }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        if request.call == .currentUser { return .users([UserIdentity(userRecordName: "_me")]) }
        ask.yield()
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw .cancelled
    }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { throw .cancelled }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) { throw .cancelled }
}
