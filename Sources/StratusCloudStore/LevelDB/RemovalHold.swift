import StratusCLevelDB

/// Keeps the files of a database from being removed while somebody copies them.
///
/// `@unchecked Sendable`: the pointer never changes, and what it points to is an atomic number.
final class RemovalHold: @unchecked Sendable {
    let handle: OpaquePointer = cleveldb_make_hold()

    deinit { cleveldb_free_hold(handle) }

    /// Nothing is removed until as many ``end()`` were called.
    func begin() { cleveldb_change_hold(handle, 1) }
    func end() { cleveldb_change_hold(handle, -1) }
}
