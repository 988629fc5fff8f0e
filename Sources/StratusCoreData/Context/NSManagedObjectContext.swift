import Foundation
import StratusCompatibility

// Programs pass contexts between threads and use everything of them but `perform` and its relatives only on the queue
// of the context, as with Apple. The queue runs one block at a time, and itself never changes.
/// A set of managed objects and their changes.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The kind of the queue of the context.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    /// The coordinator with the model and the stores of the objects.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parent?.persistentStoreCoordinator ?? ownCoordinator }
        set {
            precondition(parent == nil, "the context has the coordinator of its parent")
            ownCoordinator?.mergingContexts.remove(self)
            ownCoordinator = newValue
            updateMerging()
        }
    }

    /// The context that objects come from and are saved to, instead of stores.
    open var parent: NSManagedObjectContext? {
        willSet {
            precondition(ownCoordinator == nil, "a context has a parent or a coordinator")
            parent?.children.remove(self)
            parent?.identities.remove(self)
        }
        didSet {
            parent?.identities.add(self)
            updateMerging()
        }
    }

    /// A name for debugging.
    open var name: String?

    /// Whether the context takes over what other contexts of its coordinator or parent save, on its own queue.
    open var automaticallyMergesChangesFromParent = false {
        didSet { updateMerging() }
    }

    /// The author of the context's saves in the history of stores.
    open var transactionAuthor: String?

    /// The resolution of conflicts with the store: an ``NSMergePolicy``.
    open var mergePolicy: Any = NSMergePolicy.error

    /// Information of the program's own.
    public let userInfo = NSMutableDictionary()

    /// Whether the rules for deletions apply when the event ends. If false, they apply at once.
    open var propagatesDeletesAtEndOfEvent = true

    /// Whether a fault whose row no longer exists becomes a deleted object without values. If false, it stops the
    /// program, as Apple's exception does.
    open var shouldDeleteInaccessibleFaults = true

    /// The seconds for which values in the row cache are as good as those of the store; for ever if negative.
    open var stalenessInterval: TimeInterval = -1

    /// Whether the context keeps objects alive that have no changes.
    open var retainsRegisteredObjects = false {
        didSet { retained = retainsRegisteredObjects ? registeredObjects : [] }
    }

    /// The manager that records how to undo each event, in which changes are processed; nil if nothing is recorded.
    open var undoManager: UndoManager? {
        didSet { observeUndoManager(insteadOf: oldValue) }
    }

    let queue: ContextQueue
    private var ownCoordinator: NSPersistentStoreCoordinator?
    /// Whether the context works for a batch request.
    var isBatch = false
    /// The children that take over what is saved.
    let children = WeakContexts()
    /// The IDs of objects that had temporary ones, by which children may know them.
    var permanentIDs: [NSManagedObjectID: NSManagedObjectID] = [:]
    /// The same IDs, for the queues of the children.
    let identities = IdentityChanges()
    var processesChanges = true
    var tables: [ObjectIdentifier: PropertyTable] = [:]
    var objects = ObjectTable()
    var retained: Set<NSManagedObject> = []
    /// The objects with changes, which the context keeps alive. An object is in one of the sets.
    var inserted: Set<NSManagedObject> = []
    var updated: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []
    /// The objects whose rows must not have changed when the context saves.
    var lockedObjects: Set<NSManagedObject> = []
    var event = ContextEvent()
    var isProcessingScheduled = false
    var deletionsWithoutRules: [NSManagedObject] = []
    var idOfNextFault: NSManagedObjectID?
    /// The state of the stores that the context reads; nil for what they are at each moment.
    var queryGeneration: NSQueryGenerationToken?
    /// The stores in that state, once the context has read.
    var pinnedSource: PinnedSource?
    var undoObserver: (any NSObjectProtocol)?
    var assignedStores: [NSManagedObject: NSPersistentStore] = [:]
    /// The work that the next save does in its transaction of a store.
    var storeWork: (store: NSPersistentStore, work: StoreWork)?
    /// Whether saves validate objects. Objects that come from a cloud are taken as they are.
    package var validatesChanges = true

    /// Makes a context with a queue.
    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        self.concurrencyType = concurrencyType
        queue = ContextQueue(concurrencyType)
        super.init()
    }

    /// Makes a context that shares a private queue with others, so that their objects can be used together.
    init(queue: ContextQueue) {
        concurrencyType = .privateQueueConcurrencyType
        self.queue = queue
        super.init()
    }

    deinit {
        if let undoObserver { NotificationCenter.default.removeObserver(undoObserver) }
        for object in objects.objects { object.dropRelationships() }
    }

    /// The objects that the context has.
    open var registeredObjects: Set<NSManagedObject> { Set(objects.objects) }

    /// The objects that the next save inserts into a store.
    open var insertedObjects: Set<NSManagedObject> { inserted.filter { !$0.isDeleted } }

    /// The objects whose changed values the next save writes.
    open var updatedObjects: Set<NSManagedObject> { updated }

    /// The objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { deleted.filter { !$0.isInserted } }

    /// Whether the context has changes that are not saved.
    open var hasChanges: Bool {
        !updated.isEmpty || inserted.contains { !$0.isDeleted } || deleted.contains { !$0.isInserted }
    }

    /// Returns the object of an ID if the context has it.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { objects[currentID(of: objectID)] }

    /// Returns the object of an ID: a fault if the context does not have the object. Whether it exists in a store shows
    /// when the fault is used.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkQueue()
        let objectID = currentID(of: objectID)
        if let known = objects[objectID] { return known }
        idOfNextFault = objectID
        let type = isBatch ? NSManagedObject.self : objectID.entity.objectClass
        let fault = type.init(entity: objectID.entity, insertInto: self)
        register(fault)
        return fault
    }

    /// Returns the object of an ID with its values. Throws if it does not exist.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject { try existing(objectID) }

    /// Inserts an object that belongs to no context yet, or that was deleted in this one.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        if object.isDeleted, object.managedObjectContext === self { return restore(object) }
        precondition(
            object.managedObjectContext == nil || object.managedObjectContext === self,
            "the object belongs to another context")
        guard objects[object.objectID] == nil else { return }
        object.isDeleted = false
        object.isInserted = true
        register(object)
        inserted.insert(object)
        event.inserted.insert(object)
        scheduleProcessing()
        object.awakeFromInsert()
    }

    /// Deletes an object, and what the delete rules of its relationships say when the event ends.
    open func delete(_ object: NSManagedObject) {
        checkQueue()
        guard object.managedObjectContext === self, !object.isDeleted else { return }
        object.prepareForDeletion()
        object.isDeleted = true
        updated.remove(object)
        deleted.insert(object)
        event.deleted.insert(object)
        deletionsWithoutRules.append(object)
        scheduleProcessing()
        if !propagatesDeletesAtEndOfEvent { propagateDeletions() }
    }

    /// Ends the event: applies delete rules and posts `NSManagedObjectContextObjectsDidChange`.
    open func processPendingChanges() {
        checkQueue()
        endEvent()
    }

    /// Saves the changes of the objects. After an error of validation or of the store, nothing is saved.
    open func save() throws { try saveChanges() }

    /// Discards all changes: new objects leave the context, and others get their former values. Nothing can be undone then.
    open func rollback() { discardChanges() }

    /// Undoes the latest group of events of the undo manager.
    open func undo() {
        processPendingChanges()
        undoManager?.undo()
    }

    /// Does again what was undone last.
    open func redo() {
        processPendingChanges()
        undoManager?.redo()
    }

    /// Makes an object take over the values of the store. Its changes stay with `mergeChanges`; otherwise it becomes a
    /// fault and loses them.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { refreshObject(object, keepsChanges: flag) }

    /// Makes all objects take over the values of the store. Changes stay.
    open func refreshAllObjects() {
        for object in objects.objects { refresh(object, mergeChanges: true) }
    }

    /// Gives new objects the permanent IDs that they will have after the next save.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try obtainIDs(objects) }

    /// Makes the next save compare an object without changes with its row, too. If the row has changed since the object
    /// was read, it is a conflict for the merge policy.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue()
        guard object.managedObjectContext === self, !object.isInserted else { return }
        object.fireFault()
        lockedObjects.insert(object)
    }

    /// Determines the store of a new object, where several could have it.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else { return }
        precondition(object.isInserted, "a saved object stays in its store")
        precondition(store.contains(object.entity), "the store does not keep the entity '\(object.entity.name ?? "")'")
        assignedStores[object] = store
    }

    /// Forgets all objects, which then belong to no context.
    open func reset() {
        checkQueue()
        let forgotten = objects.objects
        for object in forgotten { forget(object) }
        objects.removeAll()
        (inserted, updated, deleted, retained, lockedObjects) = ([], [], [], [], [])
        assignedStores = [:]
        event = ContextEvent()
        deletionsWithoutRules = []
        advanceGeneration()
        undoManager?.removeAllActions(withTarget: self)
        guard !forgotten.isEmpty else { return }
        post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: forgotten.map(\.objectID)])
    }

    /// Runs a block on the queue of the context, and then processes the changes that it made.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async {
            CurrentContext.$value.withValue(self, operation: block)
            self.processPendingChanges()
            self.undoManager?.endEventGroup()
        }
    }

    /// Runs a block on the queue of the context and waits for it. Calls from the queue itself run at once.
    open func performAndWait(_ block: () -> Void) {
        queue.sync { CurrentContext.$value.withValue(self, operation: block) }
    }

    /// Returns the result of a block that runs on the queue of the context.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try queue.sync { try CurrentContext.$value.withValue(self, operation: block) }
    }
}
