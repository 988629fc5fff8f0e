import StratusCloudModel
import StratusCloudStore

extension CloudService {
    private static let publicationsZoneID = ZoneID(zoneName: PublicationFormat.zoneName)

    /// Publishes a file as it is now: everybody who has the link can fetch this content until the publication ends.
    /// - Parameters:
    ///   - recordName: The record of the file, which is the caller's own.
    ///   - lifetime: Seconds until it ends; nil means ``FileLimits/publicationLifetime``.
    /// - Returns: The publication, with the token of its link, which nothing else ever shows.
    /// - Throws: `notFound`; `badRequest` for what is no file, is in Recently Deleted, or for a lifetime or number out of
    ///   bounds; `quotaExceeded`.
    public func publishFile(
        named recordName: String, lifetime: Int64? = nil, as caller: Caller
    ) async throws(CloudError) -> PublishedFile {
        let owner = try Authorization.person(caller)
        let lifetime = try Self.milliseconds(ofLifetime: lifetime)
        let item = try await file(named: recordName, as: caller)
        guard item.kind == .file else { throw CloudError(.badRequest, "only files can be published") }
        guard item.deleted == nil else { throw CloudError(.badRequest, "the file is in Recently Deleted") }
        try await makeReservedZone(of: try DatabaseAddress(.private, Self.publicationsZoneID, caller))
        let content = try await snapshot(of: item, as: caller)
        let id = environment.random.uuid()
        let token = PublicationToken(id, of: owner, in: caller.context, environment.random)
        func field(_ name: String, _ value: ScalarValue) -> (name: String, field: FieldInput) {
            (name, FieldInput(Field(.scalar(value))))
        }
        var fields = [
            field(PublicationFormat.name, .string(item.name)), field(PublicationFormat.file, .string(item.id)),
            field(PublicationFormat.secretHash, .bytes(token.secretHash)),
            field(
                PublicationFormat.expires, .timestamp(Timestamp(milliseconds: environment.now() + lifetime))),
        ]
        if let content { fields.append(field(PublicationFormat.content, .asset(content))) }
        let operation = RecordOperation(
            .create, RecordInput(recordName: id, recordType: PublicationFormat.recordType, fields: fields))
        let request = ModifyRecordsRequest(operations: [operation], zoneID: Self.publicationsZoneID)
        guard case .saved(let record)? = try await successes(of: request, as: caller).first,
            var published = PublishedFile(record)
        else { throw CloudError(.internalError, "internal error") }
        published.token = token.text(seals, environment.random)
        return published
    }

    private static func milliseconds(ofLifetime seconds: Int64?) throws(CloudError) -> Int64 {
        guard let seconds else { return FileLimits.publicationLifetime }
        let (shortest, longest) = (FileLimits.shortestPublication / 1_000, FileLimits.longestPublication / 1_000)
        guard (shortest...longest).contains(seconds) else {
            throw CloudError(.badRequest, "a file is published for \(shortest) to \(longest) seconds, not \(seconds)")
        }
        return seconds * 1_000
    }

    /// The content of a file with a receipt for its publication; nil if it has none.
    private func snapshot(of item: FileItem, as caller: Caller) async throws(CloudError) -> Asset? {
        guard item.content != nil else { return nil }
        let request = RereferenceAssetsRequest(
            items: [.init(recordName: item.id, fieldName: FileFormat.content)], zoneID: Self.filesZoneID,
            targetZoneID: Self.publicationsZoneID)
        switch try await rereferenceAssets(request, in: .private, as: caller).first {
        case .asset(let asset)?: return asset
        case .failed(_, let error)?: throw error
        case nil: throw CloudError(.internalError, "internal error")
        }
    }

    private func successes(
        of request: ModifyRecordsRequest, as caller: Caller
    ) async throws(CloudError) -> [RecordResult] {
        let results = try await modifyRecords(request, in: .private, as: caller)
        for case .failed(_, let error) in results { throw error }
        return results
    }

    /// Lists what the caller has published, the latest first, without what has ended.
    public func publishedFiles(as caller: Caller) async throws(CloudError) -> [PublishedFile] {
        let address = try DatabaseAddress(.private, Self.publicationsZoneID, caller)
        let now = environment.now()
        return try await reading(address.partition) { transaction in
            guard let header = try ZoneHeader.find(PublicationFormat.zoneName, in: transaction) else { return [] }
            let range = KeyRange(prefix: Keyspace.prefix(.version, zone: header.number).key)
            return try transaction.entries(in: range, limit: FileLimits.publicationsPerAccount, reverse: true)
                .compactMap { entry in
                    // Nobody asks for the version.
                    PublishedFile(try StoredRecord(stored: entry.value, version: 0).record(in: address.zoneID))
                }.filter { $0.expires > now }
        }
    }

    /// Ends a publication. Its link stops working at once.
    /// - Throws: `notFound` if the publication does not exist or has ended.
    public func unpublishFile(id: String, as caller: Caller) async throws(CloudError) {
        try Names.checkRecordName(id)
        guard try await publishedFiles(as: caller).contains(where: { $0.id == id }) else {
            throw CloudError(.notFound, "there is no such publication")
        }
        let operation = RecordOperation(
            .forceDelete, RecordInput(recordName: id, recordType: PublicationFormat.recordType))
        _ = try await successes(
            of: ModifyRecordsRequest(operations: [operation], zoneID: Self.publicationsZoneID), as: caller)
    }

    /// Returns what a link leads to, for anybody who has it.
    /// - Returns: The publication with its bytes, nil for an empty file; nil if the link leads nowhere, or no longer.
    public func openPublication(
        _ token: String
    ) async throws(CloudError) -> (file: PublishedFile, download: AssetDownload?)? {
        guard let token = PublicationToken(token, seals) else { return nil }
        let partition = Partition.privateDatabase(of: token.owner, in: token.context)
        let now = environment.now()
        let record = try await reading(partition) { transaction -> Record? in
            guard let header = try ZoneHeader.find(PublicationFormat.zoneName, in: transaction),
                let stored = try transaction.record(named: token.id, in: header.number),
                case .scalar(.bytes(let hash))? = stored.fields[PublicationFormat.secretHash]?.value,
                token.opens(hash)
            else { return nil }
            return stored.record(in: Self.publicationsZoneID)
        }
        guard let record, let file = PublishedFile(record), file.expires > now else { return nil }
        guard let content = record.fields.asset(PublicationFormat.content) else { return (file, nil) }
        guard let asset = AssetID(fileChecksum: content.fileChecksum) else { throw Self.noAsset }
        return (file, try await download(asset, from: partition))
    }
}

extension PublishedFile {
    /// Nil for a record that is no publication.
    init?(_ record: Record) {
        guard record.recordType == PublicationFormat.recordType,
            let file = record.fields.string(PublicationFormat.file),
            let name = record.fields.string(PublicationFormat.name),
            let expires = record.fields.time(PublicationFormat.expires)
        else { return nil }
        self.init(
            id: record.recordName, file: file, name: name,
            size: record.fields.asset(PublicationFormat.content)?.size ?? 0, created: record.created.timestamp,
            expires: expires)
    }
}
