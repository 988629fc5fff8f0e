import Foundation

/// The identity of a row within a store: the name of the row's own entity (never an entity that it inherits from) and
/// the primary key, which is unique among all entities that inherit from one.
struct RowKey: Hashable, Sendable {
    var entity: String
    var primaryKey: Int64
}

/// A value as a store keeps it.
///
/// Booleans are integers. A float is a double that a float can hold. A transformable value is the data that its
/// transformer makes.
enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    /// The destination of a to-one relationship.
    case reference(RowKey)
}

/// A row as it was at one moment. It never changes.
final class StoredRow: Sendable {
    let key: RowKey
    /// The number of saves of the row (`Z_OPT`). Saves compare it, so that none overwrites a row that it has not seen.
    let version: Int64
    /// One value for each of ``EntityLayout/properties``, in their order.
    let values: [StoredValue]

    init(key: RowKey, version: Int64, values: [StoredValue]) {
        self.key = key
        self.version = version
        self.values = values
    }
}

/// An object of a predicate or expression that stands for a row, such as an object ID.
///
/// A context replaces the managed objects in a predicate by their IDs before the predicate reaches a store, since a
/// store runs on another thread than the objects.
protocol RowIdentifying: AnyObject {
    /// Returns the row in the store with a layout; nil if the object is in another store or not in one yet, so that no
    /// row of the store equals it.
    func rowKey(in layout: StoreLayout) -> RowKey?
}
