import StratusCloudKit
import StratusCloudModel
import StratusCloudService
import StratusWorkers

extension ServiceTransport {
    /// Bytes that are held at a time.
    private static let pieceSize = 1 << 20
    /// Threads that may wait for the disk.
    private static let readers = WorkerPool(threads: 2)

    /// Gives the bytes of a file to the service, which takes them as it would from a socket.
    public func upload(
        _ file: LocalFile, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) -> Asset {
        let size: Int64
        do throws(LocalFile.Failure) { size = try await file.size() } catch { throw .file(error) }
        let pieces = FilePieces(file: file, size: size, count: Self.pieceSize, progress: progress)
        do throws(CloudError) {
            let ticket = try service.uploadTicket(address, continuing: false)
            let state = try await service.receiveAsset(
                ticket, .whole(length: size), sha256: nil, body: pieces)
            switch state {
            case .complete(let asset): return asset
            case .partial: throw CloudError(.internalError, "the upload is not whole")
            }
        } catch {
            // To the service a file that cannot be read is a body that ends too soon.
            if let failure = pieces.failure.withLock({ $0 }) { throw .file(failure) }
            throw .refused(error, requestUUID: nil)
        }
    }

    /// Copies the bytes of an asset into a file.
    public func download(
        from address: String, size: Int64, to file: LocalFile, progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        try await continueDownload(from: address, at: 0, size: size, to: file, progress: progress)
    }

    /// Copies the rest of the bytes of an asset into a file.
    public func continueDownload(
        from address: String, at start: Int64, size: Int64, to file: LocalFile,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws(CloudTransportError) {
        do {
            let download = try await service.downloadAsset(address)
            var offset: Int64 = 0
            try await withTaskExecutorPreference(Self.readers) {
                // All are read, as the last ones come only if all are undamaged.
                try await service.forEachPiece(of: download) { bytes in
                    let known = Int(min(max(0, start - offset), Int64(bytes.count)))
                    if known < bytes.count { try await file.write(Array(bytes[known...]), at: offset + Int64(known)) }
                    offset += Int64(bytes.count)
                    progress(max(start, offset))
                }
            }
            if offset == 0 {
                // An empty asset has no pieces, but its file exists.
                try await file.write([], at: 0)
                progress(0)
            }
        } catch let failure as LocalFile.Failure {
            throw .file(failure)
        } catch let error as CloudError {
            throw .refused(error, requestUUID: nil)
        } catch {
            throw .failed("the asset cannot be read")
        }
    }

    // MARK: Addresses

    /// Records as answers show them: with the addresses of their assets.
    func shown(_ results: [RecordResult], _ scope: DatabaseScope) -> [RecordResult] {
        results.map { if case .saved(let record) = $0 { .saved(shown(record, scope)) } else { $0 } }
    }

    func shown(_ result: ZoneChangesResult, _ scope: DatabaseScope) -> ZoneChangesResult {
        guard case .page(let zoneID, let page) = result else { return result }
        return .page(zoneID, shown(page, scope))
    }

    func shown(_ page: ZoneChangesPage, _ scope: DatabaseScope) -> ZoneChangesPage {
        var page = page
        page.changes = page.changes.map { change in
            if case .saved(let record) = change { .saved(shown(record, scope)) } else { change }
        }
        return page
    }

    func shown(_ record: Record, _ scope: DatabaseScope) -> Record {
        guard record.fields.contains(where: { $0.field.value.scalarType == .asset }) else { return record }
        var record = record
        func show(_ value: ScalarValue, _ name: String) -> ScalarValue {
            guard case .asset(let asset) = value else { return value }
            return .asset(
                service.answered(asset, of: name, in: record, scope, to: caller, addressing: { $0 }))
        }
        for entry in record.fields where entry.field.value.scalarType == .asset {
            var field = entry.field
            switch field.value {
            case .scalar(let value): field.value = .scalar(show(value, entry.name))
            case .list(let type, let elements):
                field.value = .list(of: type, elements: elements.map { show($0, entry.name) })
            }
            record.fields[entry.name] = field
        }
        return record
    }
}

/// The bytes of a file, piece by piece.
private struct FilePieces: AsyncSequence, Sendable {
    let file: LocalFile
    let size: Int64
    let count: Int
    let progress: @Sendable (Int64) -> Void
    /// Why there are no more.
    let failure = Lock<LocalFile.Failure?>(nil)

    struct Iterator: AsyncIteratorProtocol {
        let pieces: FilePieces
        var offset: Int64 = 0

        mutating func next() async throws -> [UInt8]? {
            guard offset < pieces.size else { return nil }
            do throws(LocalFile.Failure) {
                let bytes = try await pieces.file.read(
                    at: offset, count: Int(Swift.min(Int64(pieces.count), pieces.size - offset)))
                guard !bytes.isEmpty else { throw .modified(pieces.file.path) }
                offset += Int64(bytes.count)
                pieces.progress(offset)
                return bytes
            } catch {
                pieces.failure.withLock { $0 = error }
                throw error
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
}
