import CloudModel
import CloudStore

/// One modify request inside its transaction: reads all records at once, decides each operation, then writes.
struct RecordModification: Sendable {
    var operations: [PreparedOperation]
    /// As answers name the zone.
    let zoneID: ZoneID
    let isAtomic: Bool
    let scope: DatabaseScope
    /// Who sees only what is shared with them; nil for whoever sees the whole zone.
    var participant: String?
    var shareSetting = ShareSetting()
    /// With which keys the values of some records were encrypted.
    var claims: [EncryptionClaim] = []
    let caller: Caller
    let schema: Schema
    let schemas: SchemaCatalog
    let now: Int64
    /// See ``ChangeOrigin/run``.
    let run: UInt64
    let quota: Quota
    /// One for each operation; used where the request wants a short GUID.
    var shortGUIDs: [String]
    /// One for each operation; nil where it depends on what is stored. See ``RecordDrafting``.
    var drafts: [Result<RecordDraft, CloudError>?]
    let cascadeWork: CascadeWork
    /// Whether a cascade that is too large for one transaction goes on in others.
    let defersCascade: Bool
    let assets: AssetSetting
    /// Makes the identifiers of notifications.
    let makeID: @Sendable () -> String
    /// Operations that were found to be impossible when all was written, by record name.
    var refused: [String: CloudError] = [:]

