import CloudKit
import Foundation
import StratusCloudKit
import StratusTesting

// The life of processes, and what their engines ask and tell.
extension Simulation {
    /// A process begins, with what the last one left.
    func begin(_ index: Int) async {
        let disk = devices[index].disk
        devices[index].app.store = disk
        devices[index].app.store.engineOwner = disk.keptOwner
        devices[index].order = EventOrder()
        devices[index].isDead = false
        let process = SimulatedProcess(
            index, devices[index].database, roundTrip(disk.serialization), automatically: isAutomatic, in: self)
        devices[index].process = process
        guard let state = process.engine?.state else { return }
        // What is told while somebody writes may be of before.
        if disk.serialization != nil, !isAutomatic,
            state.pendingRecordZoneChanges != disk.pendingRecords || state.pendingDatabaseChanges != disk.pendingZones
        {
            ledger.report(.changedState, "of \(devices[index].name)")
        }
        if mutation == .forgetsPending { state.remove(pendingRecordZoneChanges: state.pendingRecordZoneChanges) }
        devices[index].app.begin(state)
        await settle(index)
    }

    private func roundTrip(_ state: CKSyncEngine.State.Serialization?) -> CKSyncEngine.State.Serialization? {
        guard let state else { return nil }
        do {
            return try JSONDecoder().decode(
                CKSyncEngine.State.Serialization.self, from: JSONEncoder().encode(state))
        } catch {
            ledger.report(.changedState, "\(error)")
            return nil
        }
    }

    /// A device is killed while it does nothing.
    func kill(_ device: Int) async {
        let index = device % devices.count
        guard !devices[index].isBusy else { return }
        devices[index].process?.end()
        await begin(index)
    }

    /// Lets an engine send or fetch, with all that happens meanwhile.
    func work(
        _ device: Int, _ incident: Incident, _ body: @Sendable (CKSyncEngine) async throws -> Void
    ) async {
        let index = device % devices.count
        guard !devices[index].isBusy, let process = devices[index].process, let engine = process.engine else { return }
        devices[index].isBusy = true
        devices[index].incident = incident
        devices[index].callbacks = 0
        do {
            try await body(engine)
        } catch {
            note("  \(devices[index].name) fails: \((error as? CKError).map { "\($0.code)" } ?? "\(error)")")
            // Nothing else is thrown, and nothing for the delegate to be told.
            if !(error is CKError) { ledger.report(.error, "\(error)") }
        }
        await settle(index)
        devices[index].isBusy = false
        devices[index].incident = Incident()
        if devices[index].isDead {
            process.end()
            devices[index].cutOff?.remove()
            devices[index].cutOff = nil
            for (_, number) in devices[index].deletions { ledger.deletionEnded(number) }
            await begin(index)
            noteDeletions(index)
        }
        checkUnsent(index)
    }

    /// Waits until the engine has told of all that changed.
    func settle(_ index: Int) async {
        guard let engine = devices[index].process?.engine else { return }
        do {
            try await engine.settle()
        } catch {
            ledger.report(.error, "\(error)")
        }
    }

    /// What is not sent must wait in the engine.
    func checkUnsent(_ index: Int) {
        guard let state = devices[index].process?.engine?.state else { return }
        let waiting = Set(state.pendingRecordZoneChanges)
        for change in devices[index].app.store.unsent where !waiting.contains(change) {
            ledger.report(.forgottenChange, "\(devices[index].name): \(change)")
        }
        let waitingZones = Set(state.pendingDatabaseChanges)
        for change in devices[index].app.store.unsentZones where !waitingZones.contains(change) {
            ledger.report(.forgottenChange, "\(devices[index].name): \(change)")
        }
    }

    // MARK: - Callbacks

