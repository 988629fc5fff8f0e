import CloudKit
import StratusTesting
import StratusWorkers

/// A device: what is stored on it, and the process of the app that runs on it.
struct SimulatedDevice {
    let number: Int
    let device: LocalCloud.Device
    /// Who is signed in, whether the app knows or not.
    var person: Person? = .ada
    /// What survives the process.
    var disk = SimulatedStore()
    var app: SimulatedApp
    var process: SimulatedProcess?
    var order = EventOrder()
    /// Whether it sends or fetches.
    var isBusy = false
    /// What is to happen while it does.
    var incident = Incident()
    var callbacks = 0
    var isDead = false
    var isInCallback = false
    var offline: LocalCloud.Injection?
    /// How often something became of its pushes.
    var pushes = 0
    /// What keeps the requests of a process back that has ended.
    var cutOff: LocalCloud.Injection?
    /// The latest deletions that were begun here.
    var deletions: [Deletable: Int] = [:]

    static func name(_ number: Int) -> String { String(UnicodeScalar(UInt8(ascii: "A") + UInt8(number))) }

    var name: String { Self.name(number) }
    var database: CKDatabase { device.container.privateCloudDatabase }

    /// Whether the app wants something deleted still.
    func isDeleting(_ thing: Deletable) -> Bool {
        switch thing {
        case .record(let recordID): app.store.notes[recordID]?.isDeleted ?? false
        case .zone(let zoneID): app.store.zones[zoneID] == .deleting
        }
    }
}

/// A process: an engine, and a delegate that hands everything to the simulation.
final class SimulatedProcess: CKSyncEngineDelegate {
    let device: Int
    private let simulation: Simulation
    private let kept = Lock<CKSyncEngine?>(nil)

    init(
        _ device: Int, _ database: CKDatabase, _ state: CKSyncEngine.State.Serialization?, automatically: Bool,
        in simulation: Simulation
    ) {
        self.device = device
        self.simulation = simulation
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = automatically
        let engine = CKSyncEngine(configuration)
        kept.withLock { $0 = engine }
    }

    var engine: CKSyncEngine? { kept.withLock { $0 } }

    /// The engine goes.
    func end() { kept.withLock { $0 = nil } }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        await simulation.handle(event, syncEngine.state, from: self)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { await simulation.batch(context, syncEngine.state, for: self) }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        await simulation.fetchGoesOn(for: self)
        return context.options
    }
}
