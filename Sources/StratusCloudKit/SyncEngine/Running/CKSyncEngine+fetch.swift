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
        let failure = failures.error("zones could not be fetched.")
        await deliver(.didFetchChanges(Event.DidFetchChanges(context: context, error: failure)))
        await reportState()
        if let failure { throw failure }
    }

    // MARK: Which zones changed

    private func fetchDatabase(_ client: DatabaseClient, _ context: FetchChangesContext) async throws {
        var token = state.read { $0.databaseToken }.map { CKServerChangeToken($0) }
        while true {
            try checkSuccession()
            _ = await nextOptions(context)
            var page: DatabaseChangesOutcome
            do {
                page = try await client.databaseChanges(since: token, resultsLimit: nil)
            } catch let error as NSError where error.cloudKitCode == .changeTokenExpired && token != nil {
                token = nil
                continue
            }
            if token == nil { await announce(page) }
            let rest = addMissing(to: &page)
            await take(page)
            let next = page.token.text
            state.change { state in
                state.databaseToken = next
                state.setUnlisted(rest)
            }
            await reportState()
            token = page.token
            if !page.moreComing { return }
        }
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

    private func deliverDeletion(of zoneID: CKRecordZone.ID) async {
        await deliver(
            .fetchedDatabaseChanges(
                Event.FetchedDatabaseChanges(
                    modifications: [],
                    deletions: [CKDatabase.DatabaseChange.Deletion(zoneID: zoneID, reason: .deleted)])))
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
            try checkSuccession()
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
            try checkSuccession()
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
                    await deliverDeletion(of: zoneID)
                    await deliverModification(of: zoneID)
                    continue
                // The database's changes will tell why it is gone. If it is made anew before, the token tells that.
                case .zoneNotFound, .userDeletedZone:
                    let former = token
                    state.change { $0.setZone(zoneID, SyncState.Zone(token: former)) }
                default: break
                }
                return error
            case .success(var page):
                let failed = page.modifications.compactMap { if case .failure(let error) = $0.1 { error } else { nil } }
                if let transient = failed.first(where: { CKError(any: $0).isTransient }) { return transient }
                lasting = lasting ?? failed.first
                if token == nil { await announce(page) }
                let rest = addMissing(to: &page, of: zoneID)
                await take(page)
                let next = SyncState.Zone(token: page.token.text, isBehind: page.moreComing)
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
