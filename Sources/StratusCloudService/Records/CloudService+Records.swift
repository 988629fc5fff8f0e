import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `records/modify`: one result for each operation, in order.
    ///
    /// In a custom zone all operations succeed or none does, unless the request says otherwise; in the default zone
    /// each stands alone.
    /// - Throws: what concerns the whole request: `badRequest` for too many operations, two for one record, or an
    ///   atomic batch in the default zone; `authenticationRequired` if the caller has not signed in and an operation
    ///   needs it; the errors of ``DatabaseAddress``.
    public func modifyRecords(
        _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [RecordResult] {
        try await modifyRecords(request, in: scope, as: caller, finishing: nil)
    }

    /// - Parameter upload: An upload that the same transaction finishes first, so that the records can be saved with it.
    func modifyRecords(
        _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller, finishing upload: ReceivedUpload?
    ) async throws(CloudError) -> [RecordResult] {
        let address = try DatabaseAddress(scope, request.zoneID, caller)
        let zoneID = address.zoneID
        if zoneID.isDefault, request.atomic == true {
            throw CloudError(.badRequest, "atomic operations not supported in default zone")
        }
        try request.checkID()
        try TokenClient.check(request.clientChangeToken)
        let operations = try request.prepared(
            limit: operationLimit(for: caller), makingNames: environment.random.uuid,
            makingShortGUIDs: environment.random.shortGUID)
        guard !operations.isEmpty else { return [] }
        guard request.encryptedFor.count <= operations.count else {
            throw CloudError(.badRequest, "'encryptedFor' has more entries than there are operations")
        }
        let shareSetting = try await shareSetting(operations, address, caller)
        let history = try await restoredHistory(of: operations, in: scope, as: caller)
        // What is due there is looked for with the assets that are.
        if ReservedZones.kind(of: zoneID.zoneName)?.hasAssets == true { try await register(address.partition) }
        var cascade: DeferredCascade?
        for _ in 0..<ServiceLimits.schemaAttempts {
            let drafting = RecordDrafting(
                zoneID: zoneID, scope: scope, caller: caller, schema: try await schema(of: caller.context),
                now: environment.now(), history: history)
            let modification = RecordModification(
                operations: operations, drafting: drafting, isAtomic: request.atomic ?? !zoneID.isDefault,
                participant: address.participant, shareSetting: shareSetting, claims: request.encryptedFor,
                clientChangeToken: request.clientChangeToken, schemas: schemas, run: run,
                quota: configuration.quotas.quota(of: scope, caller), drafts: drafting.draftsOfNewRecords(operations),
                cascadeWork: environment.cascadeWork, defersCascade: cascade != nil,
                assets: assetSetting(address, caller), makeID: environment.random.uuid)
            do {
                let outcome = try await write(modification, request.requestID, finishing: upload, to: address.partition)
                await deliver(outcome, of: address.partition, in: caller.context)
                countQuotaRefusals(in: outcome.results, scope)
                if let cascade { await finishAcknowledged(cascade) }
                return outcome.results
            } catch is CascadeIsLarge {
                cascade = try await note(
                    DeferredCascade(
                        context: caller.context, partition: address.partition, zoneName: zoneID.zoneName))
            } catch let refused as RecordModification.Refused {
                countQuotaRefusals(in: refused.results, scope)
                if let cascade { await finishAcknowledged(cascade) }
                return refused.results
            } catch is SchemaCatalog.Outdated {
                continue
            } catch let addition as SchemaExtension {
                try await extendSchema(of: caller.context, with: addition)
            } catch {
                throw cloudError(from: error)
            }
        }
        throw CloudError(.tryAgainLater, "the schema is changing too quickly; try again", retryAfter: 1)
    }

    /// Writes a batch, without the operations that would put a record into two shares.
    private func write(
        _ modification: consuming RecordModification, _ requestID: String?, finishing upload: ReceivedUpload?,
        to partition: Partition
    ) async throws -> RecordModification.Outcome {
        var batch = Batch(modification)
        while true {
            do {
                return try await store.write(partition) { [batch] in
                    try upload?.finish(in: $0)
                    return try batch.modification.run(named: requestID, in: $0)
                }
            } catch let refusals as ShareRefusals {
                var rest = batch.modification
                try rest.refuse(refusals)
                batch = Batch(rest)
            }
        }
    }

    /// Takes a modification to its transaction and back without counting a reference for each of its parts.
    private final class Batch: Sendable {
        let modification: RecordModification

        init(_ modification: consuming RecordModification) { self.modification = modification }
    }

    /// Tells of a durable commit, and does first what it left to be done in the directory, so that all of it is to be seen when the
    /// answer comes.
    func deliver(_ outcome: RecordModification.Outcome, of partition: Partition, in context: CloudContext) async {
        deliver(outcome.notifications, in: context)
        if outcome.changesDirectory { await tryDirectoryErrands(in: partition) }
        deliver(outcome.news, in: context)
    }

    /// `records/lookup`: one result for each name, in order.
    ///
    /// A name that is given again is answered once, where it stands first: the same record many times would make a
    /// small request's answer large.
    public func lookupRecords(
        _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [RecordResult] {
        guard request.items.count <= operationLimit(for: caller) else {
            throw CloudError(
                .badRequest,
                "Your request contains \(request.items.count) records which is more than the maximum number of "
                    + "records in a single request (\(operationLimit(for: caller)))")
        }
        let address = try DatabaseAddress(scope, request.zoneID, caller)
        let schema = try await schema(of: caller.context)
        let zoneID = address.zoneID
        let viewer = caller.authorRecordName
        var seen: Set<String> = []
        let items = request.items.filter { seen.insert($0.recordName).inserted }
        let found = try await reading(address.partition) { transaction -> Result<[Record?], CloudError> in
            guard let view = try address.view(in: transaction) else {
                return .failure(try address.zoneNotFound(in: transaction))
            }
            let rows = try view.recordRows(items.map(\.recordName), in: transaction)
            let size = rows.reduce(0) { $0 + ($1?.bytes.count ?? 0) }
            guard size <= ServiceLimits.lookupSize else {
                throw CloudError(
                    .badRequest,
                    "the records have \(size) bytes together, which is more than the maximum of "
                        + "\(ServiceLimits.lookupSize); ask for fewer at once")
            }
            let showing = RecordShowing(zoneID: zoneID, view: view, viewer: viewer, transaction: transaction)
            return .success(
                try rows.map { row in try row.map { try showing.shown(try $0.packedRecord(in: zoneID)) } })
        }
        let records: [Record?]
        switch found {
        case .success(let found): records = found
        case .failure(let error): return items.map { .failed(recordName: $0.recordName, error) }
        }
        return zip(items, records).map { item, record in
            guard let record else {
                return .failed(recordName: item.recordName, CloudError(.notFound, "Record not found"))
            }
            guard
                Authorization.permits(
                    .read, in: scope, record.recordType, of: schema,
                    creator: record.created.userRecordName, caller)
            else {
                return .failed(
                    recordName: item.recordName, CloudError(.accessDenied, "READ operation not permitted"))
            }
            return .saved(record.keepingFields(item.desiredKeys ?? request.desiredKeys))
        }
    }

    /// The operator's own work is not held to what the operator set for others.
    func operationLimit(for caller: Caller) -> Int {
        guard !caller.isAdministrator else { return ModelLimits.operationsPerRequest }
        return caller.isNative ? configuration.nativeOperationsPerRequest : configuration.operationsPerRequest
    }

    /// The default zone needs no look-up.
    static func zoneNumber(_ zoneID: ZoneID, in transaction: any ReadTransaction) throws -> ZoneNumber? {
        zoneID.isDefault ? .default : try ZoneHeader.find(zoneID.zoneName, in: transaction)?.number
    }

    func schema(of context: CloudContext) async throws(CloudError) -> Schema {
        do {
            return try await schemas.schema(of: context)
        } catch {
            throw cloudError(from: error)
        }
    }

    private func extendSchema(
        of context: CloudContext, with addition: SchemaExtension
    ) async throws(CloudError) {
        do {
            _ = try await schemas.change(context) { schema, _ in try schema.extend(with: addition) }
        } catch {
            throw cloudError(from: error)
        }
    }
}
