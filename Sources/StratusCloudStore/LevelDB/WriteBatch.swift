import StratusCLevelDB

/// Writes that are made durable together, in the order they count. They go straight into the form that LevelDB appends
/// to its log.
final class WriteBatch {
    let handle: OpaquePointer = cleveldb_make_batch()
    /// Rows written and cleared.
    private(set) var count = 0

    deinit { cleveldb_free_batch(handle) }

    /// Bytes in the batch.
    var size: Int { cleveldb_batch_size(handle) }

    func set(_ prefix: [UInt8], _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        cleveldb_set(handle, prefix, prefix.count, key.baseAddress, key.count, value.baseAddress, value.count)
        count += 1
    }

    func set(_ prefix: [UInt8], _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { value in set(prefix, key, value) } }
    }

    func clear(_ prefix: [UInt8], _ key: UnsafeRawBufferPointer) {
        cleveldb_clear(handle, prefix, prefix.count, key.baseAddress, key.count)
        count += 1
    }

    func clear(row: UnsafeRawBufferPointer) {
        cleveldb_clear(handle, nil, 0, row.baseAddress, row.count)
        count += 1
    }

    func set(row: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        cleveldb_set(handle, nil, 0, row.baseAddress, row.count, value.baseAddress, value.count)
        count += 1
    }

    /// Takes out everything, and keeps the memory for what comes next.
    func removeAll() {
        cleveldb_empty_batch(handle)
        count = 0
    }
}
