import StratusCLevelDB

/// An open database. Every function may be called on any thread.
///
/// `@unchecked Sendable`: LevelDB guards the database itself, the pointer never changes, and it is freed with the last
/// reference.
final class LevelDBDatabase: @unchecked Sendable {
    private let handle: OpaquePointer
    /// Keeps alive what the handle calls.
    private let fault: FaultBox?
    private let hold: RemovalHold

    /// - Parameter mayCreate: Whether a database may be made; only where there surely was none.
    /// - Parameter hold: What keeps its files from being removed; lives as long as the database.
    init(
        path: String, mayCreate: Bool, _ options: LevelDBStore.Options, hold: RemovalHold
    ) throws(StoreError) {
        self.hold = hold
        fault = options.fault.map(FaultBox.init)
        var settings = cleveldb_options(
            write_buffer_size: options.writeBufferSize, block_cache_size: options.cacheSize,
            open_tables: Int32(options.openTables), table_size: options.tableSize,
            block_size: options.blockSize, unfiltered_kinds: nil, unfiltered_kind_count: 0, may_create: mayCreate,
            fault: nil, fault_context: nil, hold: hold.handle)
        if let fault {
            settings.fault = callFault
            settings.fault_context = Unmanaged.passUnretained(fault).toOpaque()
        }
        var status = cleveldb_status()
        let handle = options.unfilteredKinds.withUnsafeBufferPointer { kinds in
            settings.unfiltered_kinds = kinds.baseAddress
            settings.unfiltered_kind_count = kinds.count
            return cleveldb_open(path, &settings, &status)
        }
        guard let handle else {
            throw StoreError(levelDB: status, while: "opening \(path)")
        }
        self.handle = handle
    }

    deinit { cleveldb_close(handle) }

    /// Calls `body` with a snapshot of what is durable.
    func withSnapshot<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        let snapshot: OpaquePointer = cleveldb_take_snapshot(handle)
        defer { cleveldb_release_snapshot(snapshot) }
        return try body(snapshot)
    }

    /// The value of a row; without a snapshot of what was appended, durable or not.
    func get(_ row: UnsafeRawBufferPointer, _ snapshot: OpaquePointer?) throws(StoreError) -> [UInt8]? {
        var status = cleveldb_status()
        var value: UnsafeRawPointer?
        var size = 0
        switch cleveldb_get(handle, snapshot, row.baseAddress, row.count, &value, &size, &status) {
        case 1: return Array(UnsafeRawBufferPointer(start: value, count: size))
        case 0: return nil
        default: throw StoreError(levelDB: status, while: "reading a key")
        }
    }

    /// Calls `body` with rows from `lower` up to `upper`, which is not among them, until it returns false.
    func forEach(
        from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer, reverse: Bool = false,
        isScan: Bool = false, _ snapshot: OpaquePointer?,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        let iterator: OpaquePointer = cleveldb_iterate(
            handle, snapshot, lower.baseAddress, lower.count, upper.baseAddress, upper.count, reverse, isScan)
        var key: UnsafeRawPointer?
        var value: UnsafeRawPointer?
        var (keySize, valueSize) = (0, 0)
        while cleveldb_next(iterator, &key, &keySize, &value, &valueSize) {
            let goesOn = body(
                UnsafeRawBufferPointer(start: key, count: keySize),
                UnsafeRawBufferPointer(start: value, count: valueSize))
            if !goesOn { break }
        }
        var status = cleveldb_status()
        cleveldb_end_iteration(iterator, &status)
        guard status.code == 0 else { throw StoreError(levelDB: status, while: "reading a range") }
    }

    /// Appends writes, which readers see when they are durable. On one thread at a time.
    func append(_ batch: WriteBatch) throws(StoreError) {
        var status = cleveldb_status()
        cleveldb_append_batch(handle, batch.handle, &status)
        guard status.code == 0 else { throw StoreError(levelDB: status, while: "writing") }
    }

    /// Makes durable what was appended before. On one thread at a time, which need not be the one that appends. After a
    /// failure the database must be closed.
    func sync() throws(StoreError) {
        var status = cleveldb_status()
        cleveldb_sync_batches(handle, &status)
        guard status.code == 0 else { throw StoreError(levelDB: status, while: "writing") }
    }

    /// Moves what is in the log to tables, so that opening has nothing to replay.
    func flush() { cleveldb_flush(handle) }
}

/// A closure behind a C pointer.
private final class FaultBox: Sendable {
    let body: @Sendable (LevelDBOperation, String) -> Int32

    init(_ body: @escaping @Sendable (LevelDBOperation, String) -> Int32) { self.body = body }
}

private func callFault(_ context: UnsafeMutableRawPointer?, _ operation: Int32, _ name: UnsafePointer<CChar>?) -> Int32
{
    guard let context, let name, let operation = LevelDBOperation(rawValue: operation) else { return 0 }
    return Unmanaged<FaultBox>.fromOpaque(context).takeUnretainedValue().body(operation, String(cString: name))
}
