import Foundation
import StratusCloudModel

/// Requests of programs that keep many large assets, and fetch the bytes of each only when somebody needs them.
extension CKDatabase {
    private var clientLeavingAssets: DatabaseClient {
        var client = client
        client.leavesAssets = true
        return client
    }

    /// One page of what changed in a zone, as ``recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)`` fetches
    /// it, without the bytes of assets: their `fileURL` is nil.
    package func recordZoneChangesWithoutBytes(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> (
        modifications: [CKRecord], deletions: [CKRecord.ID], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let question = ZoneChangesQuestion(zoneID: zoneID, token: changeToken, desiredKeys: desiredKeys)
        let page = try onlyItem(try await clientLeavingAssets.zoneChanges([question]))
        return (
            try page.modifications.map { try $0.1.get() }, page.deletions.map(\.recordID), page.token, page.moreComing
        )
    }

    /// Brings the bytes of a record's asset into a file, which exists.
    /// - Parameters:
    ///   - checksum: Identifies one of several assets in the field; nil for the only one.
    ///   - offset: How many bytes of the asset the file has already; what is behind them is replaced.
    ///   - begin: Called with the asset that the server has now, before its bytes come. Throwing from it ends the download.
    ///   - progress: Called with the number of bytes that are in the file.
    /// - Throws: `CKError.unknownItem` if there is no such record or no asset in it.
    package func downloadAsset(
        _ key: CKRecord.FieldKey, of recordID: CKRecord.ID, checksum: String? = nil, to path: String,
        from offset: Int64 = 0, begin: @Sendable (AssetDescription) throws -> Void = { _ in },
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws {
        try await client.downloadAsset(
            key, of: recordID, checksum, to: path, from: offset, begin: begin, progress: progress)
    }

    /// How much room the current user's files have; nil if the cloud does not say.
    package func fileRoom() async throws -> FileRoom? {
        let client = client
        do throws(CloudTransportError) {
            return try await client.connection.transport.fileRoom()
        } catch {
            throw client.failure(error, isMutating: false)
        }
    }

    /// Listens for notifications of the database, for which it has a subscription.
    /// - Parameter receive: Called when notifications begin to come, and with each of them; after it was interrupted, too.
    /// - Returns: the wish to hear of them, which ends with the object.
    package func listen(_ receive: @escaping @Sendable (PushReport) -> Void) async throws -> PushWish {
        let client = client
        let wish = PushWish(subscription: client.connection.pushes.subscribe(receive))
        let known = try await client.allSubscriptions().contains {
            ($0 as? CKDatabaseSubscription).map { $0.recordType == nil } ?? false
        }
        if !known {
            let wanted = CKDatabaseSubscription(subscriptionID: "CKSyncEngine-\(client.scope.rawValue)")
            let info = CKSubscription.NotificationInfo()
            info.shouldSendContentAvailable = true
            wanted.notificationInfo = info
            _ = try onlyItem(try await client.modifySubscriptions(saving: [wanted], deleting: []).saves)
        }
        return wish
    }
}

/// Somebody's wish to hear of notifications, which ends with the object.
package final class PushWish: Sendable {
    private let subscription: PushSubscription

    init(subscription: PushSubscription) { self.subscription = subscription }

    deinit { subscription.end() }
}

/// The bytes of an asset, as the server describes them.
package struct AssetDescription: Hashable, Sendable {
    /// Identifies the bytes.
    package let checksum: String
    /// How many bytes there are.
    package let size: Int64
}

extension CKAsset {
    /// The checksum and size that the server reported; nil for an asset that was not saved or fetched.
    package var serverDescription: AssetDescription? {
        stored.map { AssetDescription(checksum: $0.asset.fileChecksum, size: $0.asset.size) }
    }
}

extension DatabaseClient {
    fileprivate func downloadAsset(
        _ key: CKRecord.FieldKey, of recordID: CKRecord.ID, _ checksum: String?, to path: String, from offset: Int64,
        begin: @Sendable (AssetDescription) throws -> Void, progress: @escaping @Sendable (Int64) -> Void
    ) async throws {
        let names = try await names()
        let request = LookupRecordsRequest(
            items: [LookupRecordsRequest.Item(recordName: recordID.recordName)],
            zoneID: names.zoneID(recordID.zoneID), desiredKeys: [key])
        let answers = try await send(.lookupRecords(request)) { answer throws(CloudTransportError) in
            try answer.records()
        }
        let record: Record
        switch answers.first {
        case .saved(let found)? where found.recordName == recordID.recordName: record = found
        case .failed(_, let error)?: throw NSError.cloudKit(error)
        case .deleted?: throw NSError.cloudKit(.unknownItem, "Record not found")
        case .saved?, nil: throw NSError.cloudKit(.internalError, "The answer is about another record.")
        }
        let listed = record.fields.list(key).compactMap { if case .asset(let asset) = $0 { asset } else { nil } }
        guard let asset = record.fields.asset(key) ?? listed.first(where: { $0.fileChecksum == checksum }) else {
            throw NSError.cloudKit(.unknownItem, "The record has no asset in the field '\(key)'.")
        }
        guard let address = asset.downloadURL else {
            throw NSError.cloudKit(.internalError, "The answer has an asset without an address.")
        }
        try begin(AssetDescription(checksum: asset.fileChecksum, size: asset.size))
        // A file that is whole waits for its check only.
        guard offset == 0 || offset != asset.size else { return }
        do throws(CloudTransportError) {
            let file = LocalFile(path: path)
            if offset > 0, offset < asset.size {
                try await connection.transport.continueDownload(
                    from: address, at: offset, size: asset.size, to: file, progress: progress)
            } else {
                try await connection.transport.download(from: address, size: asset.size, to: file, progress: progress)
            }
        } catch {
            throw failure(error, isMutating: false)
        }
    }
}
