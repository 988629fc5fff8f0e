import CloudAssets
import CloudServer
import CloudService
import CloudStore

/// Works on the data of a stopped server, whose lock it holds meanwhile.
final class LocalOperator: Operator {
    private let store: any MaintainedStore
    private let control: ControlService

    /// Opens the data; makes the directory if there is none. Blocks.
    init(_ directory: DataDirectory) throws {
        try directory.create()
        let secret = try directory.secretKey()
        store = try StoreEngine.open(directory: directory.path)
        let assets = try FolderAssets(directory: directory.assetsDirectory)
        control = ControlService(CloudService(store: store, secret: secret, assets: assets), store: store)
    }

    func answer(to request: ControlRequest) async throws(ToolError) -> ControlResponse {
        await control.perform(request)
    }

    func close() async { await store.close() }
}
