import StratusCloudModel
import StratusCloudWire
import StratusHTTPClient

/// Limits of the transport of assets.
enum AssetTransferLimits {
    /// Bytes in one request, which are all that is held in memory.
    static let pieceSize = 4 << 20
    /// Times that a piece is sent or asked for again when the connection fails.
    static let attempts = 6
    /// Milliseconds before the first repetition; each further one waits twice as long, to a point.
    static let firstDelay = 100
    static let longestDelay = 3_200
}

extension HTTPCloudTransport {
    /// Sends a file piece by piece. A piece that is lost is sent again from where the server says it has got to.
    public func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset { try await send(file, from: 0, to: address, progress: progress) }

    /// Asks the server how far it has got, and sends the rest.
    public func continueUpload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset? {
        let size = try await Self.reading { () async throws(LocalFile.Failure) in try await file.size() }
        switch try await state(of: address) {
        case .complete(let asset): return asset
        // An upload of other bytes cannot be continued with these.
        case .partial(let offset) where offset <= 0 || offset >= size: return nil
        case .partial(let offset):
            progress(offset)
            return try await send(file, from: offset, to: address, progress: progress)
        }
    }

    private func send(
        _ file: LocalFile, from start: Int64, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset {
        let size = try await Self.reading { () async throws(LocalFile.Failure) in try await file.size() }
        var offset = start
        var failures = 0
        while true {
            let count = Int(min(Int64(AssetTransferLimits.pieceSize), size - offset))
            let start = offset
            let bytes = try await Self.reading { () async throws(LocalFile.Failure) in
                let bytes = try await file.read(at: start, count: count)
                guard bytes.count == count else { throw .modified(file.path) }
                return bytes
            }
            do throws(CloudTransportError) {
                switch try await send(bytes, at: offset, of: size, to: address) {
                case .complete(let asset):
                    progress(size)
                    return asset
                case .partial(let arrived):
                    guard arrived > offset, arrived <= size else { throw .failed("the upload does not go on") }
                    offset = arrived
                    failures = 0
                    progress(arrived)
                }
            } catch {
                failures += 1
                guard failures < Self.attempts(after: error) else { throw error }
                try await Self.pause(failures)
                switch try await state(of: address) {
                case .complete(let asset): return asset
                case .partial(let arrived): offset = max(0, min(arrived, size))
                }
            }
        }
    }

    /// Asks for a file piece by piece. A piece that is lost is asked for again.
    public func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await continueDownload(from: address, at: 0, size: size, to: file, progress: progress)
    }

    /// Asks for the rest of a file piece by piece.
    public func continueDownload(
        from address: String, at offset: Int64, size: Int64, to file: LocalFile,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        var offset = offset
        var failures = 0
        repeat {
            let end = min(offset + Int64(AssetTransferLimits.pieceSize), size)
            let bytes: [UInt8]
            do throws(CloudTransportError) {
                bytes = try await piece(offset..<end, of: size, from: address)
            } catch .failed(let reason) {
                failures += 1
                guard failures < AssetTransferLimits.attempts else { throw .failed(reason) }
                try await Self.pause(failures)
                continue
            }
            let start = offset
            try await Self.reading { () async throws(LocalFile.Failure) in try await file.write(bytes, at: start) }
            offset = end
            failures = 0
            progress(offset)
        } while offset < size
    }

    /// How often a piece may be sent that ended so: after a connection failed, an upload goes on from where the server
    /// says it has got to, which may change while it puts away what came there.
    private static func attempts(after error: CloudTransportError) -> Int {
        switch error {
        case .failed: AssetTransferLimits.attempts
        case .refused(let refusal, _) where refusal.code == .conflict: AssetTransferLimits.attempts
        default: 0
        }
    }

    private enum UploadState {
        case partial(Int64)
        case complete(Asset)
    }

    private func send(
        _ bytes: [UInt8], at offset: Int64, of size: Int64, to address: String
    ) async throws(CloudTransportError) -> UploadState {
        var request = HTTPClientRequest(
            method: "POST", url: address, headers: ["Content-Type": "application/octet-stream"], body: bytes)
        if Int64(bytes.count) < size {
            request.headers.append("Content-Range", "bytes \(offset)-\(offset + Int64(bytes.count) - 1)/\(size)")
        }
        return try Self.uploadState(try await exchange(request))
    }

    private func state(of address: String) async throws(CloudTransportError) -> UploadState {
        try Self.uploadState(try await exchange(HTTPClientRequest(url: address)))
    }

    private static func uploadState(_ response: HTTPClientResponse) throws(CloudTransportError) -> UploadState {
        guard (200..<300).contains(response.status) else { throw refusal(response) }
        if response.headers["Upload-Complete"] == "?0" {
            return .partial(response.headers["Upload-Offset"].flatMap { Int64($0) } ?? 0)
        }
        do throws(CloudError) {
            return .complete(try ResponseDecoder().uploadedAsset(response.body))
        } catch {
            throw .refused(error, requestUUID: nil)
        }
    }

    private func piece(
        _ range: Range<Int64>, of size: Int64, from address: String
    ) async throws(CloudTransportError) -> [UInt8] {
        var request = HTTPClientRequest(url: address)
        if range.count < size { request.headers.append("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
        let response = try await exchange(request)
        guard response.status == 200 || response.status == 206 else { throw Self.refusal(response) }
        guard Int64(response.body.count) == Int64(range.count) else {
            throw .failed("\(response.body.count) bytes of an asset have come instead of \(range.count)")
        }
        return response.body
    }

    private static func reading<Value>(
        _ body: () async throws(LocalFile.Failure) -> Value
    ) async throws(CloudTransportError) -> Value {
        do throws(LocalFile.Failure) { return try await body() } catch { throw .file(error) }
    }

    private static func pause(_ failures: Int) async throws(CloudTransportError) {
        do {
            let delay = min(AssetTransferLimits.firstDelay << (failures - 1), AssetTransferLimits.longestDelay)
            try await Task.sleep(for: .milliseconds(delay))
        } catch {
            throw .cancelled
        }
    }
}
