import CloudStore
import Foundation
import Workers

typealias StoreRows = [Partition: [Key: [UInt8]]]

extension CloudStore {
    /// Everything that it holds.
    func rows() async throws -> StoreRows {
        var all: StoreRows = [:]
        for partition in try await partitions() {
            let entries = try await read(partition) { transaction in
                try transaction.entries(in: KeyRange(lower: Key(), upper: Key([0xFF])), limit: .max)
            }
            all[partition] = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        }
        return all
    }
}

/// A store that lets so many transactions write, and no more.
final class InterruptedStore: MaintainedStore {
    struct Interruption: Error {}

    private let base: any MaintainedStore
    private let left: Lock<Int>

    init(_ base: any MaintainedStore, after count: Int) {
        self.base = base
        left = Lock(count)
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }
    func verify() async throws { try await base.verify() }
    func withStateFiles<Result: Sendable>(
        _ body: @escaping @Sendable ([StoreFile]) throws -> Result
    ) async throws -> Result { try await base.withStateFiles(body) }
    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition, body)
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let mayWrite = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard mayWrite else { throw Interruption() }
        return try await base.write(partition, body)
    }
}

/// A directory that goes with its owner.
final class Scratch {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("upgrade-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
