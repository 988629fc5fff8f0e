import Foundation

/// A description of the objects to fetch: their entity, a predicate, an order, and the form of the results.
///
/// A request with a certain type of results cannot be cast to one with another type, as Apple's can, because types of
/// Swift are not erased. ``NSBatchDeleteRequest`` accepts each of them, and `CoreDataSourcesPlugin` replaces casts.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest, AnyFetchRequest, Freezable {
    let content: FetchContent

    /// Whether the request is a template of a model that a coordinator uses.
    var isFrozen: Bool {
        get { content.isFrozen }
        set { content.isFrozen = newValue }
    }

    var settings: FetchSettings {
        get { content.settings }
        set {
            assertMutable()
            content.settings = newValue
        }
    }

    /// Makes a request without an entity.
    public override required init() {
        content = FetchContent()
        super.init()
    }

    /// Makes a request that shares what it asks for with one that has another type of results.
    init(sharing content: FetchContent) {
        self.content = content
        super.init()
    }

    /// Makes a request for objects of an entity, which the context of the fetch finds in its model.
    public convenience init(entityName: String) {
        self.init()
        settings.subject = EntityReference(name: entityName)
    }

    /// A request to fetch.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// The entity. It is nil while the request only knows its name; Apple raises an exception then.
    open var entity: NSEntityDescription? {
        get { settings.subject.entity }
        set { settings.subject = EntityReference(newValue) }
    }

    /// The name of the entity.
    open var entityName: String? { settings.entityName }

    /// The condition that the objects satisfy; nil for all objects.
    open var predicate: NSPredicate? {
        get { settings.predicate }
        set { settings.predicate = newValue }
    }

    /// The order of the results, the most significant key first.
    open var sortDescriptors: [NSSortDescriptor]? {
        get { settings.sortDescriptors }
        set { settings.sortDescriptors = newValue }
    }

    /// The largest number of results; 0 for any number.
    open var fetchLimit: Int {
        get { settings.limit }
        set { settings.limit = newValue }
    }

    /// The number of results to leave out at the beginning.
    open var fetchOffset: Int {
        get { settings.offset }
        set { settings.offset = newValue }
    }

    /// The number of objects whose values are fetched together when the returned array is read; 0 for all of them.
    open var fetchBatchSize: Int {
        get { settings.batchSize }
        set { settings.batchSize = newValue }
    }

    /// The kind of the results.
    open var resultType: NSFetchRequestResultType {
        get { settings.resultType }
        set { settings.resultType = newValue }
    }

    /// Whether the results include objects of entities that inherit from ``entity``.
    open var includesSubentities: Bool {
        get { settings.includesSubentities }
        set { settings.includesSubentities = newValue }
    }

    /// Whether the values of the objects are read together with their IDs.
    open var includesPropertyValues: Bool {
        get { settings.includesPropertyValues }
        set { settings.includesPropertyValues = newValue }
    }

    /// Whether the results reflect changes of the context that are not saved yet.
    open var includesPendingChanges: Bool {
        get { settings.includesPendingChanges }
        set { settings.includesPendingChanges = newValue }
    }

    /// Whether the objects take their values from the row cache only when they are used.
    open var returnsObjectsAsFaults: Bool {
        get { settings.returnsObjectsAsFaults }
        set { settings.returnsObjectsAsFaults = newValue }
    }

    /// Whether equal dictionaries are returned once.
    open var returnsDistinctResults: Bool {
        get { settings.returnsDistinctResults }
        set { settings.returnsDistinctResults = newValue }
    }

    /// Whether objects that the context already has take over the values of the store.
    open var shouldRefreshRefetchedObjects: Bool {
        get { settings.refreshesRefetchedObjects }
        set { settings.refreshesRefetchedObjects = newValue }
    }

    /// Key paths of relationships whose destinations are read together with the objects.
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { settings.prefetchedKeyPaths }
        set { settings.prefetchedKeyPaths = newValue }
    }

    /// The stores to fetch from; nil for all stores.
    open override var affectedStores: [NSPersistentStore]? {
        get { settings.affectedStores }
        set { settings.affectedStores = newValue }
    }

    /// The properties in the dictionaries of the results: descriptions, or names and key paths.
    open var propertiesToFetch: [Any]? {
        get { settings.propertiesToFetch }
        set { settings.propertiesToFetch = newValue }
    }

    /// The properties that the dictionaries of the results are grouped by: descriptions, or names and key paths.
    open var propertiesToGroupBy: [Any]? {
        get { settings.propertiesToGroupBy }
        set { settings.propertiesToGroupBy = newValue }
    }

    /// The condition that groups satisfy; used together with ``propertiesToGroupBy``.
    open var havingPredicate: NSPredicate? {
        get { settings.havingPredicate }
        set { settings.havingPredicate = newValue }
    }

    /// Returns a copy that can be changed without changing this request. The copy of a template is not part of the model.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copy.settings = settings
        return copy
    }
}
