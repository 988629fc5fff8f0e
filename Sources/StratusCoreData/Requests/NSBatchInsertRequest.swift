import Foundation

/// The kinds of results of a batch insertion, with Apple's numbers.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case statusOnly = 0
    /// The IDs of the new objects.
    case objectIDs = 1
    /// The number of new objects.
    case count = 2
}

/// A request that inserts rows into a store without making objects in a context.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The source of the values of the new rows.
    enum Source {
        case dictionaries([[String: Any]])
        /// The block fills a dictionary for the next row, or returns true after the last row.
        case dictionaryHandler((NSMutableDictionary) -> Bool)
        /// The block gives the object of the next row its values, or returns true after the last row.
        case managedObjectHandler((NSManagedObject) -> Bool)
    }

    private let subject: EntityReference
    var source: Source

    /// The kind of the result.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    private init(_ subject: EntityReference, _ source: Source) {
        self.subject = subject
        self.source = source
        super.init()
    }

    /// Makes a request that inserts a row for each dictionary.
    public convenience init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.init(EntityReference(name: entityName), .dictionaries(dictionaries))
    }

    /// Makes a request that inserts a row for each dictionary.
    public convenience init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.init(EntityReference(entity), .dictionaries(dictionaries))
    }

    /// Makes a request that calls a block for each row. The block fills the dictionary, or returns true at the end.
    public convenience init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.init(EntityReference(name: entityName), .dictionaryHandler(handler))
    }

    /// Makes a request that calls a block for each row. The block fills the dictionary, or returns true at the end.
    public convenience init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.init(EntityReference(entity), .dictionaryHandler(handler))
    }

    /// Makes a request that calls a block for each row. The block sets values of the object, or returns true at the end.
    public convenience init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.init(EntityReference(name: entityName), .managedObjectHandler(handler))
    }

    /// Makes a request that calls a block for each row. The block sets values of the object, or returns true at the end.
    public convenience init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.init(EntityReference(entity), .managedObjectHandler(handler))
    }

    /// A request to insert.
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// The name of the entity of the new rows.
    open var entityName: String { subject.name ?? "" }

    /// The entity of the new rows; nil while the request only knows its name.
    open var entity: NSEntityDescription? { subject.entity }

    /// The dictionaries to insert, by the names of properties.
    open var objectsToInsert: [[String: Any]]? {
        get { if case .dictionaries(let dictionaries) = source { dictionaries } else { nil } }
        set { if let newValue { source = .dictionaries(newValue) } }
    }

    /// The block that fills a dictionary for each row, and returns true at the end.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)? {
        get { if case .dictionaryHandler(let handler) = source { handler } else { nil } }
        set { if let newValue { source = .dictionaryHandler(newValue) } }
    }

    /// The block that sets values of the object for each row, and returns true at the end.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)? {
        get { if case .managedObjectHandler(let handler) = source { handler } else { nil } }
        set { if let newValue { source = .managedObjectHandler(newValue) } }
    }

    /// Returns a copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(subject, source)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }

    /// Returns the entity of the new rows in a model.
    func entity(in model: NSManagedObjectModel) -> NSEntityDescription? { subject.entity(in: model) }
}

/// The answer to a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// A `Bool`, an array of IDs or an `Int`, as ``resultType`` says.
    public let result: Any?

    /// The kind of ``result``.
    public let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, _ resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
