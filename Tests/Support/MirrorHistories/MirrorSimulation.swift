import CloudKit
import CoreData
import Foundation
import StratusCoreDataMirroring
import StratusTestSupport
import StratusTesting

/// Runs a history over real stores in files, with their mirrors and a whole cloud. One thing happens at a time: what
/// happens during a synchronization does so at one of its moments, between two requests.
actor MirrorSimulation {
    static let zoneID = CKRecordZone.ID(zoneName: "com.apple.coredata.cloudkit.zone")
    static let guest = "bob"

    let cloud: LocalCloud
    let root: TemporaryDirectory
    let ledger = MirrorLedger()
    let model = MirroredGraph.makeModel()
    var devices: [MirrorDevice] = []
    private(set) var trace: [String] = []
    private let mutation: MirrorMutation?
    private let isTraced: Bool
    private let history: MirrorHistory
    /// The addresses of the shares, in the order in which they were made.
    var links: [URL] = []
    private var cutOffs: [Int: LocalCloud.Injection] = [:]
    private var failure: MirrorViolation?

    private init(_ history: MirrorHistory, _ mutation: MirrorMutation?, isTraced: Bool) async throws {
        (self.mutation, self.isTraced) = (mutation, isTraced)
        self.history = history
        let cloud = try await LocalCloud(LocalCloud.Options(seed: 1, changesPerPage: history.pageSize))
        cloud.clock.leaveMachine()
        self.cloud = cloud
        root = try TemporaryDirectory(inMemory: true)
        let folder = URL(fileURLWithPath: root.path)
        devices = (0..<history.devices).map { number in
            let isGuests = history.hasGuest && number == history.devices - 1
            let account = cloud.account(isGuests ? Self.guest : "ada")
            return MirrorDevice(number, account.device(MirrorDevice.name(number)), isGuests: isGuests, in: folder)
        }
    }

    /// - Returns: The rule that was broken, if one was, and what happened.
    static func run(
        _ history: MirrorHistory, _ mutation: MirrorMutation? = nil, isTraced: Bool = false
    ) async throws -> (violation: MirrorViolation?, trace: [String]) {
        let simulation = try await MirrorSimulation(history, mutation, isTraced: isTraced)
        return try await simulation.run(history)
    }

    private func run(_ history: MirrorHistory) async throws -> (MirrorViolation?, [String]) {
        var violation: MirrorViolation?
        do {
            for index in devices.indices { try await start(index) }
            for step in history.steps { try await take(step) }
            try await finish()
        } catch let error as MirrorViolation {
            violation = error
        }
        for index in devices.indices { await stop(index) }
        return (violation, trace)
    }

    func note(_ lines: @autoclosure () -> [String]) { if isTraced { trace += lines() } }

    // MARK: - Processes

    /// Starts the process of a device with the files that it has.
    func start(_ index: Int) async throws {
        let container = devices[index].device.use {
            NSPersistentCloudKitContainer(name: "Graph", managedObjectModel: model)
        }
        let scope: CKDatabase.Scope = devices[index].isGuests ? .shared : .private
        container.persistentStoreDescriptions = [description(devices[index].file, scope)]
        if history.hasPublicStore {
            container.persistentStoreDescriptions.append(description(devices[index].publicFile, .public))
        }
        container.mirroringControls = MirroringControls()
        let failure = LoadResult()
        devices[index].device.use { container.loadPersistentStores { _, error in failure.set(error) } }
        if let error = failure.error { throw MirrorViolation(.fails, "\(error)") }
        devices[index].container = container
        let context = container.newBackgroundContext()
        context.automaticallyMergesChangesFromParent = false
        context.mergePolicy = NSErrorMergePolicy
        devices[index].context = context
        await container.waitUntilMirrored()
    }

    private func description(_ file: URL, _ scope: CKDatabase.Scope) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: file)
        description.configuration = scope == .public ? "Public" : "Main"
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: LocalCloud.defaultContainer)
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        return description
    }

    /// Ends the process of a device: nothing of it writes or sends any more.
    func stop(_ index: Int) async {
        devices[index].container?.abandonMirroring()
        for store in devices[index].container?.persistentStoreCoordinator.persistentStores ?? [] {
            do {
                try devices[index].container?.persistentStoreCoordinator.remove(store)
            } catch {
                failure = MirrorViolation(.fails, "\(error)")
            }
        }
        (devices[index].container, devices[index].context) = (nil, nil)
    }

    // MARK: - Steps

    /// There are fewer devices in a history that was made simpler.
    private func index(_ device: Int) -> Int { device % devices.count }

    private func take(_ step: MirrorStep) async throws {
        note(["\(step)"])
        switch step {
        case .save(let device, let changes): try save(changes, on: index(device))
        case .synchronize(let device, let incidents): try await synchronize(index(device), incidents)
        case .restart(let device):
            await stop(index(device))
            try await start(index(device))
        case .goOffline(let device):
            guard devices[index(device)].offline == nil else { return }
            devices[index(device)].offline = cloud.faults.inject(
                .offline, device: devices[index(device)].device.name, times: nil)
        case .goOnline(let device):
            devices[index(device)].offline?.remove()
            devices[index(device)].offline = nil
        case .fault(let device, let fault): prepare(fault, for: devices[index(device)].device.name)
        case .expireTokens: cloud.expireChangeTokens()
        case .deleteHistory(let device): try deleteHistory(on: index(device))
        case .purge: try await purge()
        case .wait(let seconds): cloud.clock.advance(by: .seconds(seconds))
        case .share(let sharing, let incidents): try await share(sharing, incidents)
        case .join(let share): await join(share)
        case .leave(let share): await leave(share)
        case .permit(let device, let share, let permission): await permit(device, share, permission)
        }
    }

    private func save(_ changes: [MirrorChange], on index: Int) throws {
        guard let context = devices[index].context else { return }
        let colleagues = devices.filter { $0.isGuests == devices[index].isGuests }.map(\.number)
        let trust: MirrorTrust =
            devices[index].isGuests
            ? (history.trustsGuest ? .values : .none) : history.sharesFromSeveralDevices ? .existence : .full
        let person = MirrorPerson(device: index, colleagues: colleagues, trust: trust, ledger: ledger)
        let isSaved = try person.save(history.hasPublicStore ? changes : changes.filter { !$0.isPublic }, in: context)
        note(isSaved ? [] : ["  another save came first"])
    }

    private func deleteHistory(on index: Int) throws {
        guard let context = devices[index].context else { return }
        try context.performAndWait {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        }
    }

    private func purge() async throws {
        let ada = cloud.account("ada")
        guard try await cloud.zones(of: ada).contains(Self.zoneID) else { return }
        ledger.purge()
        try await cloud.purge(zone: Self.zoneID, of: ada)
    }

    private func prepare(_ fault: MirrorFault, for device: String) {
        let (injected, calls): (LocalCloud.Fault, LocalCloud.Calls) =
            switch fault {
            case .lostRequest: (.dropBeforeCommit, .writes)
            case .lostAnswer: (.dropAfterCommit, .writes)
            case .lostRead: (.dropAfterCommit, .reads)
            case .throttle: (.throttle(retryAfter: 5), .any)
            case .busy: (.busy(retryAfter: 5), .any)
            case .zoneBusy: (.error(.zoneBusy), .writes)
            }
        cloud.faults.inject(injected, on: calls, device: device, times: fault == .lostRead ? 3 : 1)
    }

    // MARK: - Synchronizing

    /// Exports and imports. If the process ends meanwhile, another one begins.
    func synchronize(_ index: Int, _ incidents: [MirrorIncident] = []) async throws {
        try await atMoments(of: index, incidents) { await $0.synchronizeMirrors() }
        let after = try lines(index)
        note(["  then: \(after)"])
    }

    /// Lets a device do something that has moments at which something else happens. If its process ends meanwhile, another
    /// one begins.
    func atMoments(
        of index: Int, _ incidents: [MirrorIncident] = [], _ body: (NSPersistentCloudKitContainer) async -> Void
    ) async throws {
        guard !devices[index].isBusy, let container = devices[index].container else { return }
        try mutation?.apply(to: devices[index].file)
        let moments = MirrorMoments(incidents, isTraced: isTraced)
        container.mirroringControls?.setCheckpoint { [weak self] name in
            for event in moments.reach(name) { await self?.take(event, on: index, moments) }
        }
        devices[index].isBusy = true
        await body(container)
        devices[index].isBusy = false
        note(moments.trace)
        container.mirroringControls?.setCheckpoint(nil)
        if moments.hasEnded {
            await stop(index)
            cutOffs.removeValue(forKey: index)?.remove()
            try await start(index)
        }
    }

    private func take(_ event: MirrorIncident.Event, on index: Int, _ moments: MirrorMoments) async {
        note(["    meanwhile \(event)"])
        do {
            switch event {
            case .end:
                moments.end()
                cutOffs[index] = cloud.faults.inject(.offline, device: devices[index].device.name, times: nil)
                devices[index].container?.abandonMirroring()
            case .save(let changes): try save(changes, on: index)
            case .synchronize(let other): try await synchronize(self.index(other))
            }
        } catch {
            failure = error as? MirrorViolation ?? MirrorViolation(.fails, "\(error)")
        }
    }

    func lines(_ index: Int) throws -> [String] {
        guard let context = devices[index].context else { return [] }
        return try context.performAndWait {
            context.reset()
            return try MirroredGraph.lines(in: context)
        }
    }

    func checkFailure() throws { if let failure { throw failure } }
}

// `@unchecked Sendable`: the block is called before the function that takes it returns.
/// The error that a load reports.
private final class LoadResult: @unchecked Sendable {
    private(set) var error: (any Error)?

    func set(_ error: (any Error)?) { self.error = self.error ?? error }
}
