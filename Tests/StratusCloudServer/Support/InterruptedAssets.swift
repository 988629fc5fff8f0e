import StratusCloudAssets
import StratusWorkers

/// Assets in memory that do something else between the head and the body of an upload, as another client would.
final class InterruptedAssets: AssetStore {
    private let base = MemoryAssets()
    private let interruption = Lock<(@Sendable () async -> Void)?>(nil)

    func interruptNextUpload(_ body: @escaping @Sendable () async -> Void) {
        interruption.withLock { $0 = body }
    }

    func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter {
        let body = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        await body?()
        return try await base.write(file, of: owner, from: offset, expecting: expecting)
    }

    func content(of file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> AssetContent {
        try await base.content(of: file, of: owner)
    }

    func remove(_ files: [AssetFileID], of owner: AssetOwner) async throws(AssetStoreError) {
        try await base.remove(files, of: owner)
    }

    func contains(_ file: AssetFileID, of owner: AssetOwner) async throws(AssetStoreError) -> Bool {
        try await base.contains(file, of: owner)
    }
}
