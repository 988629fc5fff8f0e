import CloudKit
import StratusTesting

/// Lets a history happen: real engines of several devices over a real service in memory. One thing happens at a time, and
/// what happens at the same time as a send or a fetch does so inside a callback of its delegate, between two requests; so
/// that it is the same each time.
actor Simulation {
    let history: History
    let mutation: Mutation?
    /// Whether engines send and fetch by themselves.
    let isAutomatic: Bool
    let cloud: LocalCloud
    /// Persons by the names of their records.
    let people: [String: Person]
    var devices: [SimulatedDevice] = []
    var ledger = Ledger()
    /// What happened, for whoever wants to know why; nil while nobody does.
    private(set) var trace: [String]?
    /// Waits until automatic engines have done all there is to do.
    var doneWaiter: CheckedContinuation<Void, Never>?

    init(_ history: History, _ mutation: Mutation?, isAutomatic: Bool = false, isTraced: Bool) async throws {
        (self.history, self.mutation, self.isAutomatic) = (history, mutation, isAutomatic)
        trace = isTraced ? [] : nil
        cloud = try await LocalCloud(LocalCloud.Options(seed: 1, changesPerPage: history.pageSize))
        cloud.clock.leaveMachine()
        var people: [String: Person] = [:]
        for person in Person.allCases {
            people[try await cloud.account(person.rawValue).container.userRecordID().recordName] = person
        }
        self.people = people
        devices = (0..<history.devices).map { number in
            SimulatedDevice(
                number: number, device: cloud.account(Person.ada.rawValue).device(SimulatedDevice.name(number)),
                app: SimulatedApp(history: history, mutation: mutation, people: people))
        }
    }

    /// - Returns: the rule that was broken, if one was; and what happened, if it is traced.
    static func run(
        _ history: History, _ mutation: Mutation? = nil, isTraced: Bool = false
    ) async throws -> (violation: Violation?, trace: [String]) {
        let simulation = try await Simulation(history, mutation, isTraced: isTraced)
        return try await simulation.run()
    }

    private func run() async throws -> (Violation?, [String]) {
        defer { end() }
        for number in devices.indices { await begin(number) }
        for step in history.steps {
            guard ledger.violation == nil else { break }
            try await perform(step)
        }
        if ledger.violation == nil { try await rest() }
        return (ledger.violation, trace ?? [])
    }

    /// All processes end, so that nothing holds itself.
    func end() {
        for device in devices { device.process?.end() }
        devices = []
    }

    func note(_ what: @autoclosure () -> String) { if trace != nil { trace?.append(what()) } }

    // MARK: Steps

    func perform(_ step: HistoryStep) async throws {
        ledger.tick()
        note("\(step)")
        switch step {
        case .edit(let device, let place): await use(device) { $0.edit(place.recordID, $1, &$2) }
        case .makeZone(let device, let zone):
            await use(device) { app, state, _ in app.makeZone(Place.zoneID(zone), state) }
        case .delete(let device, let place):
            await use(device, deleting: .record(place.recordID)) { app, state, _ in
                _ = app.delete(place.recordID, state)
            }
        case .deleteZone(let device, let zone):
            await use(device, deleting: .zone(Place.zoneID(zone))) { app, state, _ in
                _ = app.deleteZone(Place.zoneID(zone), state)
            }
        case .purge(let zone): try await purge(Place.zoneID(zone))
        case .send(let device, let incident): await work(device, incident) { try await $0.sendChanges() }
        case .fetch(let device, let incident): await work(device, incident) { try await $0.fetchChanges() }
        case .kill(let device): await kill(device)
        case .signIn(let device, let person): signIn(index(device), person)
        case .signOut(let device): signIn(index(device), nil)
        case .goOffline(let device): goOffline(index(device))
        case .goOnline(let device): goOnline(index(device))
        case .fault(let device, let trouble): prepare(trouble, for: devices[index(device)].name)
        case .expireTokens: cloud.expireChangeTokens()
        case .wait(let seconds): cloud.clock.advance(by: .seconds(seconds))
        }
    }

    /// There are fewer devices in a history that was made simpler.
    private func index(_ device: Int) -> Int { device % devices.count }

    /// The person does something; the app stores it at once.
    private func use(
        _ device: Int, deleting thing: Deletable? = nil,
        _ body: (inout SimulatedApp, CKSyncEngine.State, inout Ledger) -> Void
    ) async {
        let index = index(device)
        guard let engine = devices[index].process?.engine, !devices[index].isDead else { return }
        let wasDeleting = thing.map { devices[index].isDeleting($0) } ?? false
        body(&devices[index].app, engine.state, &ledger)
        if let thing, !wasDeleting, devices[index].isDeleting(thing) {
            devices[index].deletions[thing] = ledger.deleting(thing, of: devices[index].app.store.owner)
        }
        noteDeletions(index)
        devices[index].disk = devices[index].app.store
        if !devices[index].isBusy { await settle(index) }
    }

    private func purge(_ zoneID: CKRecordZone.ID) async throws {
        let ada = account(.ada)
        guard try await cloud.zones(of: ada).contains(zoneID) else { return }
        try await cloud.purge(zone: zoneID, of: ada)
        ledger.deletionEnded(ledger.deleting(.zone(zoneID), of: .ada))
    }

    /// Somebody signs in, or nobody is any more. The app is told when its engine looks.
    func signIn(_ index: Int, _ person: Person?) {
        guard devices[index].person != person else { return }
        devices[index].person = person
        if let person {
            devices[index].device.signIn(as: account(person))
        } else {
            devices[index].device.signOut()
        }
    }

    func account(_ person: Person) -> LocalCloud.Account { cloud.account(person.rawValue) }

    private func goOffline(_ index: Int) {
        guard devices[index].offline == nil else { return }
        devices[index].offline = cloud.faults.inject(.offline, device: devices[index].name, times: nil)
    }

    private func goOnline(_ index: Int) {
        devices[index].offline?.remove()
        devices[index].offline = nil
    }

    private func prepare(_ trouble: Trouble, for device: String) {
        let (fault, calls): (LocalCloud.Fault, LocalCloud.Calls) =
            switch trouble {
            case .lostRequest: (.dropBeforeCommit, .writes)
            case .lostAnswer: (.dropAfterCommit, .writes)
            // Read again twice, without a word.
            case .lostRead: (.dropAfterCommit, .reads)
            case .throttle(let seconds): (.throttle(retryAfter: seconds), .any)
            case .busy(let seconds): (.busy(retryAfter: seconds), .any)
            case .zoneBusy: (.error(.zoneBusy), .writes)
            case .refusal(let refusal, let place): (.error(refusal.code, of: place.recordID), .writes)
            }
        cloud.faults.inject(fault, on: calls, device: device, times: trouble == .lostRead ? 3 : 1)
    }
}

extension Place {
    var recordID: CKRecord.ID { CKRecord.ID(recordName: "note-\(name)", zoneID: Self.zoneID(zone)) }

    static func zoneID(_ zone: Int) -> CKRecordZone.ID { CKRecordZone.ID(zoneName: "zone-\(zone)") }
}

extension Trouble.Refusal {
    var code: CKError.Code {
        switch self {
        case .quota: .quotaExceeded
        case .batch: .batchRequestFailed
        case .throttle: .requestRateLimited
        case .busy: .serviceUnavailable
        case .rejection: .serverRejectedRequest
        }
    }
}
