import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What the calls on assets have in common.
extension CloudService {
    func assetSetting(_ address: DatabaseAddress, _ caller: Caller) -> AssetSetting {
        AssetSetting(partition: address.partition, account: caller.authorRecordName, seals: seals)
    }

    /// A name for files that no other file has.
    func newAssetFile() throws(CloudError) -> AssetFileID {
        guard let file = AssetFileID(environment.random.bytes(AssetFileID.length)) else {
            throw CloudError(.internalError, "internal error")
        }
        return file
    }

    /// Failures of the files and of the engine, as callers may know them.
    func mapping<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws(CloudError) -> Result {
        do {
            return try await body()
        } catch {
            throw cloudError(from: error)
        }
    }

    /// An asset as answers show it: with its address, and in private databases with the two marks that clients there
    /// want to see. They say nothing, and are not asked for.
    public func answered(
        _ asset: Asset, of fieldName: String, in recordName: String, _ zoneID: ZoneID, _ scope: DatabaseScope,
        to caller: Caller, addressing: (String) -> String?
    ) -> Asset {
        var asset = asset
        let ticket = AssetDownloadTicket(
            caller: caller, scope: scope, zoneID: zoneID, recordName: recordName, fieldName: fieldName,
            fileChecksum: asset.fileChecksum, expires: environment.now() + assetLimits.downloadAddressLifetime)
        asset.downloadURL = addressing(ticket.text(seals))
        if scope != .public { addMarks(to: &asset, ownerOf: zoneID.ownerRecordName ?? "") }
        return asset
    }

    /// As ``answered(_:of:in:_:_:to:addressing:)``, of a record that is there as a value.
    public func answered(
        _ asset: Asset, of fieldName: String, in record: Record, _ scope: DatabaseScope, to caller: Caller,
        addressing: (String) -> String?
    ) -> Asset {
        answered(asset, of: fieldName, in: record.recordName, record.zoneID, scope, to: caller, addressing: addressing)
    }

    func addMarks(to asset: inout Asset, ownerOf owner: String) {
        let code = seals.seal(Array(asset.fileChecksum.utf8), for: .assetMark, boundTo: Array(owner.utf8))
        let digest = SHA256.hash(code)
        asset.referenceChecksum = AssetChecksum.string(sha256: digest)
        asset.wrappingKey = Base64.string(Array(code.prefix(Seals.length)))
    }
}

extension AssetOwner {
    /// The owner that a database's files belong to.
    init(_ partition: Partition) {
        guard let owner = AssetOwner(Array(SHA256.hash(partition.name).prefix(Self.length))) else {
            preconditionFailure("a digest has more bytes than an owner")
        }
        self = owner
    }
}

extension CloudError {
    init(_ failure: AssetStoreError) {
        switch failure.code {
        case .diskFull:
            self.init(.tryAgainLater, "the server's disk is full; the asset was not stored", retryAfter: 60)
        case .missing:
            self.init(.internalError, "the asset's bytes are missing; the server's log has the details")
        case .damaged:
            self.init(.internalError, "the asset's bytes are damaged; the server's log has the details")
        case .ioFailure:
            self.init(.tryAgainLater, "the server cannot store assets at the moment", retryAfter: 10)
        }
    }
}
