import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `assets/rereference`: a receipt for each asset, in order, that saves the same bytes in another record of the
    /// database. Each counts as an upload until it is saved.
    /// - Throws: what concerns the whole request, as ``makeUploadPlaces(_:in:as:addressing:)``.
    public func rereferenceAssets(
        _ request: RereferenceAssetsRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [RereferenceAssetsResult] {
        try checkAssetCount(request.items.count, "assets")
        let source = try DatabaseAddress(scope, request.zoneID, caller)
        let target = try DatabaseAddress(scope, request.targetZoneID ?? request.zoneID, caller)
        guard source.partition == target.partition else {
            throw CloudError(.badRequest, "an asset can only be reused in its own database")
        }
        let zone = try await reading(target.partition) { transaction -> ZoneNumber? in
            let view = try target.view(in: transaction)
            if let access = view?.access, !access.mayWrite { throw BatchShares.denied("CREATE") }
            return view?.number
        }
        guard let zone else { throw Self.zoneNotFound(target.zoneID) }
        // Several fields of one record may be meant.
        let fields = Dictionary(grouping: request.items, by: \.recordName).mapValues { $0.map(\.fieldName) }
        let lookup = LookupRecordsRequest(
            items: fields.map { LookupRecordsRequest.Item(recordName: $0.key, desiredKeys: $0.value) },
            zoneID: request.zoneID)
        let found = try await lookupRecords(lookup, in: scope, as: caller)
        let records = Dictionary(zip(lookup.items.map(\.recordName), found)) { first, _ in first }
        var results: [RereferenceAssetsResult] = []
        for item in request.items {
            do throws(CloudError) {
                guard let record = records[item.recordName] else { throw Self.noAsset }
                let asset = try Self.asset(of: item.fieldName, in: record)
                results.append(.asset(try await rereference(asset, target, zone, caller)))
            } catch {
                results.append(.failed(item, error))
            }
        }
        return results
    }

    private static func asset(of fieldName: String, in result: RecordResult) throws(CloudError) -> Asset {
        switch result {
        case .failed(_, let error): throw error
        case .deleted: throw noAsset
        case .saved(let record):
            switch record.fields[fieldName]?.value {
            case .scalar(.asset(let asset))?: return asset
            case .list(of: .asset, _)?:
                throw CloudError(.badRequest, "field '\(fieldName)' is a list, whose assets cannot be reused")
            case .some: throw CloudError(.badRequest, "field '\(fieldName)' is not an asset")
            case nil: throw CloudError(.notFound, "the record has no asset in field '\(fieldName)'")
            }
        }
    }

    private func rereference(
        _ asset: Asset, _ target: DatabaseAddress, _ zone: ZoneNumber, _ caller: Caller
    ) async throws(CloudError) -> Asset {
        guard let id = AssetID(fileChecksum: asset.fileChecksum) else { throw Self.noAsset }
        let ticket = AssetUploadTicket(
            partition: target.partition, account: caller.authorRecordName, upload: AssetUploadID(environment.random),
            binding: AssetBinding(.zone, zone: zone, recordName: "", recordType: "", fieldName: ""), expires: 0)
        let now = environment.now()
        var upload = StoredUpload(file: nil, expires: now + assetLimits.uploadLifetime, announced: 0)
        upload.asset = id
        let journal = UploadJournal(ticket: ticket, now: now, limits: assetLimits)
        try await writing(target.partition) { [upload] transaction in
            try journal.checkPending(adding: 0, in: transaction)
            let ledger = BlobLedger(transaction: transaction, now: now)
            guard try ledger.blob(id) != nil else { throw Self.noAsset }
            try ledger.retain(id)
            try journal.store(upload, replacing: nil, in: transaction)
        }
        return receipted(id, size: asset.size, ticket, ownerOf: target.ownerRecordName)
    }
}
