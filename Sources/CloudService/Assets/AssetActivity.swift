import CloudStore
import Workers

/// What this process does with assets at the moment.
final class AssetActivity: Sendable {
    private struct State {
        var uploads: Set<AssetUploadID> = []
        var databases: Set<Partition> = []
    }

    private let state = Lock(State())

    /// Marks an upload as being received; false if it is already.
    func begin(_ upload: AssetUploadID) -> Bool { state.withLock { $0.uploads.insert(upload).inserted } }

    func end(_ upload: AssetUploadID) { state.withLock { _ = $0.uploads.remove(upload) } }

    /// Whether the collection is known to look at a database.
    func isRegistered(_ partition: Partition) -> Bool { state.withLock { $0.databases.contains(partition) } }

    func noteRegistered(_ partition: Partition) {
        state.withLock { state in
            if state.databases.count >= AssetLimits.rememberedDatabases { state.databases = [] }
            state.databases.insert(partition)
        }
    }
}
