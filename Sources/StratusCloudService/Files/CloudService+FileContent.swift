import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Where the content of a file goes.
    public enum FileDestination: Sendable {
        /// The file gets another content. With a change tag only if it is still in that state.
        case existing(FileItem, ifTagged: String?)
        /// A new file. It is refused if the name is taken when the content is saved.
        case new(name: String, folder: FileFolder)
        /// The file that has the name when the content is saved, which gets another version; otherwise a new file.
        /// `present` has the name when the upload begins.
        case named(String, folder: FileFolder, present: FileItem?)
    }

    /// An upload of a file's content that may begin.
    public struct FileUpload: Sendable {
        let destination: FileDestination
        let owner: FileOwner
        let recordName: String
        let ticket: AssetUploadTicket
        let part: AssetPart

    }

    /// Checks that the content of a file may be uploaded.
    /// - Parameter length: Bytes of the content; nil if unknown.
    /// - Throws: `badRequest` if it is too large, `quotaExceeded`.
    public func beginFileUpload(
        to destination: FileDestination, of owner: FileOwner = .caller, length: Int64?, as caller: Caller
    ) async throws(CloudError) -> FileUpload {
        let recordName: String
        switch destination {
        case .existing(let item, _), .named(_, _, let item?): recordName = item.id
        case .new(let name, _), .named(let name, _, nil):
            try FileName.check(name)
            recordName = environment.random.uuid()
        }
        let item = UploadAssetsRequest.Item(
            recordName: recordName, recordType: FileFormat.recordType, fieldName: FileFormat.content)
        let request = UploadAssetsRequest(items: [item], zoneID: owner.zoneID)
        let results = try await makeUploadPlaces(request, in: owner.scope, as: caller) { $0 }
        switch results.first {
        case .place(_, _, let text)?:
            let ticket = try uploadTicket(text, continuing: false)
            let part = AssetPart.whole(length: length)
            try checkSize(of: part, for: ticket)
            return FileUpload(
                destination: destination, owner: owner, recordName: recordName, ticket: ticket, part: part)
        case .failed(_, _, let error)?: throw error
        case nil: throw CloudError(.internalError, "internal error")
        }
    }

    /// Receives the content of a file, and saves the file when all of it is durable, in the transaction that finishes
    /// the upload. A file that fails to be saved stays as it was.
    /// - Throws: The errors of `receiveAsset` and of saving the record, `conflict` for a change tag among them.
    public func receiveFile<Body: AsyncSequence & Sendable>(
        _ upload: FileUpload, modified: Int64? = nil, body: Body, as caller: Caller
    ) async throws(CloudError) -> FileItem where Body.Element == [UInt8] {
        do throws(CloudError) {
            return try await receive(upload.ticket, upload.part, sha256: nil, body: body) {
                received throws(CloudError) in
                let item = try await self.save(received, of: upload, modified: modified, as: caller)
                await self.finished(received)
                return item
            } orElse: { _ throws(CloudError) in
                throw CloudError(.internalError, "internal error")
            }
        } catch {
            await abandon(upload.ticket)
            throw error
        }
    }

    /// Returns the bytes of a file's content.
    /// - Throws: `notFound` if it has none, or if a file of others has another by now, or is not shared any more.
    public func downloadFile(
        _ item: FileItem, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> AssetDownload {
        let address = try DatabaseAddress(owner.scope, owner.zoneID, caller)
        if owner != .caller {
            guard try await file(named: item.id, of: owner, as: caller).content == item.content else {
                throw Self.noAsset
            }
        }
        guard let asset = item.content.flatMap({ AssetID(fileChecksum: $0.fileChecksum) }) else { throw Self.noAsset }
        return try await download(asset, from: address.partition)
    }

    /// Returns the room for files in an account's database.
    public func fileRoom(as caller: Caller) async throws(CloudError) -> FileRoom {
        let usage = try await usage(of: .private, as: caller)
        let quota = configuration.quotas.quota(of: .private, caller)
        return FileRoom(
            used: usage.assetBytes, available: quota.assets.map { max(0, $0 - usage.assetBytes) })
    }
}
