import CLevelDB

/// Writes that are made durable together, in the order they count. They go straight into the form that LevelDB appends
/// to its log.
final class WriteBatch {
    let handle: OpaquePointer = cleveldb_make_batch()
    private(set) var isEmpty = true

    deinit { cleveldb_free_batch(handle) }

    /// Bytes in the batch.
    var size: Int { cleveldb_batch_size(handle) }

    func set(_ prefix: [UInt8], _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        cleveldb_set(handle, prefix, prefix.count, key.baseAddress, key.count, value.baseAddress, value.count)
        isEmpty = false
    }

    func set(_ prefix: [UInt8], _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in value.withUnsafeBytes { value in set(prefix, key, value) } }
    }

    func clear(_ prefix: [UInt8], _ key: UnsafeRawBufferPointer) {
        cleveldb_clear(handle, prefix, prefix.count, key.baseAddress, key.count)
        isEmpty = false
    }

    func clear(row: UnsafeRawBufferPointer) {
        cleveldb_clear(handle, nil, 0, row.baseAddress, row.count)
        isEmpty = false
    }

    func set(row: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        cleveldb_set(handle, nil, 0, row.baseAddress, row.count, value.baseAddress, value.count)
        isEmpty = false
    }

    /// Takes out everything, and keeps the memory for what comes next.
    func removeAll() {
        cleveldb_empty_batch(handle)
        isEmpty = true
    }
}
