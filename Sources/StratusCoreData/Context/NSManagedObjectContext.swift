import Foundation

/// The queues that contexts can have, with Apple's numbers.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

// Programs pass contexts between threads and use everything of them but `perform` and its relatives only on the queue
// of the context, as with Apple. The queue runs one block at a time, and itself never changes.
/// A set of managed objects and their changes.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The kind of the queue of the context.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

    /// The coordinator with the model of the objects.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator?

    /// A name for debugging.
    open var name: String?

    /// Whether the rules for deletions apply when the event ends. If false, they apply at once.
    open var propagatesDeletesAtEndOfEvent = true

    let queue: ContextQueue
    private var tables: [ObjectIdentifier: PropertyTable] = [:]
    private var objects: [NSManagedObjectID: NSManagedObject] = [:]
    private var event = ContextEvent()
    private var isProcessingScheduled = false
    private var deletionsWithoutRules: [NSManagedObject] = []

    /// Makes a context with a queue.
    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        self.concurrencyType = concurrencyType
        queue = ContextQueue(concurrencyType)
        super.init()
    }

    deinit {
        for object in objects.values { object.dropRelationships() }
    }

    /// The objects that the context has.
    open var registeredObjects: Set<NSManagedObject> { Set(objects.values) }

    /// The objects that are new in the context.
    open var insertedObjects: Set<NSManagedObject> { Set(objects.values.filter { $0.isInserted && !$0.isDeleted }) }

    /// Whether the context has changes that are not saved.
    open var hasChanges: Bool { objects.values.contains { $0.hasChanges && !$0.isDeleted } }

    /// Returns the object of an ID if the context has it.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { objects[objectID] }

    /// Inserts an object that belongs to no context yet, or that was deleted in this one.
    open func insert(_ object: NSManagedObject) {
        checkQueue()
        if object.isDeleted, object.managedObjectContext === self { return restore(object) }
        precondition(
            object.managedObjectContext == nil || object.managedObjectContext === self,
            "the object belongs to another context")
        guard objects[object.objectID] == nil else { return }
        objects[object.objectID] = object
        object.managedObjectContext = self
        object.isDeleted = false
        object.isInserted = true
        event.inserted.append(object)
        scheduleProcessing()
        object.awakeFromInsert()
    }

    /// Deletes an object, and what the delete rules of its relationships say when the event ends.
    open func delete(_ object: NSManagedObject) {
        checkQueue()
        guard object.managedObjectContext === self, !object.isDeleted else { return }
        object.prepareForDeletion()
        object.isDeleted = true
        event.deleted.append(object)
        deletionsWithoutRules.append(object)
        scheduleProcessing()
        if !propagatesDeletesAtEndOfEvent { propagateDeletions() }
    }

    /// Ends the event: applies delete rules and posts `NSManagedObjectContextObjectsDidChange`.
    open func processPendingChanges() {
        checkQueue()
        propagateDeletions()
        guard !event.isEmpty else { return }
        let ended = event
        event = ContextEvent()
        // A new object was never in a store, so that nothing remains to be deleted.
        for object in ended.deleted where object.isInserted {
            objects[object.objectID] = nil
            object.isInserted = false
            object.managedObjectContext = nil
        }
        let userInfo = ended.userInfo
        if !userInfo.isEmpty {
            NotificationCenter.default.post(
                name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
        }
        for object in ended.changed { object.statesBeforeEvent = [:] }
        for object in ended.deleted where object.managedObjectContext == nil { object.dropRelationships() }
    }

    /// Forgets all objects, which then belong to no context.
    open func reset() {
        checkQueue()
        for object in objects.values {
            object.managedObjectContext = nil
            object.isInserted = false
            object.changedPositions = []
            object.dropRelationships()
        }
        objects = [:]
        event = ContextEvent()
        deletionsWithoutRules = []
    }

    /// Runs a block on the queue of the context, and then processes the changes that it made.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async {
            block()
            self.processPendingChanges()
        }
    }

    /// Runs a block on the queue of the context and waits for it. Calls from the queue itself run at once.
    open func performAndWait(_ block: () -> Void) { queue.sync(block) }

    /// Returns the result of a block that runs on the queue of the context.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(block) }

    func table(of entity: NSEntityDescription) -> PropertyTable {
        if let known = tables[ObjectIdentifier(entity)] { return known }
        let table = PropertyTable(entity)
        tables[ObjectIdentifier(entity)] = table
        return table
    }

    func noteChange(of object: NSManagedObject) {
        event.changed.insert(object)
        scheduleProcessing()
    }

    private func restore(_ object: NSManagedObject) {
        object.isDeleted = false
        event.deleted.removeAll { $0 === object }
        deletionsWithoutRules.removeAll { $0 === object }
    }

    // Cascades may lead back to where they began: an object that is deleted already is not deleted again.
    private func propagateDeletions() {
        while !deletionsWithoutRules.isEmpty {
            let deleted = deletionsWithoutRules
            deletionsWithoutRules = []
            for object in deleted {
                for destination in object.applyDeleteRules() { delete(destination) }
            }
        }
    }

    /// Processes changes after the current turn of the queue, for programs that do not ask for it.
    private func scheduleProcessing() {
        guard !isProcessingScheduled else { return }
        isProcessingScheduled = true
        queue.async { [weak self] in
            self?.isProcessingScheduled = false
            self?.processPendingChanges()
        }
    }
}
