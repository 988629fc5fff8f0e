import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// Bytes to be sent to whoever came with the address.
public struct AssetDownload: Sendable {
    /// The bytes.
    public let content: AssetContent
    /// What they are, in the form of ``Asset/fileChecksum``.
    public let fileChecksum: String
    /// The SHA-256 of the bytes.
    public let sha256: [UInt8]
    /// Whether the file was found undamaged a short while ago and is unchanged, so that all of it may be sent
    /// unchecked.
    public let isProven: Bool
    let file: AssetFileID
    /// The database, for the operator.
    let database: String
}

extension CloudService {
    /// The bytes behind an address that an answer contained.
    ///
    /// Whoever has the address gets what the one it was made for could read now: if the record is gone, if its field
    /// has other bytes by now, or if they may not read it any more, the address is void.
    /// - Throws: `accessDenied` for an address that this cloud did not make or that has expired, `notFound` if the
    ///   record has these bytes no more.
    public func downloadAsset(_ ticketText: String) async throws(CloudError) -> AssetDownload {
        guard let ticket = AssetDownloadTicket(ticketText, seals) else {
            throw CloudError(.accessDenied, "the download address was not issued by this server")
        }
        guard ticket.expires > environment.now() else {
            throw CloudError(.accessDenied, "the download address has expired; fetch the record again")
        }
        let lookup = LookupRecordsRequest(
            items: [LookupRecordsRequest.Item(recordName: ticket.recordName, desiredKeys: [ticket.fieldName])],
            zoneID: ticket.zoneID)
        guard let result = try await lookupRecords(lookup, in: ticket.scope, as: ticket.caller).first else {
            throw Self.noAsset
        }
        switch result {
        // Whoever has an address from somebody else learns no name from it.
        case .failed(_, let error): throw error.code == .zoneNotFound ? Self.noAsset : error
        case .deleted: throw Self.noAsset
        case .saved(let record):
            let assets = record.fields[ticket.fieldName]?.value.assets ?? []
            guard assets.contains(where: { $0.fileChecksum == ticket.fileChecksum }),
                let asset = AssetID(fileChecksum: ticket.fileChecksum)
            else { throw Self.noAsset }
            let address = try DatabaseAddress(ticket.scope, ticket.zoneID, ticket.caller)
            return try await download(asset, from: address.partition)
        }
    }

    static let noAsset = CloudError(.notFound, "the record no longer has this asset")

    /// The bytes that a database has under a name.
    func download(_ asset: AssetID, from partition: Partition) async throws(CloudError) -> AssetDownload {
        let blob = try await reading(partition) { transaction -> StoredBlob? in
            try transaction.value(at: Keyspace.assetBlob(asset))
        }
        guard let blob else { throw Self.noAsset }
        let content = try await mapping { try await self.assets.content(of: blob.file, of: AssetOwner(partition)) }
        let isProven = provenAssets.contains(blob.file, content.stamp, now: environment.now())
        let download = AssetDownload(
            content: content, fileChecksum: asset.fileChecksum, sha256: blob.sha256, isProven: isProven,
            file: blob.file, database: partition.name)
        guard content.size == blob.size else {
            throw damage(
                download, AssetStoreError(.damaged, "\(content.size) bytes are on disk, not \(blob.size)"))
        }
        return download
    }

    /// Calls `body` with all bytes of an asset in order. Reading blocks the thread that the task runs on.
    ///
    /// The last piece comes only if all bytes are those that were stored: a receiver that has not got it knows that
    /// the asset is not whole.
    /// - Throws: `internalError` if the bytes are damaged, what `body` throws.
    public func forEachPiece(of download: AssetDownload, _ body: ([UInt8]) async throws -> Void) async throws {
        var proof = AssetProof(download.content, sha256: download.sha256)
        while let piece = try next(of: &proof, download) { try await body(piece) }
    }

    /// All bytes of an asset. Blocks.
    /// - Throws: `internalError` if they are damaged.
    public func bytes(of download: AssetDownload) throws(CloudError) -> [UInt8] {
        var proof = AssetProof(download.content, sha256: download.sha256)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(download.content.size))
        while let piece = try next(of: &proof, download) { bytes += piece }
        return bytes
    }

    /// Some bytes of an asset as they are on the disk. Blocks.
    /// - Throws: `internalError` if they are not there.
    public func bytes(_ range: Range<Int64>, of download: AssetDownload) throws(CloudError) -> [UInt8] {
        do throws(AssetStoreError) {
            let bytes = try download.content.read(at: range.lowerBound, count: range.count)
            guard bytes.count == range.count else { throw AssetStoreError(.damaged, "the file was shortened") }
            return bytes
        } catch {
            throw damage(download, error)
        }
    }

    private func next(of proof: inout AssetProof, _ download: AssetDownload) throws(CloudError) -> [UInt8]? {
        do throws(AssetStoreError) {
            if let piece = try proof.next() { return piece }
            provenAssets.add(download.file, download.content.stamp, now: environment.now())
            return nil
        } catch {
            throw damage(download, error)
        }
    }

    /// Counts and reports what is wrong with the bytes of an asset, for the operator.
    private func damage(_ download: AssetDownload, _ error: AssetStoreError) -> CloudError {
        if error.code == .damaged { damagedReads.increment() }
        let place = "asset \(download.fileChecksum) of database \(download.database), file \(download.file)"
        return cloudError(from: AssetStoreError(error.code, "\(place): \(error.message)"))
    }
}
