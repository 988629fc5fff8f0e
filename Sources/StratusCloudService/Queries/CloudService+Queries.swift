import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `records/query`: a page of the records that a query finds.
    ///
    /// The page holds at most as many records as asked, ``ModelLimits/recordsPerResponse`` without a word or beyond.
    /// - Throws: `notFound` for a record type that does not exist, `zoneNotFound`, `accessDenied` without the right to
    ///   read the type, and `badRequest` for what cannot be asked or a marker that belongs to another query.
    public func queryRecords(
        _ request: QueryRecordsRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> QueryRecordsPage {
        try await upToDateAnswer(request, scope, caller).page
    }

    /// Answers a query and tells how: the plan, and the keys and records read.
    public func explainQuery(
        _ request: QueryRecordsRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> (page: QueryRecordsPage, explanation: QueryExplanation) {
        try await upToDateAnswer(request, scope, caller)
    }

    /// An answer by the schema of the moment at which the records were read: by another one, indexes may be used that
    /// are being cleared.
    private func upToDateAnswer(
        _ request: QueryRecordsRequest, _ scope: DatabaseScope, _ caller: Caller
    ) async throws(CloudError) -> (page: QueryRecordsPage, explanation: QueryExplanation) {
        for _ in 0..<ServiceLimits.schemaAttempts {
            if let answer = try await answer(request, scope, caller) { return answer }
        }
        throw CloudError(.tryAgainLater, "the schema is changing too quickly; try again", retryAfter: 1)
    }

    /// nil if the schema changed meanwhile.
    private func answer(
        _ request: QueryRecordsRequest, _ scope: DatabaseScope, _ caller: Caller
    ) async throws(CloudError) -> (page: QueryRecordsPage, explanation: QueryExplanation)? {
        let address = try DatabaseAddress(scope, request.zoneID, caller)
        let limit = try PageLimit.resolve(request.resultsLimit)
        let schema = try await schema(of: caller.context)
        guard let type = schema.recordTypes[request.query.recordType] else {
            throw CloudError(.notFound, "Did not find record type: \(request.query.recordType)")
        }
        let creator = try requiredCreator(type.name, of: schema, scope, caller)
        let query = try QueryResolution.resolve(request.query, in: type)
        let binding = QueryFingerprint.bytes(request, query, address, caller)
        let position = try request.continuationMarker.map { marker throws(CloudError) in
            try self.position(in: marker, boundTo: binding)
        }
        let isZoneWide = request.zoneWide && request.zoneID == nil
        let viewer = caller.authorRecordName
        let answer = try await reading(address.partition) { [schemas] transaction -> (QueryOutcome, [Record])? in
            guard schemas.isCurrent(schema, of: caller.context) else { return nil }
            let (zones, view) = try Self.zones(address, all: isZoneWide, in: transaction)
            let input = QueryInput(query: query, zones: zones, limit: limit, resume: position, view: view)
            let outcome = try QueryExecutor.run(input, in: transaction)
            let records = try outcome.records.compactMap { found -> Record? in
                let stored = found.record.stored
                if let creator, stored.created.userRecordName != creator { return nil }
                let record = stored.record(in: found.zone.id)
                guard let view else { return record.keepingFields(request.desiredKeys) }
                let showing = RecordShowing(
                    zoneID: found.zone.id, view: view, viewer: viewer, transaction: transaction)
                return try showing.shown(record).keepingFields(request.desiredKeys)
            }
            return (outcome, records)
        }
        guard let (outcome, records) = answer else { return nil }
        let marker = outcome.position.map { position in
            Base64.string(seals.seal(position.bytes, for: .continuationMarker, boundTo: binding))
        }
        return (QueryRecordsPage(records: records, continuationMarker: marker), outcome.explanation)
    }

    /// Whose records alone the caller may see; nil if all.
    private func requiredCreator(
        _ recordType: String, of schema: Schema, _ scope: DatabaseScope, _ caller: Caller
    ) throws(CloudError) -> String? {
        func permits(creator: String?) -> Bool {
            Authorization.permits(.read, in: scope, recordType, of: schema, creator: creator, caller)
        }
        if permits(creator: nil) { return nil }
        guard let name = caller.userRecordName, permits(creator: name) else {
            throw CloudError(.accessDenied, "READ operation not permitted")
        }
        return name
    }

    private func position(in marker: String, boundTo binding: [UInt8]) throws(CloudError) -> QueryPosition {
        guard let sealed = Base64.decode(marker),
            let payload = seals.open(sealed, for: .continuationMarker, boundTo: binding),
            let position = try? QueryPosition(payload)
        else {
            throw CloudError(.badRequest, "continuationMarker does not belong to this query")
        }
        return position
    }

    /// Where to look, and through whose eyes; nil for those who see all.
    private static func zones(
        _ address: DatabaseAddress, all: Bool, in transaction: any ReadTransaction
    ) throws -> (zones: [QueryZone], view: ZoneView?) {
        guard all else {
            guard address.participant == nil else {
                guard let view = try address.view(in: transaction) else {
                    throw try address.zoneNotFound(in: transaction)
                }
                return ([QueryZone(number: view.number, id: address.zoneID)], view)
            }
            guard let number = try zoneNumber(address.zoneID, in: transaction) else {
                throw try zoneNotFound(address.zoneID, in: transaction)
            }
            return ([QueryZone(number: number, id: address.zoneID)], nil)
        }
        let zones = try allZones(in: transaction).map { zone in
            QueryZone(
                number: zone.header.number,
                id: ZoneID(zoneName: zone.name, ownerRecordName: address.ownerRecordName))
        }
        return (zones, nil)
    }
}
