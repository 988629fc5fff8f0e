import Foundation

// The ID itself reads only its identity and the entity's name, which it copies when it is made and which never change.
// The entity is only handed out, as with Apple. It does not change once its model is in use.
/// The identity of a managed object, which may be handed to other threads and contexts.
///
/// A new object has a temporary ID, which holds only in its context.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    /// The entity of the object.
    public let entity: NSEntityDescription

    private let identity = UUID()
    private let entityName: String

    init(entity: NSEntityDescription) {
        self.entity = entity
        entityName = entity.name ?? ""
        super.init()
    }

    /// Whether the object has never been in a store.
    open var isTemporaryID: Bool { true }

    /// Returns the URI of the object. As with Apple, the URI of a temporary ID has no store.
    open func uriRepresentation() -> URL {
        var uri = URLComponents()
        uri.scheme = "x-coredata"
        uri.host = ""
        uri.path = "/\(entityName)/t\(identity.uuidString)"
        return uri.url ?? URL(fileURLWithPath: uri.path)
    }

    /// Returns the ID itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the other ID is of the same object.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSManagedObjectID)?.identity == identity
    }

    /// The hash of the identity.
    open override var hash: Int { identity.hashValue }

    /// The URI with the kind of the ID.
    open override var description: String { "<x-coredata temporary: \(uriRepresentation().absoluteString)>" }
}
