import Foundation
import StratusCUbiquity
import StratusCloudKit
import StratusWorkers

/// Keeps the directory of a container and the files on the server the same.
///
/// It compares three trees (``DriveReconciler``) and does one step after another. Each step can be repeated: what a crash
/// left undone is found by the next comparison.
package actor DriveAgent {
    /// Rounds after which a comparison gives way to what waits, as somebody changes files all the time.
    static let rounds = 64
    /// Records in one request.
    static let batch = 100

    /// After what time a failure is tried again: twice as long after each failure, up to a limit.
    static let firstRetry = Duration.seconds(2)
    static let lastRetry = Duration.seconds(300)

    private let executor = DriveExecutor()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package nonisolated let checkpoints = DriveCheckpoints()
    let folder: DriveFolder
    let settings: DriveSettings
    let cloud: DriveCloud
    private let statePath: String
    private var openState: DriveState?
    var watch: DirectoryWatch?
    /// Directories that changed since they were scanned.
    var changedDirectories: Set<[UInt8]> = []
    /// Whether the next scan goes through the whole container.
    var needsWholeScan = true
    /// Directories that the system does not watch, as far as the last scan of the whole container knows.
    var unwatched = 0
    /// The time of the last scan of the whole container.
    var scanned = ContinuousClock.now
    /// The time that the last scan of the whole container took.
    var wholeScanDuration = Duration.zero
    /// Items that the last scan found at two places.
    var torn = DriveTornItems()
    /// Further names of files that the last scan found changed, in directories that it did not scan.
    var otherNames: Set<String> = []
    /// Folders whose disks are not mounted.
    var absent: Set<String> = []
    /// Contents that come before their turn, by record.
    var downloads: [String: DriveDownload] = [:]
    /// Paths that programs have asked to download, and the task that does it.
    var requested: Set<String> = []
    var requesting: Task<Void, Never>?
    var coordination = DriveCoordination()
    /// Seconds that this comparison has waited for programs in vain.
    var heldUp = 0.0
    /// Watches the copies of contents in conflict, which programs resolve.
    var conflictWatch: DirectoryWatch?
    /// The copies of contents in conflict.
    let versions: FileVersions
    /// Whether somebody else is signed in now, whose files these are not.
    var isSignedOut = false
    /// Whether the server answered when it was last asked.
    var isOnline = false
    /// Items of the server that were listed since the zone was listed anew; nil if it was not.
    var listed: Set<String>?
    /// Whether the agent waits for the engine to fetch what the server has.
    private(set) var isFetching = false
    /// The trees as the last comparison had them.
    var knownTree: DriveTree?
    /// Items that are ready to be made here.
    var placements = DrivePlacements()
    /// The time that items that are ready wait for others, so that the disk is waited for once for all of them.
    package var placementDelay = DriveLimits.placementDelay
    /// Items that failed, and why. They are tried again when something changes.
    package var failures: [String: any Error] = [:]
    /// Items whose names others have, as far as the server has said so in this comparison.
    var collisions: Set<String> = []
    /// Items that were tried again in this comparison, because the server has them in another state.
    var retried: Set<String> = []
    /// Items that the last scan did not find for the first time.
    var missed: Set<String> = []
    var isRunning = false
    private(set) var turn: Task<Void, Never>?
    /// Ends the work that runs or waits, by the number of its turn.
    private(set) var cancelTurns: [Int: @Sendable () -> Void] = [:]
    private var lastTurn = 0
    var isStopped = false
    var retry: Task<Void, Never>?
    var endWakes: () -> Void = {}
    /// Items whose attributes show a failure.
    var shownFailures: Set<String> = []
    /// The names in `.stratusignore`, as the last scan read them.
    var ignoredNames: [String] = []
    /// The reason why `.stratusignore` cannot be used; nil if it can, or is not there.
    var ignoreFileFailure: (any Error)?
    /// Chooses the names of records.
    package var newID: @Sendable () -> String = { UUID().uuidString }
    /// The clock of the machine.
    package var now: @Sendable () -> Date = { Date() }

    /// - Parameters:
    ///   - directory: The directory of the container.
    ///   - state: The file in which the agent keeps what it knows.
    package init(directory: String, state: String, database: CKDatabase, settings: DriveSettings) {
        folder = DriveFolder(path: directory, checkpoints: checkpoints)
        versions = FileVersions(
            container: CoordinatedPath.canonical(URL(fileURLWithPath: directory), followingLast: true))
        statePath = state
        self.settings = settings
        cloud = DriveCloud(database)
    }

    /// The agent of a container's directory.
    /// - Parameter cloud: The container on the server, with the account that is signed in.
    package init(container: UbiquityContainer, cloud: CKContainer, settings: DriveSettings) {
        self.init(
            directory: container.path, state: container.agentDirectory.appendingPathComponent("state.sqlite").path,
            database: cloud.privateCloudDatabase, settings: settings)
    }

    var state: DriveState {
        get throws {
            if let openState { return openState }
            let state = try DriveState(path: statePath, checkpoints)
            openState = state
            return state
        }
    }

    /// Synchronizes what has changed up to now, and returns when nothing is left that can be done.
    package func synchronizeFully() async throws {
        try await inTurn { agent in
            agent.failures = [:]
            agent.collisions = []
            agent.retried = []
            agent.heldUp = 0
            do {
                for _ in 0..<Self.rounds {
                    guard try await agent.synchronize() else { break }
                }
            } catch {
                await agent.endDownloads()
                throw error
            }
            await agent.endDownloads()
            try agent.showStates()
            stratus_release_freed_memory()
        }
    }

    /// Runs work after the work that was begun before has ended, as steps of two would disturb each other.
    func inTurn<Value: Sendable>(
        _ work: @escaping @Sendable (isolated DriveAgent) async throws -> Value
    ) async throws -> Value {
        let former = turn
        let task = Task {
            await former?.value
            guard !isStopped else { throw DriveError(.noAgent, "the agent of '\(settings.container)' has ended") }
            return try await work(self)
        }
        lastTurn += 1
        let number = lastTurn
        cancelTurns[number] = { task.cancel() }
        defer { cancelTurns[number] = nil }
        turn = Task { _ = await task.result }
        return try await task.value
    }

    /// Looks at both sides and does what can be done at once.
    /// - Returns: Whether something was done, so that there may be more.
    func synchronize() async throws -> Bool {
        try takeReports()
        do {
            isFetching = true
            defer { isFetching = false }
            try await cloud.fetch()
            try await checkpoints.pause(.fetched)
            isOnline = true
        } catch let error as CKError {
            // Local changes are still looked at; what is pending waits for the network.
            failures[""] = error
            isOnline = false
        }
        try takeReports()
        guard !isSignedOut else {
            throw DriveError(
                .serverNotAvailable, "another person is signed in now; sign in again, and start the agent again")
        }
        try scan()
        // While the list of the server is not whole, what is not in it is not gone. Without the server, nothing can be
        // sent or downloaded.
        guard isOnline, listed == nil else { return false }
        // An item is gone if two scans in a row do not find it. One scan may miss what is moved meanwhile.
        guard missed.isEmpty, torn.inodes.isEmpty, otherNames.isEmpty else { return true }
        try await keepOrphanedCopies()
        if try await work() { return true }
        return try await synchronizeConflicts()
    }
}
