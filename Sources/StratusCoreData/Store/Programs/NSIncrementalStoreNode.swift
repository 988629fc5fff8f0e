import Foundation

/// The values of one object of an ``NSIncrementalStore``.
open class NSIncrementalStoreNode: NSObject {
    /// The ID of the object.
    public let objectID: NSManagedObjectID

    /// The number of the object's last change, as the store counts.
    public private(set) var version: UInt64

    private var values: [String: Any]

    /// Makes a node with values by the names of the properties. Destinations of to-one relationships are IDs. A
    /// relationship that is left out is asked for with ``NSIncrementalStore/newValue(forRelationship:forObjectWith:with:)``.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
        super.init()
    }

    /// Replaces the values and the version.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// Returns the value of a property; nil if the node does not have it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
