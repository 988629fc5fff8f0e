import Foundation
import StratusTesting
import StratusUbiquity
import StratusWorkers

/// A device: its directory, its agent, the person at it, and what is wrong with it.
struct DriveDevice: Sendable {
    let name: String
    let device: LocalCloud.Device
    let directory: String
    let person: DrivePerson
    let disk: DriveDisk
    /// nil while no process runs, because the disk had no room for it.
    var agent: DriveAgent?
    var offline: LocalCloud.Injection?
    var quota: LocalCloud.Injection?
    /// Whether its agent works now.
    var isBusy = false

    private let state: String
    private let settings: DriveSettings

    static func name(_ number: Int) -> String { "device-\(number)" }

    init(
        _ number: Int, in root: String, _ cloud: LocalCloud, _ ledger: DriveLedger, _ mutation: DriveMutation?
    ) throws {
        name = Self.name(number)
        directory = root + "/" + name
        state = directory + ".sqlite"
        device = cloud.account("ada").device(name)
        disk = DriveDisk()
        person = DrivePerson(directory, number: number, ledger, disk, mutation)
        var settings = DriveSettings(deviceName: name)
        settings.downloadsNewFiles = number != DriveHistory.devices - 1
        self.settings = settings
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Starts a process.
    /// - Throws: What a moment throws.
    func start(_ moments: DriveMoments, newID: @escaping @Sendable () -> String) async throws -> DriveAgent {
        let agent = DriveAgent(
            directory: directory, state: state, database: device.container.privateCloudDatabase, settings: settings)
        agent.checkpoints.set { moment, name in try moments.reach(moment, name) }
        let person = person
        try await agent.startManually(newID: newID) { person.date }
        return agent
    }
}

extension DriveAgent {
    /// Begins to synchronize when it is asked to, with another clock and other names of records.
    package func startManually(
        newID: @escaping @Sendable () -> String, now: @escaping @Sendable () -> Date
    ) throws {
        self.newID = newID
        self.now = now
        // What happens does not depend on how fast the machine is.
        placementDelay = .seconds(86_400)
        try startManually(watches: true)
    }
}
