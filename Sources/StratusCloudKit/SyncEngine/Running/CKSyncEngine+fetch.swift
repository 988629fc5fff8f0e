import Foundation

extension CKSyncEngine {
    /// Fetches what the context says, with all events. Only for who has the turn.
    func fetch(_ context: FetchChangesContext) async throws {
        let client = try await signedInClient(context.options.operationGroup)
        await reportState()
        await deliver(.willFetchChanges(Event.WillFetchChanges(context: context)))
        var failures = SyncFailures()
        do {
            try await fetchDatabase(client, context)
            try await fetchZones(client, context, &failures)
        } catch {
            failures.add(error)
        }
        await deliver(.didFetchChanges(Event.DidFetchChanges(context: context)))
        await reportState()
        try failures.check("zones could not be fetched.")
    }

    // MARK: Which zones changed

    private func fetchDatabase(_ client: DatabaseClient, _ context: FetchChangesContext) async throws {
        var token = state.read { $0.databaseToken }.map { CKServerChangeToken($0) }
        // All zones there are, when it is told from the beginning.
        var listed: Set<CKRecordZone.ID>? = token == nil ? [] : nil
        while true {
            _ = await nextOptions(context)
            let page: DatabaseChangesOutcome
            do {
                page = try await client.databaseChanges(since: token, resultsLimit: nil)
            } catch let error as NSError where error.cloudKitCode == .changeTokenExpired && token != nil {
                token = nil
                listed = []
                continue
            }
            listed?.formUnion(page.modifications)
            if token == nil, !page.modifications.isEmpty { await announce { $0.noteZones(page.modifications) } }
            await take(page)
            let next = page.token.text
            state.change { $0.databaseToken = next }
            await reportState()
            token = page.token
            if !page.moreComing { break }
        }
        if let listed { await forgetZones(besides: listed) }
    }

    /// Notes what is about to be told for the first time, and has that kept: if the process ends when the app has it and before
    /// the next state is kept, the server would not say any more that it went meanwhile.
    private func announce(_ note: @Sendable (inout SyncState) -> Void) async {
        state.change(note)
        await reportState()
    }

    private func take(_ page: DatabaseChangesOutcome) async {
        let modified = page.modifications
        let deleted = page.deletions.map { CKDatabase.DatabaseChange.Deletion(zoneID: $0.zoneID, reason: $0.reason) }
        guard !modified.isEmpty || !deleted.isEmpty else { return }
        state.change { state in
            for deletion in deleted { state.forgetZone(deletion.zoneID) }
            for zoneID in modified { state.noteChange(in: zoneID) }
        }
        await deliver(
            .fetchedDatabaseChanges(
                Event.FetchedDatabaseChanges(
                    modifications: modified.map { CKDatabase.DatabaseChange.Modification(zoneID: $0) },
                    deletions: deleted)))
    }

    /// Zones that are gone when all there are were listed: nobody says any more when they went.
    private func forgetZones(besides listed: Set<CKRecordZone.ID>) async {
        let gone = state.read { state in
            state.zones.keys.filter { !listed.contains($0) }
                .sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
        }
        guard !gone.isEmpty else { return }
        state.change { state in
            for zoneID in gone { state.forgetZone(zoneID) }
        }
        await deliverDeletion(of: gone)
        await reportState()
    }

    private func deliverDeletion(of zoneIDs: [CKRecordZone.ID]) async {
        let deletions = zoneIDs.map { CKDatabase.DatabaseChange.Deletion(zoneID: $0, reason: .deleted) }
        await deliver(
            .fetchedDatabaseChanges(Event.FetchedDatabaseChanges(modifications: [], deletions: deletions)))
    }

    private func deliverModification(of zoneID: CKRecordZone.ID) async {
        await deliver(
            .fetchedDatabaseChanges(
                Event.FetchedDatabaseChanges(
                    modifications: [CKDatabase.DatabaseChange.Modification(zoneID: zoneID)], deletions: [])))
    }

    // MARK: What changed in them

