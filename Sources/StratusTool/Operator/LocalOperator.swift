import StratusCloudAssets
import StratusCloudServer
import StratusCloudService
import StratusCloudStore
import StratusWorkers

/// Works on the data of a stopped server, whose lock it holds meanwhile.
final class LocalOperator: Operator {
    private let store: any MaintainedStore
    private let control: ControlService
    /// Threads that may wait for the disk.
    private let pool = WorkerPool(threads: 2)

    /// Opens the data; makes them, and the directory, if there are none. Brings data of older versions into the
    /// present form.
    static func open(_ directory: DataDirectory) async throws -> LocalOperator {
        try directory.create()
        let secret = try directory.secretKey()
        let store = try StoreEngine.open(directory: directory.path)
        do {
            try await StoredDataUpgrade(store).run()
            let assets = try FolderAssets(directory: directory.assetsDirectory)
            return LocalOperator(store, secret: secret, assets, directory.files)
        } catch {
            await store.close()
            throw error
        }
    }

    private init(_ store: any MaintainedStore, secret: [UInt8], _ assets: FolderAssets, _ files: CloudFiles) {
        self.store = store
        // The operator is bound by no limit but what the server could be told.
        var limits = AssetLimits()
        limits.assetSize = AssetLimitSettings.sizes.upperBound
        limits.pendingUploads = AssetLimitSettings.uploadCounts.upperBound
        limits.pendingBytes = .max
        let service = CloudService(store: store, secret: secret, assets: assets, assetLimits: limits)
        control = ControlService(service, store: store, files: files)
    }

    func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
        await withTaskExecutorPreference(pool) {
            let response = await control.perform(request)
            if request.buildsIndexes { await control.buildIndexes() }
            return response
        }
    }

    func close() async { await store.close() }
}
