import Foundation

/// A store of rows, on which persistent stores are built.
///
/// All calls block until the work is done. They are safe from any thread, but belong on a queue of their own, never on
/// a thread of Swift's concurrency. They throw ``StoreFailure``, ``SaveFailure`` or ``FetchFailure``, and then have
/// changed nothing.
protocol RowStore: AnyObject, Sendable {
    /// The UUID of the store, as in the URIs of object IDs.
    var identifier: String { get }

    /// The layout of entities and properties.
    var layout: StoreLayout { get }

    /// Returns the metadata as a property list, including the version hashes of the model.
    func metadata() throws -> [String: Any]

    /// Replaces the metadata by a property list. What identifies the store and its model stays.
    func setMetadata(_ metadata: [String: Any]) throws

    /// Reserves primary keys for new rows: as many as given for the name of each entity. They are never given again.
    func obtainKeys(_ counts: [String: Int]) throws -> [String: [RowKey]]

    /// Returns the rows that exist among `keys`.
    func rows(_ keys: [RowKey]) throws -> [RowKey: StoredRow]

    /// Returns a row; nil if it does not exist.
    func row(_ key: RowKey) throws -> StoredRow?

    /// Returns the rows that a to-many relationship of a row leads to, in their order if the relationship is ordered.
    func destinations(of relationship: String, from key: RowKey) throws -> [RowKey]

    /// Does all of the changes in one transaction.
    func save(_ changes: RowChanges) throws -> SavedRows

    /// Returns what a fetch finds. What has no translation to SQL is a ``FetchFailure``.
    func fetch(_ plan: FetchPlan) throws -> FetchedRows

    /// Whether the store refuses saves.
    var isReadOnly: Bool { get }

    /// Whether saves are kept in a history, which the functions for transactions need.
    var recordsHistory: Bool { get }

    /// The number of the last transaction in the history; 0 if there was none.
    func lastTransaction() throws -> Int64

    /// Returns the transactions after a number; nil if some of them have been deleted. Without a number, all that remain
    /// are returned.
    func transactions(after number: Int64?, includesChanges: Bool) throws -> [StoredTransaction]?

    /// Deletes the history before a transaction.
    func deleteHistory(before number: Int64) throws

    /// Deletes the history before a date.
    func deleteHistory(before date: Date) throws

    /// Whether the store exists only as long as this object.
    var isInMemory: Bool { get }

    /// Whether others have changed the store since the last call. The first call returns true.
    func hasChangedElsewhere() throws -> Bool

    /// Returns a store that shows the rows as they are now, however they change; nil if the store cannot.
    func snapshot() throws -> (any RowStore)?

    /// Copies the store to a file, which is replaced if it is a store, and closes it. Neither a save nor a read comes
    /// between the two.
    /// - Parameter willClose: Called after the copy, so that those who wait for the store find out why it is closed.
    func move(to path: String, willClose: () -> Void) throws

    /// Closes the file. Later calls throw ``StoreFailure/Kind/closed``.
    func close()
}

/// The changes of one save to the rows of one store.
struct RowChanges: Sendable {
    /// New rows with keys from ``RowStore/obtainKeys(_:)``. Their ``StoredRow/version`` does not count.
    var inserted: [StoredRow] = []
    var updated: [RowUpdate] = []
    var deleted: [RowDeletion] = []
    var toMany: [ToManyChange] = []
    /// Rows that the save does not change, and that must not have changed either.
    var checked: [RowVersion] = []
    /// The program and context of the save, for the history.
    var origin = SaveOrigin()
    /// Further work in the transaction of the save. Only stores in SQLite files do it.
    var work: StoreWork?
}

/// The rows that a save has changed.
struct SavedRows: Sendable {
    /// The version of each row that was inserted.
    static let firstVersion: Int64 = 1

    /// The new version of each row that was updated.
    var versions: [RowKey: Int64] = [:]
    /// Rows with attributes that the store computes, as they are now. They need not be rows of the save.
    var derived: [RowKey: StoredRow] = [:]
}

/// New values for a row.
struct RowUpdate: Sendable {
    /// The row with the new values. Its version is that of the row that the changes are based on.
    var row: StoredRow
    /// The positions of the values that differ. Others are not written. If empty, only the version is raised.
    var changed: [Int]
}

/// A row that is deleted, with the version that the decision is based on.
///
/// The store removes the row from many-to-many relationships, too. References from other rows are the caller's part.
struct RowDeletion: Hashable, Sendable {
    var key: RowKey
    var version: Int64
}

/// A row as a context knows it.
struct RowVersion: Hashable, Sendable {
    var key: RowKey
    var version: Int64
}

/// A change of a to-many relationship.
///
/// Between a to-many relationship and a to-one inverse, members follow from the values of the destinations, so that
/// only an ordered relationship needs a change, with ``order``. Of a many-to-many relationship either side or both can
/// be given. A relationship without an inverse needs ``added`` and ``removed``.
struct ToManyChange: Sendable {
    var owner: RowKey
    var relationship: String
    var added: [RowKey] = []
    var removed: [RowKey] = []
    /// All members in their order after the change; nil if the relationship is not ordered.
    var order: [RowKey]?
}

/// A reason why a save changed nothing.
enum SaveFailure: Error, Sendable {
    /// Rows have changed since they were read.
    case conflicts([RowConflict])
    /// Values that must be unique are not.
    case uniqueness([UniquenessConflict])
}

/// A row that has another version than the save is based on, or no longer exists.
struct RowConflict: Sendable {
    var key: RowKey
    /// The version that the save is based on.
    var expected: Int64
    /// The row as it is in the store; nil if it has been deleted.
    var stored: StoredRow?
}

/// Rows that have the same values for a uniqueness constraint.
struct UniquenessConflict: Sendable {
    /// The entity that declares the constraint.
    var entity: String
    /// The names of the attributes of the constraint.
    var attributes: [String]
    /// Their values.
    var values: [StoredValue]
    /// The rows of the save with these values.
    var saved: [RowKey]
    /// The row with these values that is in the store and is not part of the save.
    var stored: StoredRow?
}
