import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// Carries the records of items to the server and back, on a sync engine. What the server says waits here until the
/// agent takes it.
final class DriveCloud: CKSyncEngineDelegate {
    /// The result of sending a record.
    enum Outcome: Sendable {
        case saved(CKRecord)
        case failed(CKError)
    }

    /// An event of the engine.
    enum Report: Sendable {
        case records([CKRecord], gone: [String])
        /// The zone is listed anew, or is gone.
        case zoneDeleted
        case fetched
        case state(Data)
        /// Nobody is signed in any more, or somebody else.
        case signedOut
        case signedIn(String)
    }

    private struct State: Sendable {
        var engine: CKSyncEngine?
        var reports: [Report] = []
        var records: [String: CKRecord] = [:]
        var outcomes: [String: Outcome] = [:]
        var transfers: [String: Transfer] = [:]
        var wake: @Sendable () -> Void = {}
        var take: @Sendable () async -> Void = {}
        /// Whether the files are those of somebody else than the person who is signed in.
        var isSignedOut = false
        var user: String?

        /// Records that were reported and not taken yet.
        var waitingRecords: Int {
            reports.reduce(0) { count, report in
                if case .records(let records, let gone) = report { count + records.count + gone.count } else { count }
            }
        }
    }

    /// A content on its way.
    struct Transfer: Hashable, Sendable {
        var isUpload: Bool
        var done: Int64 = 0
        var total: Int64
    }

    /// Contents that are on their way now, by record.
    var transfers: [String: Transfer] { state.withLock { $0.transfers } }

    private let state = Lock(State())
    let database: CKDatabase

    init(_ database: CKDatabase) { self.database = database }

