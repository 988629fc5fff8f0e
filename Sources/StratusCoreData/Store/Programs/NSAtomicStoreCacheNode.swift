import Foundation

/// The values of one object of an ``NSAtomicStore``.
open class NSAtomicStoreCacheNode: NSObject {
    /// The ID of the object.
    public let objectID: NSManagedObjectID

    /// The values by the names of the properties. Destinations are nodes, or sets of nodes.
    open var propertyCache: NSMutableDictionary?

    /// Makes a node for an object.
    public init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    /// Returns the value of a property.
    open func value(forKey key: String) -> Any? { propertyCache?[key] }

    /// Sets the value of a property; nil removes it.
    open func setValue(_ value: Any?, forKey key: String) {
        let values = propertyCache ?? NSMutableDictionary()
        if let value { values[key] = value } else { values.removeObject(forKey: key) }
        propertyCache = values
    }
}
