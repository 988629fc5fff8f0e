import CloudAssets
import CloudServer
import CloudService
import CloudStore
import Workers

/// Works on the data of a stopped server, whose lock it holds meanwhile.
final class LocalOperator: Operator {
    private let store: any MaintainedStore
    private let control: ControlService
    /// Threads that may wait for the disk.
    private let pool = WorkerPool(threads: 2)

    /// Opens the data; makes the directory if there is none. Blocks.
    init(_ directory: DataDirectory) throws {
        try directory.create()
        let secret = try directory.secretKey()
        store = try StoreEngine.open(directory: directory.path)
        let assets = try FolderAssets(directory: directory.assetsDirectory)
        // The operator is bound by no limit but what the server could be told.
        var limits = AssetLimits()
        limits.assetSize = AssetLimitSettings.sizes.upperBound
        limits.pendingUploads = AssetLimitSettings.uploadCounts.upperBound
        limits.pendingBytes = .max
        let service = CloudService(store: store, secret: secret, assets: assets, assetLimits: limits)
        control = ControlService(service, store: store)
    }

    func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
        await withTaskExecutorPreference(pool) { await control.perform(request) }
    }

    func close() async { await store.close() }
}
