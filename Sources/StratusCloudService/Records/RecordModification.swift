import StratusCloudModel
import StratusCloudStore

/// One modify request inside its transaction: reads all records at once, decides each operation, then writes.
struct RecordModification: Sendable {
    var operations: [PreparedOperation]
    let drafting: RecordDrafting
    let isAtomic: Bool
    /// Who sees only what is shared with them; nil for whoever sees the whole zone.
    var participant: String?
    var shareSetting = ShareSetting()
    /// With which keys the values of some records were encrypted.
    var claims: [EncryptionClaim] = []
    /// See ``ModifyRecordsRequest/clientChangeToken``.
    var clientChangeToken: [UInt8]?
    let schemas: SchemaCatalog
    /// See ``ChangeOrigin/run``.
    let run: UInt64
    let quota: Quota
    /// One for each operation, or none; nil where it depends on what is stored. See ``RecordDrafting``.
    var drafts: [Result<RecordDraft, CloudError>?]
    let cascadeWork: CascadeWork
    /// Whether a cascade that is too large for one transaction goes on in others.
    let defersCascade: Bool
    let assets: AssetSetting
    /// Makes the identifiers of notifications.
    let makeID: @Sendable () -> String
    /// Operations that were found to be impossible when all was written, by record name.
    var refused: [String: CloudError] = [:]

    /// As answers name the zone.
    var zoneID: ZoneID { drafting.zoneID }
    var scope: DatabaseScope { drafting.scope }
    var caller: Caller { drafting.caller }
    var schema: Schema { drafting.schema }
    var now: Int64 { drafting.now }

    /// What a request came to.
    struct Outcome: Sendable {
        var results: [RecordResult]
        /// To be delivered when the transaction is durable.
        var notifications: [QueuedNotification] = []
        /// To be told likewise.
        var news: SharedNews?
        /// Whether something is left to be done in the directory; see ``DirectoryErrands``.
        var changesDirectory = false

        var hasSaved: Bool { results.contains { if case .saved = $0 { true } else { false } } }
    }

    /// Thrown to undo an atomic batch; carries the answer.
    struct Refused: Error {
        let results: [RecordResult]
    }

    /// What an operation comes to.
    indirect enum Decision {
        case save(RecordDraft, replacing: StoredRecord?)
        case delete(StoredRecord)
        /// A participant gives up a share, whose record stays.
        case leave(StoredRecord)
        /// A forced deletion of nothing.
        case nothingToDelete
        case refuse(CloudError)
    }

    /// - Throws: ``Refused`` if the batch is atomic and an operation fails, `SchemaExtension` if the schema must be
    ///   extended first, ``SchemaCatalog/Outdated`` if it was changed meanwhile, ``CascadeIsLarge`` if a cascade must be
    ///   deferred and may not, `authenticationRequired` if an operation needs somebody who signed
    ///   in: in all cases nothing may be written.
    func run(in transaction: any WriteTransaction) throws -> Outcome {
        try schemas.check(schema, of: caller.context)
        let found = try transaction.get([Keyspace.zone(zoneID.zoneName), SubscriptionKey.summary])
        guard let (stored, isNew) = try header(stored: found[0], in: transaction) else {
            let error =
                try participant == nil
                ? CloudService.zoneNotFound(zoneID, in: transaction) : CloudService.zoneNotFound(zoneID)
            return Outcome(results: operations.map { .failed(recordName: $0.recordName, error) })
        }
        guard let view = try view(of: stored, in: transaction) else {
            let error = CloudService.zoneNotFound(zoneID)
            return Outcome(results: operations.map { .failed(recordName: $0.recordName, error) })
        }
        return try UsageLedger.keep(in: transaction, quota: quota) { ledger in
            let outcome = try run(in: view, ledger, found[1], transaction)
            // A zone that appears with its first record does not appear without one.
            guard !isNew || outcome.hasSaved else { throw Refused(results: outcome.results) }
            return outcome
        }
    }

