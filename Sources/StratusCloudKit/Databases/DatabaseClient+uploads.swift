import StratusCloudModel

extension DatabaseClient {
    /// Sends the bytes of an asset, or the rest of them if an earlier upload broke off.
    /// - Parameter address: Where they go if they have to be sent from the beginning.
    func send(
        _ item: AssetUpload, to address: String, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Asset {
        guard let tracking = item.asset.tracking else { return try await send(item.file, to: address, progress) }
        let report: @Sendable (Int64) -> Void = { count in
            tracking.progress(count)
            progress(count)
        }
        var sent: Asset?
        if let earlier = tracking.address { sent = try await continueUpload(item.file, to: earlier, report) }
        if sent == nil { try await tracking.begin(address) }
        let asset: Asset
        if let sent { asset = sent } else { asset = try await send(item.file, to: address, report) }
        guard asset.fileChecksum == tracking.checksum else {
            throw NSError.cloudKit(.assetFileModified, "The bytes that arrived are not those of the file.")
        }
        return asset
    }

    private func send(
        _ file: LocalFile, to address: String, _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Asset {
        do throws(CloudTransportError) {
            return try await connection.transport.upload(file, to: address, progress: progress)
        } catch {
            throw failure(error, isMutating: false)
        }
    }

    /// - Returns: nil if the file has to be sent from the beginning.
    private func continueUpload(
        _ file: LocalFile, to address: String, _ progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Asset? {
        do throws(CloudTransportError) {
            return try await connection.transport.continueUpload(file, to: address, progress: progress)
        } catch {
            // The server has given the upload up, or the address is outdated.
            if case .refused(let refusal, _) = error,
                [.accessDenied, .notFound, .badRequest, .conflict, .quotaExceeded].contains(refusal.code)
            {
                return nil
            }
            throw failure(error, isMutating: false)
        }
    }
}
