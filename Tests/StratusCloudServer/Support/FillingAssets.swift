import StratusCloudAssets
import StratusWorkers

/// Assets in memory on a disk that can be full: opening files works then, and writing to them does not.
final class FillingAssets: AssetStore {
    let base = MemoryAssets()
    private let full = Lock(false)

    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    func write(
        _ file: AssetFileID, of owner: AssetOwner, from offset: Int64, expecting: Int64?
    ) async throws(AssetStoreError) -> any AssetWriter {
        Writer(assets: self, base: try await base.write(file, of: owner, from: offset, expecting: expecting))
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

    private struct Writer: AssetWriter {
        let assets: FillingAssets
        let base: any AssetWriter

        func append(_ bytes: [UInt8]) async throws(AssetStoreError) {
            guard !assets.isFull else { throw AssetStoreError(.diskFull, "no space left on the device") }
            try await base.append(bytes)
        }

        func synchronize() async throws(AssetStoreError) -> AssetStamp? { try await base.synchronize() }
    }
}
