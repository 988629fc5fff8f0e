import StratusCloudStore

/// What a transaction does to a store.
enum StoreAccess {
    case get(keys: Int)
    case range(KeyRange, entries: Int)
    case set
    case clear(KeyRange, isKey: Bool)
}

/// Is told what transactions do.
protocol StoreObserver: Sendable {
    /// - Parameter isWriting: whether the transaction may write.
    func note(_ access: StoreAccess, isWriting: Bool)
}

/// A store whose transactions are watched.
struct ObservedStore<Observer: StoreObserver>: CloudStore {
    private let base: any CloudStore
    let observer: Observer

    init(_ base: any CloudStore, by observer: Observer) {
        self.base = base
        self.observer = observer
    }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await base.read(partition) { try body(ObservedRead(base: $0, observer: observer)) }
    }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(partition) { try body(ObservedWrite(base: $0, observer: observer)) }
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}

private struct ObservedRead: ReadTransaction {
    let base: any ReadTransaction
    let observer: any StoreObserver
    var isWriting = false

    func get(_ keys: [Key]) throws -> [[UInt8]?] {
        observer.note(.get(keys: keys.count), isWriting: isWriting)
        return try base.get(keys)
    }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        let entries = try base.entries(in: range, limit: limit, reverse: reverse)
        observer.note(.range(range, entries: entries.count), isWriting: isWriting)
        return entries
    }
}

private struct ObservedWrite: WriteTransaction {
    let base: any WriteTransaction
    let observer: any StoreObserver
    private var read: ObservedRead { ObservedRead(base: base, observer: observer, isWriting: true) }

    init(base: any WriteTransaction, observer: any StoreObserver) {
        self.base = base
        self.observer = observer
    }

    func get(_ keys: [Key]) throws -> [[UInt8]?] { try read.get(keys) }

    func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] {
        try read.entries(in: range, limit: limit, reverse: reverse)
    }

    func set(_ key: Key, _ value: [UInt8]) {
        observer.note(.set, isWriting: true)
        base.set(key, value)
    }

    func clear(_ key: Key) {
        observer.note(.clear(KeyRange(lower: key, upper: Key(key.bytes + [0])), isKey: true), isWriting: true)
        base.clear(key)
    }

    func clear(_ range: KeyRange) {
        observer.note(.clear(range, isKey: false), isWriting: true)
        base.clear(range)
    }
}
