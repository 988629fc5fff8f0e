import Foundation

/// The kinds of results of a batch update, with Apple's numbers.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnlyResultType = 0
    /// The IDs of the updated objects.
    case updatedObjectIDsResultType = 1
    /// The number of updated objects.
    case updatedObjectsCountResultType = 2
}

/// A request that changes properties of rows in a store without objects in a context. Validation is left out.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    private let subject: EntityReference

    /// The condition that the rows to update satisfy; nil for all rows.
    open var predicate: NSPredicate?

    /// Whether rows of entities that inherit from the entity are updated, too.
    open var includesSubentities = true

    /// The kind of the result.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// The new values, by attributes and to-one relationships or their names: constants, or expressions over the row.
    open var propertiesToUpdate: [AnyHashable: Any]?

    private init(_ subject: EntityReference) {
        self.subject = subject
        super.init()
    }

    /// Makes a request for rows of an entity, which the context finds in its model.
    public convenience init(entityName: String) { self.init(EntityReference(name: entityName)) }

    /// Makes a request for rows of an entity.
    public convenience init(entity: NSEntityDescription) { self.init(EntityReference(entity)) }

    /// A request to update.
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// The name of the entity.
    open var entityName: String { subject.name ?? "" }

    /// The entity; nil while the request only knows its name. Apple raises an exception then.
    open var entity: NSEntityDescription? { subject.entity }

    /// Returns a copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchUpdateRequest(subject)
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.resultType = resultType
        copy.propertiesToUpdate = propertiesToUpdate
        copy.affectedStores = affectedStores
        return copy
    }

    /// Returns the entity in a model.
    func entity(in model: NSManagedObjectModel) -> NSEntityDescription? { subject.entity(in: model) }
}

/// The answer to a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// A `Bool`, an array of IDs or an `Int`, as ``resultType`` says.
    public let result: Any?

    /// The kind of ``result``.
    public let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, _ resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
