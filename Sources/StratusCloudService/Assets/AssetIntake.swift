import StratusCloudModel
import StratusCloudStore

/// Takes the assets of a modify request into records: checks their receipts, and uses the uploads up.
struct AssetIntake {
    private let zone: ZoneNumber
    private let setting: AssetSetting
    private let ledger: BlobLedger
    private let uploads: [AssetUploadID: StoredUpload]

    /// Reads the uploads of all receipts at once.
    init(
        _ operations: [PreparedOperation], in zone: ZoneNumber, _ setting: AssetSetting, now: Int64,
        _ transaction: any WriteTransaction
    ) throws {
        self.zone = zone
        self.setting = setting
        ledger = BlobLedger(transaction: transaction, now: now)
        var named: Set<AssetUploadID> = []
        for operation in operations where !operation.kind.isDeletion {
            for claim in operation.claims { if let upload = claim.receipt?.upload { named.insert(upload) } }
        }
        guard !named.isEmpty else {
            uploads = [:]
            return
        }
        let ids = Array(named)
        let stored = try transaction.get(ids.map { Keyspace.assetUpload(account: setting.account, $0) })
        var uploads: [AssetUploadID: StoredUpload] = [:]
        for (id, bytes) in zip(ids, stored) { uploads[id] = try bytes.map { try StoredUpload(stored: $0) } }
        self.uploads = uploads
    }

    // MARK: - Deciding

    /// The field as it is stored: without receipts, each asset proven by one or known.
    /// - Parameter known: The assets that need no receipt: those that are already in the field.
    func admit(
        _ field: Field?, named fieldName: String, of recordName: String, _ recordType: String, known: [Asset]
    ) throws(CloudError) -> Field? {
        guard var field, field.value.scalarType == .asset else { return field }
        let subject = "field '\(fieldName)' in record '\(recordType)'"
        func admitted(_ asset: Asset) throws(CloudError) -> ScalarValue {
            if let receipt = asset.receipt.flatMap({ AssetReceipt($0) }) {
                let binding = AssetBinding(
                    receipt.form, zone: zone, recordName: recordName, recordType: recordType, fieldName: fieldName)
                if try isProven(asset, by: receipt, binding, subject) { return .asset(asset.bare) }
            }
            guard known.contains(asset.bare) else {
                throw CloudError(.badRequest, "asset has no valid receipt: \(subject)")
            }
            return .asset(asset.bare)
        }
        switch field.value {
        case .scalar(.asset(let asset)): field.value = .scalar(try admitted(asset))
        case .scalar: break
        case .list(let type, let elements):
            var kept: [ScalarValue] = []
            kept.reserveCapacity(elements.count)
            for case .asset(let asset) in elements { kept.append(try admitted(asset)) }
            field.value = .list(of: type, elements: kept)
        }
        return field
    }

    /// - Returns: false for a receipt that was used up, which is no harm if it put the asset where it is.
    private func isProven(
        _ asset: Asset, by receipt: AssetReceipt, _ binding: AssetBinding, _ subject: String
    ) throws(CloudError) -> Bool {
        guard receipt.isGenuine(in: setting.partition, account: setting.account, binding, setting.seals) else {
            return false
        }
        guard asset.fileChecksum == receipt.asset.fileChecksum, asset.size == receipt.size else {
            throw CloudError(.badRequest, "fileChecksum or size is not what was uploaded: \(subject)")
        }
        guard let upload = uploads[receipt.upload], upload.asset == receipt.asset else { return false }
        guard upload.expires > ledger.now else {
            throw CloudError(.badRequest, "the receipt has expired; upload the asset again: \(subject)")
        }
        return true
    }

    // MARK: - Writing

    /// Uses up the uploads whose receipts a record was saved with.
    func useUp(_ operation: PreparedOperation, savedAs fields: FieldMap) throws {
        for claim in operation.claims {
            guard let receipt = claim.receipt, let upload = uploads[receipt.upload], upload.asset == receipt.asset,
                fields[claim.fieldName]?.value.assets.contains(claim.asset.bare) ?? false
            else { continue }
            try useUp(receipt.upload, upload)
        }
    }

    private func useUp(_ id: AssetUploadID, _ upload: StoredUpload) throws {
        let key = Keyspace.assetUpload(account: setting.account, id)
        // A receipt may stand in a list or a batch twice.
        guard let asset = upload.asset, try ledger.transaction.get(key) != nil else { return }
        try AccountUploads(account: setting.account, transaction: ledger.transaction).remove(id, upload)
        try ledger.release(asset)
    }
}

/// Where a request's assets belong, and by what rules.
struct AssetSetting: Sendable {
    let partition: Partition
    /// The author of what the request saves.
    let account: String
    let seals: Seals
}

/// An asset that an operation brings for a field.
struct AssetClaim: Sendable {
    let fieldName: String
    let asset: Asset
    let receipt: AssetReceipt?
}

extension RecordInput {
    /// The assets that it brings.
    var claims: [AssetClaim] {
        var claims: [AssetClaim] = []
        func add(_ value: InputValue, _ name: String) {
            guard case .scalar(.asset(let asset)) = value else { return }
            let receipt = asset.receipt.flatMap { AssetReceipt($0) }
            claims.append(AssetClaim(fieldName: name, asset: asset, receipt: receipt))
        }
        for (name, field) in fields {
            switch field.value {
            case .list(let elements): for element in elements { add(element, name) }
            default: add(field.value, name)
            }
        }
        return claims
    }
}

extension InputValue {
    /// Whether there is an asset in it.
    var bringsAssets: Bool {
        switch self {
        case .scalar(.asset): true
        case .list(let elements): elements.contains { if case .scalar(.asset) = $0 { true } else { false } }
        default: false
        }
    }
}

extension Asset {
    /// What is stored of it.
    var bare: Asset { Asset(fileChecksum: fileChecksum, size: size) }
}