    func handle(_ event: CKSyncEngine.Event, _ state: CKSyncEngine.State, from process: SimulatedProcess) async {
        let index = process.device
        await callback(process) { isAlive in
            // How many states are told while an engine does nothing is left to the scheduler of tasks.
            if devices[index].isBusy { note("    \(devices[index].name): \(told(event))") }
            guard isAlive else { return }
            if !devices[index].order.take(event) { ledger.report(.order, "\(devices[index].name): \(event)") }
            devices[index].app.handle(event, state, &ledger)
            noteDeletions(index)
            if case .sentRecordZoneChanges(let event) = event {
                for recordID in event.deletedRecordIDs + Array(event.failedRecordDeletes.keys) {
                    guard let number = devices[index].deletions[.record(recordID)],
                        !devices[index].isDeleting(.record(recordID))
                    else { continue }
                    ledger.deletionEnded(number)
                }
            }
            store(index, event)
        }
        lookWhetherAllIsDone()
    }

    /// An event without the names of users, which are others in each cloud.
    private func told(_ event: CKSyncEngine.Event) -> String {
        people.reduce("\(event)") { $0.replacingOccurrences(of: $1.key, with: $1.value.rawValue) }
    }

    func batch(
        _ context: CKSyncEngine.SendChangesContext, _ state: CKSyncEngine.State, for process: SimulatedProcess
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let index = process.device
        var batch: CKSyncEngine.RecordZoneChangeBatch?
        await callback(process) { isAlive in
            guard isAlive else { return }
            batch = await devices[index].app.batch(context, state)
            note("    \(devices[index].name): batch \(batch?.description ?? "none")")
        }
        return batch
    }

    func fetchGoesOn(for process: SimulatedProcess) async { await callback(process) { _ in } }

    /// Counts a callback and lets happen what is to happen at it.
    private func callback(
        _ process: SimulatedProcess, _ body: (_ isAlive: Bool) async -> Void
    ) async {
        let index = process.device
        guard devices.indices.contains(index), devices[index].process === process else { return }
        ledger.tick()
        guard devices[index].isBusy else { return await body(!devices[index].isDead) }
        if devices[index].isInCallback { ledger.report(.order, "\(devices[index].name) is called twice at once") }
        devices[index].isInCallback = true
        defer { devices[index].isInCallback = false }
        let incident = devices[index].incident
        let number = devices[index].callbacks
        devices[index].callbacks += 1
        await meanwhile(incident, number, isAfterwards: false)
        // What was on its way when the process ended was the last.
        if devices[index].isDead { cutOff(index) }
        let death = incident.death.flatMap { $0.callback == number ? $0 : nil }
        if let death, !death.isAfterwards { die(index, death) }
        await body(!devices[index].isDead)
        if let death, death.isAfterwards { die(index, death) }
        await meanwhile(incident, number, isAfterwards: true)
    }

    private func meanwhile(_ incident: Incident, _ number: Int, isAfterwards: Bool) async {
        for other in incident.meanwhile where other.callback == number && other.isAfterwards == isAfterwards {
            do {
                try await perform(other.step)
            } catch {
                ledger.report(.error, "\(error)")
            }
        }
    }

    private func die(_ index: Int, _ death: Incident.Death) {
        note("  \(devices[index].name) dies")
        devices[index].isDead = true
        if !death.isTooLate { cutOff(index) }
    }

    /// A process that has ended makes no requests.
    private func cutOff(_ index: Int) {
        guard devices[index].cutOff == nil else { return }
        devices[index].cutOff = cloud.faults.inject(.offline, device: devices[index].name, times: nil)
    }

    /// What the app has stored after an event.
    private func store(_ index: Int, _ event: CKSyncEngine.Event) {
        let store = devices[index].app.store
        guard mutation == .keepsStateFirst else { return devices[index].disk = store }
        devices[index].disk.serialization = store.serialization
        (devices[index].disk.pendingRecords, devices[index].disk.pendingZones) = (
            store.pendingRecords, store.pendingZones
        )
        devices[index].disk.keptOwner = store.keptOwner
        if case .didFetchChanges = event { devices[index].disk = store }
        if case .didSendChanges = event { devices[index].disk = store }
    }

    /// Notes which deletions are over.
    func noteDeletions(_ index: Int) {
        for (thing, number) in devices[index].deletions {
            if devices[index].isDeleting(thing) {
                ledger.deletionGoesOn(number)
            } else {
                ledger.deletionMayHaveEnded(number)
            }
        }
    }
}