    /// What a request came to.
    struct Outcome: Sendable {
        var results: [RecordResult]
        /// To be delivered when the transaction is durable.
        var notifications: [QueuedNotification] = []
        /// To be told likewise.
        var news: SharedNews?
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
    ///   extended first, ``SchemaCatalog/Outdated`` if it was changed meanwhile, ``CascadeIsLarge`` if a cascade must be deferred and may not: in all cases nothing may be
    ///   written.
    func run(in transaction: any WriteTransaction) throws -> Outcome {
        try schemas.check(schema, of: caller.context)
        let found = try transaction.get([Keyspace.zone(zoneID.zoneName), SubscriptionKey.summary])
        guard let stored = try ZoneHeader.named(zoneID.zoneName, stored: found[0]) else {
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
            try run(in: view, ledger, found[1], transaction)
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
        let intake = try AssetIntake(operations, in: zone.number, assets, now: now, transaction)
        var additions = Array(repeating: SchemaExtension(), count: operations.count)
        var decisions = operations.indices.map { index in
            decide(index, slots[index], intake, ledger, shares, &additions[index])
        }
        try shares?.decideShares(self, &decisions, &zone)
        var references = try references(of: decisions, in: view, transaction)
        for (index, error) in references.refusals { decisions[index] = .refuse(error) }
        if isAtomic, decisions.contains(where: { if case .refuse = $0 { true } else { false } }) {
            throw Refused(results: atomicFailure(decisions))
        }
        let addition = union(of: additions, for: decisions)
        guard addition.isEmpty else { throw addition }
        let writer = RecordWriter(
            zone: zoneID, schema: schema, ledger: ledger, changes: changes, shares: shares?.ledger)
        let results = try operations.indices.map { index in
            let result = try apply(
                decisions[index], of: operations[index], over: slots[index], intake, to: &zone, writer, shares,
                in: transaction)
            try references.wrote(index, version: zone.version, in: transaction)
            return result
        }
        let deletion = CascadeDeletion(writer: writer, now: now, work: cascadeWork)
        try references.finish(deletion, in: &zone, defers: defersCascade, transaction)
        let news = try shares?.finish(&zone, writer, zoneID, in: transaction)
        if !claims.isEmpty {
            let saved = decisions.compactMap {
                if case .save(let draft, _) = $0 { draft.record.recordName } else { nil }
            }
            try EncryptionClaims(claims: claims).check(Set(saved), zone, shares?.ledger, in: transaction)
        }
        if zone != stored {
            let origin = ChangeOrigin(run: run, now: now)
            try ZoneChange.record(&zone, named: zoneID.zoneName, by: origin, in: transaction)
            news?.queue(at: zone.changeVersion, in: transaction)
        }
        let summary = try subscriptions.map { try SubscriptionSummary(stored: $0) }
        return Outcome(
            results: results,
            notifications: try matching(in: transaction).match(changes.records, in: zoneID, summary), news: news)
    }

    private func matching(in transaction: any WriteTransaction) -> SubscriptionMatching {
        SubscriptionMatching(
            scope: scope == .shared ? .private : scope, context: caller.context, schema: schema,
            originClientID: caller.clientID, trace: caller.trace, now: now, makeID: makeID, transaction: transaction)
    }

    // MARK: - Shares

    /// Leaves operations out when the batch is run again.
    /// - Throws: what they are refused with, if they are none of the batch's.
    mutating func refuse(_ refusals: ShareRefusals) throws {
        let names = Set(operations.map(\.recordName)).subtracting(refused.keys)
        let own = refusals.byOperation.filter { names.contains($0.key) }
        guard !own.isEmpty else {
            throw refusals.byOperation.values.first ?? CloudError(.internalError, "internal error")
        }
        refused.merge(own) { _, new in new }
    }

    /// Whether whoever sees only what is shared with them sees anything of the zone.
    func isVisible(in transaction: any ReadTransaction) throws -> Bool {
        guard participant != nil else { return true }
        return try ZoneHeader.find(zoneID.zoneName, in: transaction).flatMap { try view(of: $0, in: transaction) }
            != nil
    }

    private func view(of header: ZoneHeader, in transaction: any ReadTransaction) throws -> ZoneView? {
        guard let participant else { return ZoneView(header: header, access: nil) }
        return try SharedAccess.read(of: participant, zone: header, in: transaction)
            .map { ZoneView(header: header, access: $0) }
    }

    /// What the request has to do with shares; nil if nothing.
    private func shares(of view: ZoneView, in transaction: any WriteTransaction) throws -> BatchShares? {
        guard view.header.sharing.isAnything || operations.contains(where: \.isShare) else { return nil }
        let ledger = ShareLedger(zone: view.number, now: now, in: transaction)
        try ledger.load(operations.map(\.recordName))
        let planning = SharePlanning(
            zoneID: zoneID, header: view.header, view: view, caller: caller, setting: shareSetting, now: now,
            makeID: makeID, ledger: ledger)
        return BatchShares(planning, operations, scope: scope)
    }

    /// A share is checked like every record but for its change tag, which nothing passes over.
    private func decideShare(
        _ index: Int, _ slot: RecordSlot?, _ ledger: UsageLedger, _ shares: BatchShares
    ) throws -> Decision {
        let operation = operations[index]
        let stored = slot?.live
        if operation.kind.isDeletion {
            let decision = try decideDeletion(operation, stored, slot)
            guard case .delete(let record) = decision else { return decision }
            guard try shares.planEnd(of: record) else { return .leave(record) }
            ledger.release(record)
            return decision
        }
        try shares.checkSave(operation, stored)
        try checkPresence(operation, stored, slot)
        if let stored, !operation.kind.checksChangeTag { try checkTag(operation, stored) }
        try shares.planSave(of: operation, index, over: stored, shortGUID: shortGUIDs[index])
        let drafting = RecordDrafting(zoneID: zoneID, scope: scope, caller: caller, schema: schema, now: now)
        let draft = try drafting.shareDraft(
            operation, over: stored, shortGUID: shares.shortGUID(of: operation.recordName))
        try ledger.reserve(draft.usage, for: operation.recordName, replacing: stored)
        return .save(draft, replacing: stored)
    }

    // MARK: - Reading

    private func slots(of zone: ZoneHeader, in transaction: any WriteTransaction) throws -> [RecordSlot?] {
        try transaction.recordSlots(operations.map(\.recordName), in: zone.number)
    }

    // MARK: - Deciding

    private func decide(
        _ index: Int, _ slot: RecordSlot?, _ intake: AssetIntake, _ ledger: UsageLedger, _ shares: BatchShares?,
        _ addition: inout SchemaExtension
    ) -> Decision {
        let operation = operations[index]
        do {
            if let refusal = operation.refusal ?? refused[operation.recordName] { throw refusal }
            // What participants do not see is not there for them.
            var slot = slot
            if let shares { slot = try shares.seen(slot, of: operation) }
            let stored = slot?.live
            if let shares, operation.isShare || stored?.recordType == SystemRecordType.share {
                return try decideShare(index, slot, ledger, shares)
            }
            try checkPermission(operation, stored)
            try shares?.checkPermission(operation, stored)
            if operation.kind.isDeletion {
                let decision = try decideDeletion(operation, stored, slot)
                if let stored { ledger.release(stored) }
                return decision
            }
            try checkPresence(operation, stored, slot)
            let draft = try draft(shares?.meant(operation, over: stored) ?? operation, index, over: stored, intake)
            try ledger.reserve(draft.usage, for: operation.recordName, replacing: stored)
            addition = draft.addition
            return .save(draft, replacing: stored)
        } catch let error as CloudError {
            return .refuse(shares?.shown(error) ?? error)
        } catch {
            return .refuse(CloudError(.internalError, "internal error"))
        }
    }

    private func draft(
        _ operation: PreparedOperation, _ index: Int, over stored: StoredRecord?, _ intake: AssetIntake
    ) throws(CloudError) -> RecordDraft {
        if stored == nil, let draft = drafts[index] { return try draft.get() }
        let drafting = RecordDrafting(zoneID: zoneID, scope: scope, caller: caller, schema: schema, now: now)
        return try drafting.draft(operation, over: stored, shortGUID: shortGUIDs[index], intake)
    }

    /// What references make of the decisions.
    private func references(
        of decisions: [Decision], in view: ZoneView, _ transaction: any ReadTransaction
    ) throws -> BatchReferences {
        let matter = decisions.contains { decision in
            switch decision {
            case .save(let draft, let replaced): draft.hasReferences || replaced?.hasReferences ?? false
            case .delete: true
            case .leave, .nothingToDelete, .refuse: false
            }
        }
        guard matter else { return BatchReferences(nothingIn: view.number) }
        var changes: [Int: (name: String, before: StoredRecord?, after: StoredRecord?)] = [:]
        for (index, decision) in decisions.enumerated() {
            let name = operations[index].recordName
            switch decision {
            case .save(let draft, let replaced): changes[index] = (name, replaced, draft.record)
            case .delete(let stored): changes[index] = (name, stored, nil)
            case .leave, .nothingToDelete, .refuse: break
            }
        }
        return try BatchReferences(
            changes, work: cascadeWork,
            looking: ReferenceTargets(view: view, scope: scope, caller: caller, schema: schema), in: transaction)
    }

    /// What the schema must have for all that is saved.
    private func union(of additions: [SchemaExtension], for decisions: [Decision]) -> SchemaExtension {
        var all = SchemaExtension()
        for (addition, decision) in zip(additions, decisions) {
            if case .save = decision { all.formUnion(addition) }
        }
        return all
    }

    private func checkPermission(_ operation: PreparedOperation, _ stored: StoredRecord?) throws(CloudError) {
        let recordType = stored?.recordType ?? operation.input.recordType
        let permission: Grant.Permission = stored == nil && !operation.kind.isDeletion ? .create : .write
        if recordType == SystemRecordType.users {
            try checkUserRecord(operation, stored)
        } else if stored == nil, Names.isReserved(operation.recordName) {
            throw CloudError(.badRequest, "record name '\(operation.recordName)' must not begin with '_'")
        }
        // Without a record only the type's grants count; a caller who could create it may also ask to delete it.
        let permitted =
            Authorization.permits(
                permission, in: scope, recordType, of: schema, creator: stored?.created.userRecordName, caller)
            || stored == nil
                && Authorization.permits(.create, in: scope, recordType, of: schema, creator: nil, caller)
        guard permitted else {
            throw CloudError(.accessDenied, "\(permission.rawValue) operation not permitted")
        }
    }

    /// Users' records come and go with their users; only their owners change them.
    private func checkUserRecord(_ operation: PreparedOperation, _ stored: StoredRecord?) throws(CloudError) {
        let isOwn = stored?.recordName == caller.userRecordName
        guard stored != nil, isOwn || caller.isAdministrator, !operation.kind.isDeletion else {
            let word = operation.kind.isDeletion ? "DELETE" : stored == nil ? "CREATE" : "WRITE"
            throw CloudError(.accessDenied, "\(word) operation not permitted")
        }
    }

    private func checkPresence(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ slot: RecordSlot?
    ) throws(CloudError) {
        guard let stored else {
            if operation.kind.canCreate { return }
            throw absent(slot)
        }
        if operation.kind == .create {
            throw CloudError(.exists, "record to insert already exists", serverRecord: answer(stored))
        }
        if operation.kind.checksChangeTag { try checkTag(operation, stored) }
        if let type = operation.input.recordType, type != stored.recordType {
            throw CloudError(
                .badRequest,
                "record '\(stored.recordName)' is of type '\(stored.recordType)', not '\(type)', and types never change"
            )
        }
    }

    private func checkTag(_ operation: PreparedOperation, _ stored: StoredRecord) throws(CloudError) {
        if operation.input.recordChangeTag != stored.changeTag {
            throw CloudError(.conflict, "client oplock error updating record", serverRecord: answer(stored))
        }
    }

    private func absent(_ slot: RecordSlot?) -> CloudError {
        slot == nil
            ? CloudError(.notFound, "recordChangeTag specified, but record not found")
            : CloudError(.notFound, "Oplock error updating deleted record")
    }

    private func decideDeletion(
        _ operation: PreparedOperation, _ stored: StoredRecord?, _ slot: RecordSlot?
    ) throws(CloudError) -> Decision {
        guard let stored else {
            if operation.kind == .forceDelete { return .nothingToDelete }
            throw absent(slot)
        }
        if operation.kind.checksChangeTag { try checkTag(operation, stored) }
        return .delete(stored)
    }

    private func atomicFailure(_ decisions: [Decision]) -> [RecordResult] {
        zip(operations, decisions).map { operation, decision in
            if case .refuse(let error) = decision { return .failed(recordName: operation.recordName, error) }
            return .failed(
                recordName: operation.recordName,
                CloudError(.atomicError, "Atomic failure: another operation of the batch failed"))
        }
    }

    // MARK: - Writing

    private func apply(
        _ decision: Decision, of operation: PreparedOperation, over slot: RecordSlot?, _ intake: AssetIntake,
        to zone: inout ZoneHeader, _ writer: RecordWriter, _ shares: BatchShares?,
        in transaction: any WriteTransaction
    ) throws -> RecordResult {
        switch decision {
        case .refuse(let error):
            return .failed(recordName: operation.recordName, error)
        case .nothingToDelete:
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        case .delete(let stored):
            try writer.delete(stored, at: now, from: &zone, in: transaction)
            try shares?.carryOut(operation, &zone)
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        case .save(var draft, let replaced):
            zone.version += 1
            draft.record.version = zone.version
            try writer.save(draft, over: slot, replaced, in: zone.number, transaction)
            try intake.useUp(operation, savedAs: draft.record.fields)
            try shares?.carryOut(operation, &zone)
            let saved = answer(draft.record).keepingFields(operation.desiredKeys)
            return .saved(try shares?.shown(saved, in: zone) ?? saved)
        case .leave(let stored):
            try shares?.carryOut(operation, &zone)
            let owner = Caller.owner(of: zoneID, in: caller.context)
            try writer.touch(stored, by: owner, at: now, in: &zone, transaction)
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        }
    }

    private func answer(_ record: StoredRecord) -> Record { record.record(in: zoneID) }
}

extension Record {
    /// Only the fields a caller wants; nil wants all.
    func keepingFields(_ desiredKeys: [String]?) -> Record {
        guard let desiredKeys else { return self }
        var copy = self
        copy.fields = FieldMap()
        var fields = fields
        fields.unpack()
        for key in desiredKeys { copy.fields[key] = fields[key] }
        return copy
    }
}
