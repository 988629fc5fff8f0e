import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// A copy of a folder that fails when others have begun to use it.
@Suite struct FileCopyTests {
    private let store = BusyStore()
    private let cloud: FileCloud

    init() async throws {
        // Room for the folder's four files, and for one copy and a half.
        let configuration = ServiceConfiguration(quotas: Quotas(privateAssets: 100), operationsPerRequest: 3)
        cloud = try await FileCloud(store: store, configuration: configuration)
        let folder = try await cloud.service.createFolder(
            FileChanges(name: "source", folder: .root), as: cloud.caller)
        _ = try await cloud.service.createFolder(FileChanges(name: "0", folder: .item(folder.id)), as: cloud.caller)
        for number in 1...4 {
            _ = try await cloud.put(String(repeating: "\(number)", count: 15), at: ["source", "\(number)"])
        }
    }

    private func item(_ path: String...) async throws -> FileItem? {
        try await cloud.service.filePlace(at: path, as: cloud.caller).item
    }

    /// Copies the folder, and does something else as soon as the copy has some items.
    private func copy(during body: @escaping @Sendable (FileCloud, FileItem) async throws -> Void) async throws {
        let cloud = cloud
        let source = try #require(try await item("source"))
        let failure = Lock<String?>("the copy made nothing")
        store.beforeEachWrite {
            do {
                guard try await cloud.service.filePlace(at: ["copy", "1"], as: cloud.caller).item != nil,
                    let root = try await cloud.service.filePlace(at: ["copy"], as: cloud.caller).item
                else { return false }
                try await body(cloud, root)
                failure.withLock { $0 = nil }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            return true
        }
        let error = await refusal {
            try await cloud.service.copyFile(source, to: .root, named: "copy", as: cloud.caller)
        }
        #expect(error?.code == .quotaExceeded)
        #expect(failure.withLock { $0 } == nil)
        #expect(cloud.cloud.reports.withLock { $0 }.isEmpty)
    }

    @Test("a copy costs as much as all its items together") func costs() async throws {
        let configuration = ServiceConfiguration(rates: RequestRates(perUser: .perSecond(5)))
        let cloud = try await TestCloud(configuration: configuration)
        var caller = cloud.user()
        caller.payers = [.user(cloud.context, try #require(caller.userRecordName))]
        let folder = try await cloud.service.createFolder(FileChanges(name: "d", folder: .root), as: caller)
        for number in 0..<24 {
            _ = try await cloud.service.createFolder(
                FileChanges(name: "\(number)", folder: .item(folder.id)), as: caller)
        }
        try cloud.service.admit(RequestCost(), of: caller)
        _ = try await cloud.service.copyFile(folder, to: .root, named: "c", as: caller)
        #expect(throws: CloudError.self) { try cloud.service.admit(RequestCost(), of: caller) }
    }

    @Test("a copy that fails disappears, if nobody has used it") func unused() async throws {
        try await copy { _, _ in }
        #expect(try await cloud.names() == ["source"])
        #expect(try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items.isEmpty)
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 60)
    }

    @Test("what others saved in a copy that fails stays in Recently Deleted", arguments: ["", "0"])
    func additions(folder: String) async throws {
        try await copy { cloud, root in
            let path = folder.isEmpty ? ["copy"] : ["copy", folder]
            let item = try #require(try await cloud.service.filePlace(at: path, as: cloud.caller).item)
            _ = try await cloud.service.createEmptyFile(
                FileChanges(name: "mine", folder: .item(item.id)), as: cloud.caller)
        }
        #expect(try await cloud.names() == ["source"])
        let deleted = try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items
        #expect(deleted.map(\.name) == ["copy"])
        _ = try await cloud.service.restoreFile(named: try #require(deleted.first).id, as: cloud.caller)
        let root = try #require(try await item("copy"))
        let kept = folder.isEmpty ? try await item("copy", "mine") : try await item("copy", folder, "mine")
        #expect(kept != nil)
        #expect(try await cloud.names(in: .item(root.id)) == [folder.isEmpty ? "mine" : folder])
        #expect(try await cloud.service.fileRoom(as: cloud.caller).used == 60, "the files of the copy are gone")
    }

    @Test("an item of a copy that others changed stays in Recently Deleted") func changes() async throws {
        try await copy { cloud, root in
            let item = try #require(try await cloud.service.filePlace(at: ["copy", "1"], as: cloud.caller).item)
            _ = try await cloud.service.moveFile(item, to: .item(root.id), named: "renamed", as: cloud.caller)
        }
        let deleted = try await cloud.service.listRecentlyDeletedFiles(as: cloud.caller).items
        #expect(deleted.map(\.name) == ["copy"])
        let root = try #require(deleted.first)
        #expect(try await cloud.names(in: .item(root.id)) == ["renamed"])
    }
}

/// A store in memory that does something else before it writes, as another client would.
private final class BusyStore: CloudStore {
    private let base = MemoryStore()
    private let interruption = Lock<(@Sendable () async -> Bool)?>(nil)

    /// - Parameter body: Is called until it returns true. Its own writes are not interrupted.
    func beforeEachWrite(_ body: @escaping @Sendable () async -> Bool) { interruption.withLock { $0 = body } }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(partition, body) }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        if let interruption, await !interruption() { beforeEachWrite(interruption) }
        return try await base.write(partition, body)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }
    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}
