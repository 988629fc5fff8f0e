import CloudKit
import StratusTesting

// Engines that send and fetch by themselves, told by push. What happens first is left to the scheduler of tasks, so that a seed
// says what happens, and not in which order.
extension Simulation {
    /// - Returns: the rule that was broken, if one was; and what happened.
    static func runAutomatically(
        _ history: History, _ mutation: Mutation? = nil
    ) async throws -> (violation: Violation?, trace: [String]) {
        let simulation = try await Simulation(history, mutation, isAutomatic: true, isTraced: true)
        return try await simulation.runAutomatically()
    }

    private func runAutomatically() async throws -> (Violation?, [String]) {
        defer { end() }
        for number in devices.indices { await begin(number) }
        for step in history.steps where ledger.violation == nil { try await performAutomatically(step) }
        if ledger.violation == nil { try await restAutomatically() }
        return (ledger.violation, trace ?? [])
    }

    private func performAutomatically(_ step: HistoryStep) async throws {
        switch step {
        case .send(let device, _):
            note("others go on")
            await settle(device % devices.count)
        case .fetch(let device, _):
            let index = device % devices.count
            devices[index].pushes += 1
            // Every other time they come again, and with them what was held back.
            let push: LocalCloud.Device.Push =
                switch devices[index].pushes % 4 {
                case 1: .held
                case 3: .lost
                default: .delivered
                }
            note("\(devices[index].name)'s pushes are \(push)")
            devices[index].device.setPush(push)
        case .signIn, .signOut: break
        default: try await perform(step)
        }
    }

    /// Everybody is online, writes once more, so that all hear of each other, and then waits until there is nothing to do.
    private func restAutomatically() async throws {
        note("everybody comes to rest")
        cloud.faults.removeAll()
        for index in devices.indices {
            devices[index].offline = nil
            devices[index].device.setPush(.delivered)
        }
        for zone in 0..<History.zones {
            for index in devices.indices { try await perform(.edit(index, Place(zone: zone, name: index))) }
        }
        await allIsDone()
        guard !Task.isCancelled else {
            return ledger.report(.restlessness, "engines do not do by themselves what is to be done")
        }
        ledger.deletionsEnded()
        try await checkSameness()
        guard ledger.violation == nil else { return }
        try await restByHand()
    }

    private func allIsDone() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                doneWaiter = continuation
                lookWhetherAllIsDone()
            }
        } onCancel: {
            Task { await self.giveUp() }
        }
    }

    private func giveUp() {
        doneWaiter?.resume()
        doneWaiter = nil
    }

    /// Nothing is unsent anywhere, and all devices hold the same.
    func lookWhetherAllIsDone() {
        guard let waiter = doneWaiter, isAllDone || Task.isCancelled else { return }
        doneWaiter = nil
        waiter.resume()
    }

    private var isAllDone: Bool {
        guard let first = devices.first?.app.store else { return true }
        return devices.allSatisfy { device in
            let store = device.app.store
            guard let state = device.process?.engine?.state else { return false }
            return store.visible == first.visible && store.zones == first.zones && store.unsent.isEmpty
                && store.unsentZones.isEmpty && state.pendingRecordZoneChanges.isEmpty
                && state.pendingDatabaseChanges.isEmpty
        }
    }
}
