import CloudKit
import StratusTesting

// The end: everybody is online, and nobody does anything any more.
extension Simulation {
    /// Times that all devices may send and fetch before they must have come to rest.
    static let longestUnrest = 16

    func rest() async throws {
        note("everybody comes to rest")
        cloud.faults.removeAll()
        cloud.clock.advance(by: .seconds(3_600))
        for index in devices.indices {
            devices[index].offline = nil
            if devices[index].person == nil { signIn(index, .ada) }
        }
        try await restByHand()
    }

    /// All send and fetch until a round changes nothing.
    func restByHand() async throws {
        var rounds = 0
        repeat {
            guard rounds < Self.longestUnrest else { return ledger.report(.restlessness, waitingChanges) }
            rounds += 1
            cloud.forgetRequests()
            for index in devices.indices {
                await work(index, Incident()) { try await $0.sendChanges() }
                await work(index, Incident()) { try await $0.fetchChanges() }
            }
        } while !isQuiet
        guard ledger.violation == nil else { return }
        try await checkSameness()
        await checkRest()
    }

    /// Whether the last round changed nothing, so that the next would not either.
    private var isQuiet: Bool {
        cloud.requests.allSatisfy { $0.calls == .fetchDatabaseChanges && $0.error == nil } && waitingChanges.isEmpty
    }

    private var waitingChanges: String {
        devices.compactMap { device in
            guard let state = device.process?.engine?.state else { return nil }
            let waiting =
                state.pendingDatabaseChanges.map(\.description) + state.pendingRecordZoneChanges.map(\.description)
            return waiting.isEmpty ? nil : "\(device.name): \(waiting.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// Nobody asks for more than whether something changed.
    private func checkRest() async {
        cloud.forgetRequests()
        for index in devices.indices {
            await work(index, Incident()) { try await $0.sendChanges() }
            await work(index, Incident()) { try await $0.fetchChanges() }
        }
        if cloud.requests.count > devices.count {
            ledger.report(.requestsAtRest, cloud.requests.map(\.description).joined(separator: "; "))
        }
    }

    /// All devices hold what the server holds.
    func checkSameness() async throws {
        var all: [Person: [CKRecord.ID: Set<Int>]] = [:]
        for person in Person.allCases {
            let zoneIDs = try await cloud.zones(of: account(person))
            var records: [CKRecord.ID: Set<Int>] = [:]
            for zoneID in zoneIDs {
                for record in try await cloud.records(in: zoneID, of: account(person)) {
                    records[record.recordID] = record.edits
                }
            }
            all[person] = records
            for device in devices where device.person == person { check(device, zoneIDs, records) }
        }
        ledger.check(all)
    }

    private func check(
        _ device: SimulatedDevice, _ zoneIDs: [CKRecordZone.ID], _ records: [CKRecord.ID: Set<Int>]
    ) {
        let store = device.app.store
        if store.owner != device.person {
            ledger.report(.difference, "\(device.name) does not know who is signed in")
        }
        if Set(store.zones.keys) != Set(zoneIDs) {
            ledger.report(
                .difference, "the zones of \(device.name), \(names(store.zones.keys)), not \(names(zoneIDs))")
        }
        for recordID in Set(store.visible.keys).union(records.keys)
        where store.visible[recordID] != records[recordID] {
            let (here, there) = (store.visible[recordID]?.sorted(), records[recordID]?.sorted())
            ledger.report(
                .difference,
                "\(device.name) has \(here.map { "\($0)" } ?? "none") of \(recordID.recordName) in "
                    + "\(recordID.zoneID.zoneName), the server \(there.map { "\($0)" } ?? "none")")
        }
        for (recordID, note) in store.notes where note.known?.recordChangeTag == nil {
            ledger.report(.difference, "\(device.name) knows no tag of \(recordID.recordName)")
        }
    }

    private func names(_ zoneIDs: some Sequence<CKRecordZone.ID>) -> String {
        "[\(zoneIDs.map(\.zoneName).sorted().joined(separator: ", "))]"
    }
}
