import Glibc
import StratusBackups
import StratusCloudAssets
import StratusCloudModel
import StratusCloudService
import StratusCloudStore

/// What a cloud keeps in files beside its store.
public struct CloudFiles: Sendable {
    /// The folder of assets, as ``FolderAssets`` has it.
    public var assets: String
    /// Files with keys, by their names in a data directory.
    public var keys: [String: String]

    /// Where the files are.
    public init(assets: String, keys: [String: String]) {
        self.assets = assets
        self.keys = keys
    }
}

/// What the operator does with the store as a whole. Works on every engine that keeps something.
extension ControlService {
    func backUp(
        to path: String, keeping kept: Int, includesKeys: Bool
    ) async throws(CloudError) -> ControlResponse {
        let store = try maintained()
        guard let files else { throw CloudError(.badRequest, "this server's files cannot be copied") }
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw CloudError(.badRequest, "'\(path)' is not an absolute path of a directory")
        }
        guard BackupFormat.keptRange.contains(kept) else {
            let range = BackupFormat.keptRange
            throw CloudError(
                .badRequest,
                "\(kept) is not a number of backups to keep; it must be from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        let time = ServiceEnvironment.system.now()
        do {
            // Files that come after this are compared by the next backup.
            let digests = try await service.assetDigests()
            let summary = try await store.withStateFiles { stateFiles in
                let writer = try BackupWriter(try BackupDirectory(path: path), time: time)
                // After the store's moment: what a record loses meanwhile stays for as long as `AssetLimits` says.
                try FolderAssets.forEachFile(in: files.assets) { name in
                    let file = StoreFile(path: "assets/\(name)", content: .file("\(files.assets)/\(name)"))
                    try writer.add(file) { digests.matches(path: name, sha256: $0) }
                }
                let keys = files.keys.map { StoreFile(path: $0.key, content: .file($0.value)) }
                let others = stateFiles + (includesKeys ? keys : [])
                for file in others.sorted(by: { $0.path < $1.path }) { try writer.add(file) }
                return try writer.finish(keeping: kept)
            }
            for path in summary.damaged { service.noteDamagedAsset("\(path) was damaged when it was backed up") }
            return .backup(summary)
        } catch {
            return Self.failure(error)
        }
    }

    func answerChecks(_ request: ControlRequest) async throws(CloudError) -> ControlResponse {
        switch request {
        case .verify(let includesAssets, let name):
            return try await checks.watch(name) { progress throws(CloudError) in
                try await verify(includesAssets: includesAssets ?? true, progress)
            }
        case .checkConsistency(let repairs, let isQuick, let name):
            guard !repairs || isQuick != true else {
                throw CloudError(.badRequest, "a quick check repairs nothing")
            }
            return try await checks.watch(name) { progress throws(CloudError) in
                let report =
                    isQuick == true
                    ? try await service.checkQuickly(progress)
                    : try await service.checkConsistency(repairing: repairs, progress)
                return .consistency(ControlConsistency(report))
            }
        case .checkProgress(let name):
            guard let progress = checks[name] else { return .done }
            return .checkProgress(rows: progress.rowsRead, assetBytes: progress.assetBytesRead)
        default:
            throw CloudError(.badRequest, "this is not a check")
        }
    }

    private func verify(
        includesAssets: Bool, _ progress: CheckProgress
    ) async throws(CloudError) -> ControlResponse {
        let store = try maintained()
        do {
            try await store.verify { progress.addRows($0) }
            if includesAssets { try await service.verifyAssets(progress) }
            return .verified(rows: progress.rowsRead)
        } catch {
            return Self.failure(error)
        }
    }

    private func maintained() throws(CloudError) -> any MaintainedStore {
        guard let store else { throw CloudError(.badRequest, "this server's store can be neither copied nor checked") }
        return store
    }

    private static func failure(_ error: any Error) -> ControlResponse {
        guard let error = error as? StoreError else {
            return .storeFailed(code: StoreError.Code.ioFailure.rawValue, message: "\(error)")
        }
        return .storeFailed(code: error.code.rawValue, message: error.message)
    }
}
