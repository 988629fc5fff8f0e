import Foundation
import StratusCloudKit
import StratusTestSupport
import StratusTesting
import StratusUbiquity
import StratusWorkers

/// Runs a history over real directories, with the agents and a whole cloud.
actor DriveSimulation {
    let cloud: LocalCloud
    let root: TemporaryDirectory
    let ledger = DriveLedger()
    var devices: [DriveDevice] = []
    private(set) var trace: [String] = []
    private let isTraced: Bool
    let mutation: DriveMutation?
    private let ids = Lock<UInt64>(0)
    private var outage: [LocalCloud.Injection] = []

    private init(_ mutation: DriveMutation?, inMemory: Bool, isTraced: Bool) async throws {
        (self.mutation, self.isTraced) = (mutation, isTraced)
        cloud = try await LocalCloud(LocalCloud.Options(seed: 1))
        cloud.clock.leaveMachine()
        root = try TemporaryDirectory(inMemory: inMemory)
        for number in 0..<DriveHistory.devices {
            devices.append(try DriveDevice(number, in: root.path, cloud, ledger, mutation))
            try await start(number)
        }
    }

    /// - Parameter inMemory: Whether the directories are in memory, which saves the time of waiting for the disk.
    /// - Returns: The rule that was broken, if one was, and what happened.
    static func run(
        _ history: DriveHistory, _ mutation: DriveMutation? = nil, inMemory: Bool = true, isTraced: Bool = false
    ) async throws -> (violation: DriveViolation?, trace: [String]) {
        let simulation = try await DriveSimulation(mutation, inMemory: inMemory, isTraced: isTraced)
        return try await simulation.run(history)
    }

    private func run(_ history: DriveHistory) async throws -> (DriveViolation?, [String]) {
        var violation: DriveViolation?
        do {
            for step in history.steps { try await take(step) }
            try await finish()
        } catch let error as DriveViolation {
            violation = error
        }
        for index in devices.indices {
            devices[index].person.closeAll()
            await stop(index)
        }
        return (violation, trace)
    }

    func note(_ lines: @autoclosure () -> [String]) { if isTraced { trace += lines() } }

    // MARK: - Processes

    func stop(_ index: Int) async {
        let agent = devices[index].agent
        devices[index].agent = nil
        await agent?.stop()
    }

    /// Starts the process of a device, again if it ends while it starts.
    func start(_ index: Int, _ incidents: [DriveIncident] = []) async throws {
        let ids = ids
        for incidents in [incidents, []] {
            let moments = moments(index, incidents)
            do {
                devices[index].agent = try await devices[index].start(moments) { ids.withLock { Self.name(of: &$0) } }
                return
            } catch {
                note(moments.trace + ["  it does not start: \(error)"])
                guard moments.hasEnded else { return }
            }
        }
    }

    /// The next name of a record: any, but always the same ones.
    private static func name(of number: inout UInt64) -> String {
        number += 1
        let mixed = (number &* 0x9E37_79B9_7F4A_7C15) >> 52
        return "\(String(mixed, radix: 16))-\(number)"
    }

    func moments(_ index: Int, _ incidents: [DriveIncident] = []) -> DriveMoments {
        DriveMoments(incidents, devices[index], isTraced: isTraced)
    }

    /// Lets an agent work. If its process ends, another one begins.
    func work(_ index: Int, _ work: DriveWork, _ incidents: [DriveIncident] = []) async throws {
        guard !devices[index].isBusy else { return }
        if devices[index].agent == nil { try await start(index) }
        guard let agent = devices[index].agent else { return }
        let (moments, directory) = (moments(index, incidents), devices[index].directory)
        agent.checkpoints.set { moment, name in
            try moments.reach(moment, name)
        } pause: { [weak self] _ in
            if self?.mutation == .deletesUnseen { unlink(directory + "/a") }
            for other in moments.takeOthers() { try await self?.work(other, .synchronize) }
        }
        devices[index].isBusy = true
        var failure: (any Error)?
        do { try await perform(work, agent) } catch { failure = error }
        devices[index].isBusy = false
        note(moments.trace + (failure.map { ["  it fails: \($0)"] } ?? []))
        if moments.hasEnded {
            await stop(index)
            try await start(index)
        } else {
            agent.checkpoints.set(self.moments(index).reach)
        }
        note(["  then: \(tree(devices[index].directory))"])
        if let failure = failure as? DriveViolation { throw failure }
    }

    private func perform(_ work: DriveWork, _ agent: DriveAgent) async throws {
        switch work {
        case .synchronize: try await agent.synchronizeFully()
        case .evict(let place): try await agent.evict(DrivePlaces.all[place])
        case .download(let place): try await agent.download(DrivePlaces.all[place])
        case .pin(let place): try await agent.setPinned(true, DrivePlaces.all[place])
        case .unpin(let place): try await agent.setPinned(false, DrivePlaces.all[place])
        case .deselect(let place): try await agent.setSelected(false, DrivePlaces.all[place])
        case .select(let place): try await agent.setSelected(true, DrivePlaces.all[place])
        case .restoreVersion(let place, let number):
            let path = DrivePlaces.all[place]
            let versions = try await agent.versions(of: path)
            guard !versions.isEmpty else { return }
            try await agent.restore(path, version: versions[number % versions.count].identifier)
        case .restoreDeleted(let number):
            let names = try await agent.recentlyDeleted().compactMap(\.recordName).sorted()
            guard !names.isEmpty else { return }
            _ = try await agent.restoreDeleted(names[number % names.count])
        case .resolve(let place, let number):
            let path = DrivePlaces.all[place]
            let versions = ["current"] + (try await agent.versions(of: path)).map(\.identifier)
            try await agent.resolve(path, keeping: versions[number % versions.count])
        }
    }

    // MARK: - Events

    private func take(_ step: DriveHistoryStep) async throws {
        note(["\(step)"])
        switch step {
        case .use(let index, let use): devices[index].person.use(use)
        case .work(let index, let work, let incidents): try await self.work(index, work, incidents)
        case .kill(let index, let incidents):
            await stop(index)
            try await start(index, incidents)
        case .goOffline(let index):
            devices[index].offline = devices[index].offline ?? inject(.offline, index)
        case .goOnline(let index):
            devices[index].offline?.remove()
            devices[index].offline = nil
        case .trouble(let index, let trouble): prepare(trouble, index)
        case .fillQuota(let index): devices[index].quota = devices[index].quota ?? inject(.quotaExceeded, index)
        case .freeQuota(let index):
            devices[index].quota?.remove()
            devices[index].quota = nil
        case .fillDisk(let index, let rest): devices[index].disk.fill(after: rest)
        case .freeDisk(let index): devices[index].disk.free()
        case .moveClock(let index, let seconds): devices[index].person.moveClock(seconds)
        case .crashServer(let isCommitted):
            guard outage.isEmpty else { return }
            outage = [
                cloud.faults.inject(isCommitted ? .dropAfterCommit : .dropBeforeCommit),
                cloud.faults.inject(.offline, times: nil),
            ]
        case .restartServer: restartServer()
        case .expireTokens: cloud.expireChangeTokens()
        case .wait(let hours): cloud.clock.advance(by: .seconds(3_600 * hours))
        }
    }

    private func inject(_ fault: LocalCloud.Fault, _ index: Int) -> LocalCloud.Injection {
        cloud.faults.inject(fault, device: devices[index].name, times: nil)
    }

    private func prepare(_ trouble: DriveTrouble, _ index: Int) {
        let (fault, calls): (LocalCloud.Fault, LocalCloud.Calls) =
            switch trouble {
            case .lostChange: (.dropBeforeCommit, .saveRecords)
            case .lostAnswer: (.dropAfterCommit, .saveRecords)
            case .lostUpload: (.dropAfterCommit, .uploadAssets)
            case .lostDownload: (.dropAfterCommit, .downloadAssets)
            case .lostRead: (.dropAfterCommit, .reads)
            case .busy: (.busy(retryAfter: 3), .any)
            }
        // What only reads is tried twice again.
        let times = trouble == .lostRead || trouble == .lostDownload ? 3 : 1
        cloud.faults.inject(fault, on: calls, device: devices[index].name, times: times)
    }

    func restartServer() {
        for injection in outage { injection.remove() }
        outage = []
        cloud.restart()
    }
}

/// A rule that a history has broken.
package struct DriveViolation: Error, CustomStringConvertible {
    package enum Rule: String, Sendable {
        case settles, isEqual, keepsContents, inventsNothing, failsNot, isQuiet, leavesNothing
    }

    package let rule: Rule
    package let text: String
    package var description: String { "\(rule): \(text)" }
}
