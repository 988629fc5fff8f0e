import StratusCloudStore

/// The engines that the contract holds for.
enum Engine: String, CaseIterable, Sendable {
    case memory, sqlite, leveldb

    /// Runs `body` with a new store and closes it.
    func withStore(_ body: (any CloudStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let store: any CloudStore =
            switch self {
            case .memory: MemoryStore()
            case .sqlite: try SQLiteStore(directory: directory.path)
            case .leveldb: try LevelDBStore(directory: directory.path)
            }
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        _ = consume directory
    }
}

struct Refusal: Error, Equatable {}

extension Key {
    init(_ text: String) { self.init(Array(text.utf8)) }
    static let all = KeyRange(lower: Key(), upper: Key([0xFF, 0xFF, 0xFF]))
}

extension KeyRange {
    init(_ lower: String, _ upper: String) { self.init(lower: Key(lower), upper: Key(upper)) }
}

extension CloudStore {
    func get(_ key: Key, in partition: Partition) async throws -> [UInt8]? {
        try await read(partition) { try $0.get(key) }
    }

    func set(_ key: Key, _ value: [UInt8], in partition: Partition) async throws {
        try await write(partition) { $0.set(key, value) }
    }

    func all(in partition: Partition) async throws -> [StoreEntry] {
        try await read(partition) { try $0.entries(in: Key.all, limit: .max) }
    }
}

/// A value of `count` bytes that tells values apart.
func value(_ count: Int, _ mark: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ mark) }
}
