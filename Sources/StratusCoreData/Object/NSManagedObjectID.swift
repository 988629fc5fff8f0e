import Foundation
import Synchronization

// No property ever changes. The entity does not change either once its model is in use. Before, it belongs to the thread that
// describes the model, as do objects without a context.
/// The identity of a managed object, which may be handed to other threads and contexts.
///
/// A new object has a temporary ID, until it is saved.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, RowIdentifying, @unchecked Sendable {
    /// The entity of the object.
    public let entity: NSEntityDescription

    /// The store of the object; nil for a temporary ID.
    let store: NSPersistentStore?
    /// The primary key in the store, or the number of a temporary ID in this process.
    let number: Int64

    private static let process = UUID()
    private static let lastNumber = Atomic<Int64>(0)

    /// Makes the ID of a new object.
    convenience init(entity: NSEntityDescription) {
        self.init(
            entity: entity, store: nil, number: Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    init(entity: NSEntityDescription, store: NSPersistentStore?, number: Int64) {
        self.entity = entity
        self.store = store
        self.number = number
        super.init()
    }

    /// Whether the object has never been in a store.
    open var isTemporaryID: Bool { store == nil }

    /// The store that has the object; nil for a temporary ID, and after the store was removed from its coordinator.
    open var persistentStore: NSPersistentStore? { store?.persistentStoreCoordinator == nil ? nil : store }

    /// The row in the store; nil for a temporary ID.
    var rowKey: RowKey? { store == nil ? nil : key }

    func rowKey(in layout: StoreLayout) -> RowKey? { store?.rows.layout === layout ? key : nil }

    /// The row for contexts: rows that no store has yet have negative keys.
    var key: RowKey { RowKey(entity: entity.name ?? "", primaryKey: store == nil ? -number : number) }

    /// Returns the URI of the object. As with Apple, the URI of a temporary ID has no store.
    open func uriRepresentation() -> URL {
        var uri = URLComponents()
        uri.scheme = "x-coredata"
        uri.host = store?.identifier ?? ""
        uri.path =
            "/\(entity.name ?? "")/"
            + (store.map { "p" + $0.uriText(of: number) } ?? "t\(Self.process.uuidString)\(number)")
        return uri.url ?? URL(fileURLWithPath: uri.path)
    }

    /// Returns the ID itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other ID is of the same object. IDs of different coordinators are never equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectID else { return false }
        return other === self
            || (number == other.number && store === other.store && (store == nil || entity === other.entity))
    }

    /// The hash of the identity.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(number)
        if let store {
            hasher.combine(ObjectIdentifier(store))
            hasher.combine(ObjectIdentifier(entity))
        }
        return hasher.finalize()
    }

    /// The URI with the kind of the ID.
    open override var description: String {
        "<x-coredata\(store == nil ? " temporary" : ""): \(uriRepresentation().absoluteString)>"
    }
}
