import Foundation

extension CKSyncEngine {
    /// Sends what the context says, with all events. Only for who has the turn.
    func send(_ context: SendChangesContext) async throws {
        let client = try await signedInClient(context.options.operationGroup)
        await reportState()
        await deliver(.willSendChanges(Event.WillSendChanges(context: context)))
        state.write { state in
            guard state.hasUntrackedChanges else { return false }
            (state.hasUntrackedChanges, state.isSendingUntrackedChanges) = (false, true)
            return true
        }
        var failures = SyncFailures()
        var isTransient = false
        do {
            while try await sendNext(client, context, &failures, &isTransient) {}
        } catch {
            failures.add(error)
            isTransient = true
        }
        let isAgain = isTransient
        state.write { state in
            guard state.isSendingUntrackedChanges else { return false }
            state.isSendingUntrackedChanges = false
            if isAgain { state.hasUntrackedChanges = true }
            return true
        }
        await deliver(.didSendChanges(Event.DidSendChanges(context: context)))
        await reportState()
        try failures.check("changes could not be sent.")
    }

    /// Sends one batch: of zones while there are some, else of records.
    /// - Returns: whether to go on. Where something failed, what the delegate makes of it is for another time.
    private func sendNext(
        _ client: DatabaseClient, _ context: SendChangesContext, _ failures: inout SyncFailures,
        _ isTransient: inout Bool
    ) async throws -> Bool {
        guard !Task.isCancelled else { throw NSError.operationCancelled as any Error }
        try checkSuccession()
        let scope = context.options.scope
        let zones = state.read { state in
            Array(
                state.databaseChanges.waitingChanges.lazy.filter { scope.contains(zone: $0.zoneID) }
                    .prefix(SyncLimits.zonesPerBatch))
        }
        if !zones.isEmpty {
            let sent = await sendZones(zones, client)
            await deliver(.sentDatabaseChanges(sent.event))
            await follow(sent.event.savedZones.map(\.zoneID), client)
            note(sent.failures, &failures, &isTransient)
        } else {
            let mark = state.read { $0.recordChanges.mark }
            guard let batch = await nextBatch(context), !batch.isEmpty else { return false }
            let sent = await sendRecords(batch, addedUpTo: mark, client)
            await deliver(.sentRecordZoneChanges(sent.event))
            note(sent.failures, &failures, &isTransient)
        }
        await reportState()
        return failures.isEmpty
    }

    private func note(
        _ errors: [(AnyHashable?, CKError)], _ failures: inout SyncFailures, _ isTransient: inout Bool
    ) {
        for (item, error) in errors {
            if let item { failures.add(error, of: item) } else { failures.add(error) }
            if error.isTransient { isTransient = true }
        }
    }
}
