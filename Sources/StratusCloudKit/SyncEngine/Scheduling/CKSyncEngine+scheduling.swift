import Foundation

extension CKSyncEngine {
    /// Begins to send and fetch without being told.
    func startSynchronizing() {
        accountWatch.begin(database.source) { [weak self] in self?.driver.update { $0.accountChanged(at: $1) } }
        driver.update { $0.accountChanged(at: $1) }
        let state = state
        driver.begin(isAllSent: { state.read { !$0.hasSomethingToSend } }) { [weak self] work in
            await self?.synchronize(work) ?? .dormant
        }
    }

    /// The app changed the state.
    func stateChanged(_ change: State.Change) {
        if change == .added, automaticallySync { driver.update { $0.changesAdded(at: $1) } }
        guard report.begin() else { return }
        turns.add { [weak self] in
            self?.report.end()
            await self?.reportState()
        }
    }

    /// Does what is due, and says what came of it.
    private func synchronize(_ work: SyncWork) async -> SyncOutcome {
        guard succession.successor == nil else { return .dormant }
        let connection = database.source.connection
        if connection.transport.isSignedIn {
            await pushes.attach(to: connection) { [weak self] in self?.take($0) }
        }
        do {
            return try await turns.run { try await self.perform(work) }
        } catch {
            return outcome(of: error, isSend: false)
        }
    }

    private func perform(_ work: SyncWork) async throws -> SyncOutcome {
        let client: DatabaseClient
        do {
            client = try await signedInClient(CKOperationGroup())
        } catch let error as NSError where state.read({ $0.userName == nil }) && error.cloudKitCode == .notAuthenticated
        {
            pushes.close()
            return .dormant
        }
        if work.fetches {
            try await subscribe(client)
            do {
                try await fetch(FetchChangesContext(reason: .scheduled, options: FetchChangesOptions()))
            } catch {
                // What only the app can put right does not keep its changes here.
                let outcome = outcome(of: error, isSend: false)
                guard outcome == .done else { return outcome }
            }
        }
        if work.sends, state.read({ $0.hasSomethingToSend }) {
            do {
                try await send(SendChangesContext(reason: .scheduled, options: SendChangesOptions()))
            } catch {
                return outcome(of: error, isSend: true)
            }
        }
        return .done
    }

    private func outcome(of error: any Error, isSend: Bool) -> SyncOutcome {
        if error is Succeeded {
            // It may have been opened since.
            pushes.close()
            return .dormant
        }
        let errors = error.syncErrors
        let transient = errors.filter(\.isTransient)
        if !transient.isEmpty {
            let asked = transient.compactMap(\.retryAfterSeconds).max()
            return .failed(retryAfter: asked.map { .milliseconds(Int64(min(max($0, 0), 86_400) * 1_000)) })
        }
        guard isSend else { return .done }
        let items = CKError(any: error).partialErrorsByItemID?.keys.map { String(describing: $0) }
        return .refused(Set(items ?? errors.map { "\($0.code)" }))
    }

    // MARK: Notifications

    private func take(_ report: PushReport) {
        switch report {
        case .listening:
            driver.update { schedule, now in
                schedule.networkReturned()
                schedule.fetchNeeded(at: now)
            }
        case .notification(let notification):
            guard concerns(notification) else { return }
            driver.update { schedule, now in
                schedule.networkReturned()
                schedule.fetchNeeded(at: now)
            }
        case .interrupted, .unavailable: break
        }
    }

    private func concerns(_ notification: CKNotification) -> Bool {
        if let name = state.read({ $0.subscriptionID }), notification.subscriptionID == name { return true }
        return (notification as? CKDatabaseNotification)?.databaseScope == database.databaseScope
    }
}

extension SyncState {
    /// Whether the delegate is worth being asked for something to send.
    fileprivate var hasSomethingToSend: Bool {
        hasUntrackedChanges || recordChanges.hasWaiting || databaseChanges.hasWaiting
    }
}