    private func fetchZones(
        _ client: DatabaseClient, _ context: FetchChangesContext, _ failures: inout SyncFailures
    ) async throws {
        var done: Set<CKRecordZone.ID> = []
        while state.read({ !$0.zonesBehind.isEmpty }) {
            let options = await nextOptions(context)
            let behind = state.read { $0.zonesBehind }.filter { options.scope.contains($0) && !done.contains($0) }
            guard let zoneID = options.prioritizedZoneIDs.first(where: { behind.contains($0) }) ?? behind.first else {
                return
            }
            done.insert(zoneID)
            await deliver(
                .willFetchRecordZoneChanges(Event.WillFetchRecordZoneChanges(zoneID: zoneID)))
            var error: (any Error)?
            var isWhole = false
            do {
                error = try await fetchZone(zoneID, client, context)
            } catch let whole {
                (error, isWhole) = (whole, true)
            }
            await deliver(
                .didFetchRecordZoneChanges(
                    Event.DidFetchRecordZoneChanges(zoneID: zoneID, error: error.map { CKError(any: $0) })))
            await reportState()
            if isWhole, let error { throw error }
            if let error { failures.add(error, of: zoneID) }
        }
    }

    /// - Returns: why the zone could not be fetched.
    /// - Throws: why nothing can.
    private func fetchZone(
        _ zoneID: CKRecordZone.ID, _ client: DatabaseClient, _ context: FetchChangesContext
    ) async throws -> (any Error)? {
        var token = state.read { $0[zoneID]?.token }
        var isFirst = true
        var lasting: (any Error)?
        while true {
            if !isFirst, !(await nextOptions(context)).scope.contains(zoneID) { return lasting }
            isFirst = false
            let question = ZoneChangesQuestion(zoneID: zoneID, token: token.map { CKServerChangeToken($0) })
            guard let result = try await client.zoneChanges([question]).first?.1 else {
                throw NSError.cloudKit(.internalError, "There is no answer.")
            }
            switch result {
            case .failure(let error):
                switch error.cloudKitCode {
                case .changeTokenExpired where token != nil:
                    token = nil
                    state.change { state in
                        state.setZone(zoneID, SyncState.Zone(isBehind: true))
                        state.setUnfollowed([:], of: zoneID)
                    }
                    // Which records went is not told: what is here is the zone's no more, until it comes again.
                    await deliverDeletion(of: [zoneID])
                    await deliverModification(of: zoneID)
                    continue
                // The database's changes will tell why it is gone.
                case .zoneNotFound, .userDeletedZone: state.change { $0.setZone(zoneID, SyncState.Zone()) }
                default: break
                }
                return error
            case .success(var page):
                let failed = page.modifications.compactMap { if case .failure(let error) = $0.1 { error } else { nil } }
                if let transient = failed.first(where: { CKError(any: $0).isTransient }) { return transient }
                lasting = lasting ?? failed.first
                if token == nil, !page.modifications.isEmpty {
                    let records = page.modifications.compactMap { item in
                        if case .success(let record) = item.1 { (record.recordID, record.recordType) } else { nil }
                    }
                    await announce { $0.noteRecords(records) }
                }
                var missing = state.read { $0.unfollowed[zoneID] ?? [:] }
                for (recordID, _) in page.modifications { missing[recordID.recordName] = nil }
                for deletion in page.deletions { missing[deletion.recordID.recordName] = nil }
                if !page.moreComing {
                    page.deletions += missing.sorted { $0.key < $1.key }.map { name, recordType in
                        CKDatabase.RecordZoneChange.Deletion(
                            recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: recordType)
                    }
                    missing = [:]
                }
                await take(page)
                let next = SyncState.Zone(token: page.token.text, isBehind: page.moreComing)
                let rest = missing
                state.change { state in
                    state.setZone(zoneID, next)
                    state.setUnfollowed(rest, of: zoneID)
                }
                await reportState()
                guard page.moreComing else { return lasting }
                token = page.token.text
            }
        }
    }

    private func take(_ page: ZoneChangesOutcome) async {
        let records = page.modifications.compactMap { if case .success(let record) = $0.1 { record } else { nil } }
        guard !records.isEmpty || !page.deletions.isEmpty else { return }
        await deliver(
            .fetchedRecordZoneChanges(
                Event.FetchedRecordZoneChanges(
                    modifications: records.map { CKDatabase.RecordZoneChange.Modification(record: $0) },
                    deletions: page.deletions)))
    }
}
