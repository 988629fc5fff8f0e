import Foundation

// `@unchecked Sendable`: the lock protects the nodes and keeps the parts of a save together. The references are safe from
// any thread. Classes of programs answer for properties of their own.
/// A store of a class of the program, which is read and written as a whole.
///
/// A class overrides `load()`, which makes nodes of a file, and `save()`, which writes the nodes. In between, the objects
/// are fetched from a database in memory.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private let references = StoreReferences()
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

    /// Makes nodes of the contents of the file and adds them with ``addCacheNodes(_:)``. Classes override it.
    open func load() throws {
        throw CocoaError.make(.persistentStoreOperation, "'\(Swift.type(of: self))' does not read stores")
    }

    /// Writes the nodes and the metadata. Classes override it.
    open func save() throws {
        throw CocoaError.make(.persistentStoreOperation, "'\(Swift.type(of: self))' does not write stores")
    }

    /// Returns a node with the values of a new object.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    /// Gives a node the values of a changed object.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for property in managedObject.entity.propertiesByName.values
        where !property.isTransient && !(property is NSFetchedPropertyDescription) {
            let value = managedObject.value(forKey: property.name)
            guard let relationship = property as? NSRelationshipDescription else {
                node.setValue(value, forKey: property.name)
                continue
            }
            let destinations = managedObject.objectIDs(forRelationshipNamed: property.name).compactMap(cacheNode)
            if !relationship.isToMany {
                node.setValue(destinations.first, forKey: property.name)
            } else if relationship.isOrdered {
                node.setValue(NSOrderedSet(array: destinations), forKey: property.name)
            } else {
                node.setValue(Set(destinations), forKey: property.name)
            }
        }
    }

    /// The nodes of all objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { lock.withLock { Set(nodes.values) } }

    /// Adds nodes.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
    }

    /// Called before the nodes of deleted objects are removed.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Returns the node of an object; nil if the store does not have the object.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        lock.withLock { nodes[objectID] }
    }

    /// Returns the ID of the object that the program identifies by a reference.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        NSManagedObjectID(entity: entity, store: self, number: references.number(of: data, entity))
    }

    /// Returns a new reference for an object that is saved for the first time.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    /// Returns the reference of an object.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { references.reference(of: objectID, in: self) }

    override var programReferences: StoreReferences? { references }

    override func keys(for objects: [NSManagedObject], of entity: String) throws -> [RowKey] {
        objects.map { object in
            RowKey(
                entity: entity, primaryKey: references.number(of: newReferenceObject(for: object), object.entity))
        }
    }

    /// Reads the file, and puts the objects into the database.
    func openNodes(_ entities: [NSEntityDescription]) throws {
        takeRows(try SQLiteRowStore(path: ":memory:", entities: entities))
        do {
            try load()
            _ = try rows.save(try AtomicRows(rows.layout, self).inserting(lock.withLock { Array(nodes.values) }))
        } catch {
            didClose()
            throw error
        }
    }

    /// Nodes refer to each other, and with their IDs to the store. Without this, none of them would be released.
    override func didClose() {
        lock.withLock {
            Self.unlink(nodes.values)
            nodes = [:]
        }
    }

    private static func unlink(_ nodes: some Sequence<NSAtomicStoreCacheNode>) {
        for node in nodes { node.propertyCache = nil }
    }

    override func save(_ changes: StoreChanges, of context: NSManagedObjectContext) throws -> SavedRows {
        guard !isReadOnly, let rows = rows as? SQLiteRowStore else {
            throw StoreFailure(.readOnly, "the store is read-only")
        }
        return try lock.withLock {
            let formerRows = try rows.copyOfContents()
            let saved = try rows.save(changes.rows)
            let former = nodes
            let formerValues = changes.updated.compactMap { cacheNode(for: $0.objectID) }.map { node in
                (node, node.propertyCache?.mutableCopy() as? NSMutableDictionary)
            }
            do {
                apply(changes)
                try save()
                Self.unlink(former.values.filter { nodes[$0.objectID] == nil })
            } catch {
                nodes = former
                for (node, values) in formerValues { node.propertyCache = values }
                try rows.takeContents(formerRows)
                throw error
            }
            return saved
        }
    }

    private func apply(_ changes: StoreChanges) {
        let removed = changes.deleted.compactMap { cacheNode(for: $0.objectID) }
        if !removed.isEmpty { willRemoveCacheNodes(Set(removed)) }
        for node in removed { nodes[node.objectID] = nil }
        addCacheNodes(Set(changes.inserted.map(newCacheNode)))
        // Relationships lead to nodes, which exist only now.
        for object in changes.inserted + changes.updated {
            if let node = cacheNode(for: object.objectID) { updateCacheNode(node, from: object) }
        }
    }

    override func writeNewMetadata() throws {}
}
