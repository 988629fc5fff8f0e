import StratusCloudModel

/// Stands where no cloud is configured: everything fails, and says why.
struct UnconfiguredTransport: CloudTransport {
    let reason: String

    var isSignedIn: Bool { false }

    func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer { throw .unconfigured(reason) }

    func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { throw .unconfigured(reason) }

    func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) { throw .unconfigured(reason) }
}
