import Foundation

/// The kinds of requests that stores answer, with Apple's numbers.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    case fetchRequestType = 1
    case saveRequestType = 2
    case batchInsertRequestType = 5
    case batchUpdateRequestType = 6
    case batchDeleteRequestType = 7
}

/// A request to the stores of a coordinator: to fetch objects, to save changes, or to change rows without objects.
open class NSPersistentStoreRequest: NSObject, NSCopying {
    /// Makes a request with the defaults of its class.
    public override init() { super.init() }

    /// The stores that the request is for; nil for all stores that can answer it.
    open var affectedStores: [NSPersistentStore]?

    /// The kind of the request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Returns a copy that can be changed without changing this request.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreRequest()
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The answer to a request other than a fetch request.
open class NSPersistentStoreResult: NSObject {}