    private func run(
        in view: ZoneView, _ ledger: UsageLedger, _ subscriptions: [UInt8]?, _ transaction: any WriteTransaction
    ) throws -> Outcome {
        let stored = view.header
        var zone = stored
        let changes = ZoneChanges(areWatched: subscriptions != nil)
        let slots = try slots(of: zone, in: transaction)
        let shares = try shares(of: view, in: transaction)
        let intake =
            try operations.contains(where: \.bringsAssets)
            ? AssetIntake(operations, in: zone.number, assets, now: now, transaction) : nil
        var decisions = operations.indices.map { index in decide(index, slots[index], intake, ledger, shares) }
        try shares?.decideShares(self, &decisions, &zone)
        // Whoever may do it after signing in is asked to, once for the whole request.
        for case .refuse(let error) in decisions where error.code == .authenticationRequired { throw error }
        try applyReservedRules(to: &decisions, in: zone.number, transaction)
        var references = try references(of: decisions, in: view, transaction)
        for (index, error) in references.refusals { decisions[index] = .refuse(error) }
        if isAtomic, decisions.contains(where: { if case .refuse = $0 { true } else { false } }) {
            throw Refused(results: atomicFailure(decisions))
        }
        let addition = additions(for: decisions)
        guard addition.isEmpty else { throw addition }
        let writer = RecordWriter(
            zone: zoneID, schema: schema, ledger: ledger, changes: changes, shares: shares?.ledger,
            publicContext: scope == .public ? caller.context : nil)
        let results = try operations.indices.map { index in
            let result = try apply(
                decisions[index], of: operations[index], over: slots[index], intake, to: &zone, writer, shares,
                in: transaction)
            try references.wrote(index, version: zone.version, in: transaction)
            return result
        }
        try references.finish(
            CascadeDeletion(writer: writer, now: now, work: cascadeWork), in: &zone, defers: defersCascade, transaction)
        let news = try shares?.finish(&zone, writer, zoneID, in: transaction)
        if !claims.isEmpty {
            let saved = decisions.compactMap {
                if case .save(let draft, _) = $0 { draft.record.recordName } else { nil }
            }
            try EncryptionClaims(claims: claims).check(Set(saved), zone, shares?.ledger, in: transaction)
        }
        if zone != stored {
            let origin = ChangeOrigin(run: run, now: now)
            try ZoneChange.record(
                &zone, after: stored.version, in: scope, named: zoneID.zoneName, by: origin, transaction)
            news?.queue(at: zone.changeVersion, in: transaction)
        }
        try keepClientToken(results, in: zone.number, transaction)
        let notifications = try subscriptions.map { summary in
            try matching(in: transaction).match(changes.records, in: zoneID, SubscriptionSummary(stored: summary))
        }
        return Outcome(
            results: results, notifications: notifications ?? [], news: news,
            changesDirectory: shares?.ledger.changesDirectory ?? false)
    }

    private func slots(of zone: ZoneHeader, in transaction: any WriteTransaction) throws -> [RecordSlot?] {
        try transaction.recordSlots(operations.map(\.recordName), in: zone.number)
    }

    private func matching(in transaction: any WriteTransaction) -> SubscriptionMatching {
        SubscriptionMatching(
            scope: scope == .shared ? .private : scope, context: caller.context, schema: schema,
            originClientID: caller.clientID, trace: caller.trace, now: now, makeID: makeID, transaction: transaction)
    }

    private func atomicFailure(_ decisions: [Decision]) -> [RecordResult] {
        zip(operations, decisions).map { operation, decision in
            if case .refuse(let error) = decision { return .failed(recordName: operation.recordName, error) }
            return .failed(
                recordName: operation.recordName,
                CloudError(.atomicError, "Atomic failure: another operation of the batch failed"))
        }
    }

    func answer(_ record: StoredRecord) -> Record { record.record(in: zoneID) }
}