    /// - Parameters:
    ///   - take: Called when many records wait to be taken. No further ones come until it has returned.
    ///   - wake: Called when the server has said something by itself.
    ///   - isListing: Whether the zone was being listed anew when the process before ended.
    ///   - user: The person whose files these are; nil if nobody was signed in yet.
    func start(
        _ serialization: Data?, isListing: Bool, user: String?, automatically: Bool,
        take: @escaping @Sendable () async -> Void, wake: @escaping @Sendable () -> Void
    ) {
        let decoder = PropertyListDecoder()
        let stored =
            isListing
            ? nil : serialization.flatMap { try? decoder.decode(CKSyncEngine.State.Serialization.self, from: $0) }
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: stored, delegate: self)
        configuration.seesReservedZones = true
        configuration.fetchesAssets = false
        configuration.automaticallySync = automatically
        state.withLock { ($0.take, $0.wake, $0.user) = (take, wake, user) }
        let engine = CKSyncEngine(configuration)
        // Unsent changes of an earlier process are found again by comparing the trees.
        engine.state.remove(pendingRecordZoneChanges: engine.state.pendingRecordZoneChanges)
        state.withLock { $0.engine = engine }
        // Everything is fetched anew, so what is not among it is gone.
        if serialization != nil, stored == nil { report(.zoneDeleted) }
    }

    func stop() async {
        let engine = state.withLock { state in
            defer { state.engine = nil }
            return state.engine
        }
        await engine?.cancelOperations()
    }

    /// Takes what was heard since the last time.
    func takeReports() -> [Report] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// Gives reports back that could not be noted, so that they are taken again.
    func giveBack(_ reports: [Report]) { state.withLock { $0.reports = reports + $0.reports } }

    func fetch() async throws {
        let engine = state.withLock { $0.engine }
        guard let engine else { return }
        try await engine.fetchChanges(CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([FileRecord.zoneID])))
        // Only now it is sure that all pages came.
        report(.fetched)
    }

    /// Sends records, and says what became of each.
    func send(_ records: [CKRecord]) async -> [String: Outcome] {
        guard let engine = state.withLock({ $0.isSignedOut ? nil : $0.engine }), !records.isEmpty else { return [:] }
        state.withLock { state in
            state.records = Dictionary(records.map { ($0.recordID.recordName, $0) }) { first, _ in first }
            state.outcomes = [:]
            for record in records {
                guard let size = record.contentSize else { continue }
                state.transfers[record.recordID.recordName] = Transfer(isUpload: true, total: size)
            }
        }
        defer {
            state.withLock { state in
                for record in records { state.transfers[record.recordID.recordName] = nil }
            }
        }
        engine.state.add(pendingRecordZoneChanges: records.map { .saveRecord($0.recordID) })
        var failure: CKError?
        do { try await engine.sendChanges() } catch { failure = error as? CKError }
        // The engine must not try again: the next comparison decides what to send.
        engine.state.remove(pendingRecordZoneChanges: records.map { .saveRecord($0.recordID) })
        return state.withLock { state in
            defer { (state.records, state.outcomes) = ([:], [:]) }
            if let failure {
                for name in state.records.keys where state.outcomes[name] == nil {
                    state.outcomes[name] = .failed(failure)
                }
            }
            return state.outcomes
        }
    }

    /// Notes how many bytes of an upload the server has.
    func note(sent count: Int64, of id: String) { state.withLock { $0.transfers[id]?.done = count } }

    /// Brings a content of an item into a file, which exists.
    /// - Parameters:
    ///   - field: The field with the content.
    ///   - offset: How many bytes the file has already.
    /// - Throws: `content` if the server has another one by now, which the next fetch says.
    func download(
        _ id: String, _ field: String, checksum: String, to path: String, from offset: Int64
    ) async throws {
        defer { _ = state.withLock { $0.transfers.removeValue(forKey: id) } }
        try await database.downloadAsset(
            field, of: FileRecord.recordID(id), checksum: checksum, to: path, from: offset,
            begin: { asset in
                if asset.checksum != checksum { throw DriveFailure.content(id) }
                self.state.withLock { $0.transfers[id] = Transfer(isUpload: false, done: offset, total: asset.size) }
            },
            progress: { done in self.state.withLock { $0.transfers[id]?.done = done } })
    }

    // MARK: - What the engine asks and reports

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        CKSyncEngine.FetchChangesOptions(
            scope: .zoneIDs([FileRecord.zoneID]), operationGroup: context.options.operationGroup)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let records = state.withLock { $0.isSignedOut ? [:] : $0.records }
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { records[$0.recordName] }
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .stateUpdate(let update):
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            guard let data = try? encoder.encode(update.stateSerialization) else { return }
            report(.state(data))
            // The state says that the records were fetched that were reported before it, and both are noted together.
            if state.withLock({ $0.waitingRecords >= DriveLimits.waitingRecords }) {
                await state.withLock { $0.take }()
            }
        case .accountChange(let change):
            if case .signIn(let user) = change.changeType {
                let isSame = state.withLock { state in
                    if state.user == nil { state.user = user.recordName }
                    if state.user != user.recordName { state.isSignedOut = true }
                    return !state.isSignedOut
                }
                report(isSame ? .signedIn(user.recordName) : .signedOut)
            } else {
                state.withLock { $0.isSignedOut = true }
                report(.signedOut)
            }
        case .fetchedDatabaseChanges(let changes):
            if changes.deletions.contains(where: { $0.zoneID.zoneName == FileFormat.zoneName }) {
                report(.zoneDeleted)
            }
        case .fetchedRecordZoneChanges(let changes):
            let records = changes.modifications.map(\.record).filter {
                $0.recordID.zoneID.zoneName == FileFormat.zoneName
            }
            let gone = changes.deletions.map(\.recordID).filter { $0.zoneID.zoneName == FileFormat.zoneName }
            report(.records(records, gone: gone.map(\.recordName)))
        case .didFetchChanges(let end):
            if end.context.reason != .manual { state.withLock { $0.wake }() }
        case .sentRecordZoneChanges(let sent):
            state.withLock { state in
                for record in sent.savedRecords { state.outcomes[record.recordID.recordName] = .saved(record) }
                for failure in sent.failedRecordSaves {
                    state.outcomes[failure.record.recordID.recordName] = .failed(failure.error)
                }
            }
        default: break
        }
    }

    private func report(_ report: Report) { state.withLock { $0.reports.append(report) } }
}

extension CKRecord {
    /// Bytes of the content that is sent with a record; nil if none is.
    fileprivate var contentSize: Int64? {
        guard let url = (self[FileFormat.content] as? CKAsset)?.fileURL,
            let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
        else { return nil }
        return size.int64Value
    }
}
