import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// The work that the store has with the content of a file, and what is left of an upload that fails.
@Suite struct FileCostTests {
    private let store = CountingStore()
    private let assets = MemoryAssets()
    private let cloud: TestCloud
    private var service: CloudService { cloud.service }
    private var caller: Caller { cloud.user() }

    init() async throws { cloud = try await TestCloud(store: store, assets: assets) }

    private func put(
        _ body: Pieces, _ name: String, ifTagged tag: String? = nil, length: Int64? = nil
    ) async throws -> FileItem {
        let item = try await service.filePlace(at: [name], as: caller).item
        let upload = try await service.beginFileUpload(
            to: item.map { .existing($0, ifTagged: tag) } ?? .new(name: name, folder: .root), length: length,
            as: caller)
        return try await service.receiveFile(upload, body: body, as: caller)
    }

    @Test("an upload commits twice: before its first byte, and when its file is saved")
    func upload() async throws {
        _ = try await put(Pieces([1]), "first")
        let counts = try await store.counting { _ = try await put(Pieces([2]), "a") }
        #expect(counts.writes == 2)
        let same = try await store.counting { _ = try await put(Pieces([2]), "b") }
        #expect(same.writes == 2)
        // Equal bytes are kept once.
        #expect(assets.files.count == 2)
    }

    @Test("a file is found and opened with two reads, however deep it is")
    func download() async throws {
        var folder = FileFolder.root
        for name in ["a", "b", "c"] {
            folder = .item(try await service.createFolder(FileChanges(name: name, folder: folder), as: caller).id)
        }
        let upload = try await service.beginFileUpload(to: .new(name: "f", folder: folder), length: 1, as: caller)
        _ = try await service.receiveFile(upload, body: Pieces([1]), as: caller)
        let counts = try await store.counting {
            let item = try #require(try await service.filePlace(at: ["a", "b", "c", "f"], as: caller).item)
            let download = try await service.downloadFile(item, as: caller)
            #expect(try service.bytes(of: download) == [1])
        }
        #expect(counts == CountingStore.Counts(reads: 2, writes: 0))
    }

    /// A client that breaks off again and again must not use up the number of uploads that an account may have under way.
    @Test("an upload that breaks off, or that cannot be saved, leaves neither bytes nor a pending upload")
    func failures() async throws {
        let item = try await put(Pieces([1, 2, 3]), "a")
        let kept = assets.files.count
        func pending() async throws -> Int64 {
            let partition = try DatabaseAddress(.private, CloudService.filesZoneID, caller).partition
            let uploads: PendingUploads? = try await store.read(partition) {
                try $0.value(at: Keyspace.pendingUploads(of: caller.authorRecordName))
            }
            return uploads?.count ?? 0
        }
        await #expect(throws: CloudError.self) { try await put(Pieces([4, 5], breakingOffAt: 1, size: 1), "b") }
        #expect(try await pending() == 0 && assets.files.count == kept)
        await #expect(throws: CloudError.self) { try await put(Pieces([4, 5]), "a", ifTagged: "no such tag") }
        #expect(try await pending() == 0 && assets.files.count == kept)
        await #expect(throws: CloudError.self) { try await put(Pieces([4]), "c", length: 2) }
        #expect(try await pending() == 0 && assets.files.count == kept)
        #expect(try await service.filePlace(at: ["b"], as: caller).item == nil)
        let unchanged = try #require(try await service.filePlace(at: ["a"], as: caller).item)
        #expect(unchanged == item)
    }
}

/// A store that counts transactions.
private final class CountingStore: CloudStore {
    struct Counts: Equatable {
        var reads = 0
        var writes = 0
    }

    private let base = MemoryStore()
    private let counts = Lock(Counts())

    func counting(_ body: () async throws -> Void) async rethrows -> Counts {
        counts.withLock { $0 = Counts() }
        try await body()
        return counts.withLock { $0 }
    }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        counts.withLock { $0.reads += 1 }
        return try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        counts.withLock { $0.writes += 1 }
        return try await base.write(partition, body)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }
    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}
