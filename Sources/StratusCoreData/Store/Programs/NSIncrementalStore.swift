import Foundation

// `@unchecked Sendable`: the only property never changes and is safe from any thread. Classes of programs answer for
// properties of their own.
/// A store of a class of the program, which answers each request by itself: from memory, from a service, or from a file of
/// another kind.
///
/// A class overrides `loadMetadata()`, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``.
open class NSIncrementalStore: NSPersistentStore, @unchecked Sendable {
    private let references = StoreReferences()

    /// Returns an identifier for a store that does not have one yet.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Gives the store an identifier. Classes override it to read the identifier that the store has.
    open override func loadMetadata() throws {
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        metadata = [NSStoreUUIDKey: Swift.type(of: self).identifierForNewStore(at: url)]
    }

    /// Answers a request: the objects, IDs, dictionaries or the number that an `NSFetchRequest` asks for, or an empty array
    /// after the changes of an ``NSSaveChangesRequest`` are saved. Classes override it.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        throw CocoaError.make(
            .persistentStoreUnsupportedRequestType, "'\(Swift.type(of: self))' does not answer requests")
    }

    /// Returns the values of an object. Throws `managedObjectReferentialIntegrity` if it does not exist. Classes override
    /// it.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw CocoaError.make(.persistentStoreOperation, "'\(Swift.type(of: self))' does not read objects")
    }

    /// Returns the ID of the destination of a to-one relationship or `NSNull`, or the IDs of the destinations of a to-many
    /// relationship. Classes override it.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw CocoaError.make(.persistentStoreOperation, "'\(Swift.type(of: self))' does not read relationships")
    }

    /// Returns IDs for new objects, in their order. Called before the objects are saved. Classes override it.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    /// Called when contexts begin to use objects.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when no context uses objects any more.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Returns the ID of the object that the program identifies by a reference: a number, a text or another value that
    /// does not change.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        NSManagedObjectID(entity: entity, store: self, number: references.number(of: data, entity))
    }

    /// Returns the reference of an object.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { references.reference(of: objectID, in: self) }

    override var programReferences: StoreReferences? { references }

    override func keys(for objects: [NSManagedObject], of entity: String) throws -> [RowKey] {
        let ids = try obtainPermanentIDs(for: objects)
        guard ids.count == objects.count else {
            throw CocoaError.make(
                .persistentStoreSave, "the store has \(ids.count) IDs for \(objects.count) new objects")
        }
        return ids.map(\.key)
    }

    override func save(_ changes: StoreChanges, of context: NSManagedObjectContext) throws -> SavedRows {
        guard !isReadOnly else { throw StoreFailure(.readOnly, "the store is read-only") }
        let request = NSSaveChangesRequest(
            inserted: Set(changes.inserted), updated: Set(changes.updated), deleted: Set(changes.deleted),
            locked: changes.locked.isEmpty ? nil : Set(changes.locked))
        request.affectedStores = [self]
        _ = try execute(request, with: context)
        var saved = SavedRows()
        for update in changes.rows.updated { saved.versions[update.row.key] = update.row.version + 1 }
        return saved
    }

    override func writeNewMetadata() throws {}

    override func takeRows(_ rows: any RowStore) {
        super.takeRows(rows)
        cache.observe { [weak self] key, isUsed in self?.note(key, isUsed) }
    }

    /// Notifies the class of the first and of the last use of an object.
    private func note(_ key: RowKey, _ isUsed: Bool) {
        guard let id = persistentStoreCoordinator?.id(of: key, in: self) else { return }
        if isUsed {
            managedObjectContextDidRegisterObjects(with: [id])
        } else {
            managedObjectContextDidUnregisterObjects(with: [id])
        }
    }
}
