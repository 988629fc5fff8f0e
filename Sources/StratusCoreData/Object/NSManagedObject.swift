import Foundation
import StratusCompatibility

/// An object whose properties a model describes.
///
/// An object belongs to the queue of its context. Classes for entities inherit from this one.
open class NSManagedObject: NSObject, KeyValueReadable, NSFetchRequestResult {
    /// The identity of the object. The first save replaces the temporary one of a new object.
    public internal(set) var objectID: NSManagedObjectID

    /// The context that the object belongs to.
    public internal(set) weak var managedObjectContext: NSManagedObjectContext?

    /// Whether the object is new in its context.
    public internal(set) var isInserted = false

    /// Whether the object will be deleted by the next save.
    public internal(set) var isDeleted = false

    /// Whether the values of the object have not been read yet.
    public internal(set) var isFault = false

    /// Whether the row cache counts the object.
    var usesCache = false
    let table: PropertyTable
    /// The states of the properties, or nothing if all are those of ``row``.
    var states: [PropertyState]
    /// The row that the values come from and that changes are based on; nil for a new object and for a fault.
    var row: StoredRow?
    var changes: ObjectChanges?
    /// The objects whose values are read together with those of this fault.
    var batch: FaultBatch?

    /// Makes an object of an entity and inserts it into a context. With nil the object belongs to no context.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        precondition(!entity.isAbstract, "entity '\(entity.name ?? "")' is abstract and has no objects")
        table = context?.table(of: entity) ?? PropertyTable(entity)
        if let context, let id = context.takeIDOfNextFault(of: entity) {
            objectID = id
            states = []
            isFault = true
            managedObjectContext = context
            super.init()
            return
        }
        states = table.defaults
        objectID = NSManagedObjectID(entity: entity)
        super.init()
        context?.insert(self)
    }

    deinit {
        if usesCache { objectID.store?.cache.endUse(objectID.key) }
    }

    /// The description of the object's properties.
    public var entity: NSEntityDescription { table.entity }

    /// Makes an object of the entity that the model of a context has for the class, and inserts it into the context.
    /// Stops the program if none or several entities have the class.
    public required convenience init(context: NSManagedObjectContext) {
        self.init(entity: Self.entity(in: context), insertInto: context)
    }

    /// Returns the entity of the class. Stops the program if no model in use has exactly one for it.
    open class func entity() -> NSEntityDescription {
        guard let entity = ModelsInUse.entity(of: self) else {
            preconditionFailure("no model in use has one entity of the class '\(NSStringFromClass(self))'")
        }
        return entity
    }

    /// Returns a request for all objects of the entity of the class.
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        NSFetchRequest(entityName: entity().name ?? "")
    }

    /// Whether changes of a property that the model does not describe leave the context without changes.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Whether the object has changes that are not saved.
    open var hasChanges: Bool { isInserted || isDeleted || changes?.committed.isEmpty == false }

    /// Whether the object has changes of values that are not saved, and is neither new nor deleted.
    open var isUpdated: Bool { !isInserted && !isDeleted && hasChanges }

    /// 0 if the values of the object have been read, and 1 if it is a fault.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// Returns the value of a property. A to-many relationship is an `NSSet` or, if ordered, an `NSOrderedSet`.
    open func value(forKey key: String) -> Any? {
        guard let position = table.position(of: key) else { return value(ofObjectKey: key) }
        if let probe = changes?.probe { return probe.value(forKey: key, at: position, of: self) }
        managedObjectContext?.checkQueue()
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return state(at: position).publicValue
    }

    /// Sets the value of a property and keeps the inverse of a relationship in step.
    open func setValue(_ value: Any?, forKey key: String) {
        willChangeValue(forKey: key)
        setPrimitiveValue(value, forKey: key)
        didChangeValue(forKey: key)
    }

    /// Returns the destinations of a to-many relationship as a set. Changes of the set change the relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(of: self, requiredToMany(key, isOrdered: false))
    }

    /// Returns the destinations of an ordered relationship as a set. Changes of the set change the relationship. Unlike
    /// Apple's, the set does not show changes of the relationship that are made in other ways.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(of: self, requiredToMany(key, isOrdered: true))
    }

    /// Returns the value of a property without notices of access.
    open func primitiveValue(forKey key: String) -> Any? {
        state(at: requiredPosition(of: key)).publicValue
    }

    /// Sets the value of a property without notices of change. The inverse of a relationship stays as it is.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        let position = requiredPosition(of: key)
        setState(state(of: value, for: table.properties[position]), at: position)
    }

    /// Called before a value is read.
    open func willAccessValue(forKey key: String?) {}

    /// Called after a value was read.
    open func didAccessValue(forKey key: String?) {}

    /// Announces a change of a property. One that the model does not describe only notifies observers.
    open func willChangeValue(forKey key: String) {
        changes?.publisher?.send()
        guard let position = table.position(of: key) else { return }
        changesToWrite.announced[position] = state(at: position)
    }

    /// Completes a change: records it in the context and keeps the inverse of a relationship in step.
    open func didChangeValue(forKey key: String) {
        guard let position = table.position(of: key) else { return noteUnmodeledChange() }
        guard let former = changes?.announced.remove(position) else { return }
        recordChange(at: position, from: former)
        updateInverse(of: table.properties[position], from: former, to: state(at: position))
    }

    /// Called once when the object is inserted into a context.
    open func awakeFromInsert() {}

    /// Called when the values of the object have been read. Changes that the method makes do not count as changes.
    open func awakeFromFetch() {}

    /// Called when the object has got former values, or those of its store. Changes that the method makes do not count as
    /// changes.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}

    /// Called before the context saves the object. After changes in the method it is called again.
    open func willSave() {}

    /// Called after the context has saved the object.
    open func didSave() {}

    /// Called before the object becomes a fault.
    open func willTurnIntoFault() {}

    /// Called when the object has become a fault.
    open func didTurnIntoFault() {}

    /// Validates a value for a property. The method may put another value in its place.
    open func validateValue(_ value: UnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        let property = table.properties[requiredPosition(of: key)]
        try validate(value.pointee, of: property)
    }

    /// Validates all properties of a new object.
    open func validateForInsert() throws { try validateProperties() }

    /// Validates all properties of a changed object.
    open func validateForUpdate() throws { try validateProperties() }

    /// Validates that no relationship denies that the object is deleted.
    open func validateForDelete() throws { try validateDeniedRelationships() }

    /// Returns the values of the properties that have been set since the object was read, saved or made.
    open func changedValues() -> [String: Any] {
        valuesByName((changes?.committed ?? [:]).positions.map { ($0, state(at: $0)) })
    }

    /// Returns the former values of the properties that have changed in the current event.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        valuesByName((changes?.beforeEvent ?? [:]).map { ($0.position, $0.state) })
    }

    /// Returns the values of properties when the object was read or saved; of all properties for nil. The result is
    /// empty for a new object.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] {
        guard !isInserted else { return [:] }
        let positions = keys?.map(requiredPosition) ?? Array(table.properties.indices)
        let stored = positions.filter { !table.properties[$0].isTransient }
        return valuesByName(stored.map { ($0, changes?.committed[$0] ?? state(at: $0)) })
    }

    private func valuesByName(_ states: [(Int, PropertyState)]) -> [String: Any] {
        let named = states.map { (table.properties[$0].name, $1.publicValue ?? NSNull()) }
        return Dictionary(named, uniquingKeysWith: { $1 })
    }

    /// The entity, the ID and the values. Faults stay faults.
    open override var description: String {
        let data = isFault ? "<fault>" : "{\(values)}"
        return "<\(type(of: self))> (entity: \(entity.name ?? ""); id: \(objectID); data: \(data))"
    }

    private var values: String {
        let values = table.properties.indices.map { "\(table.properties[$0].name) = \(shortText(at: $0))" }
        return values.joined(separator: "; ")
    }

    // Destinations appear as IDs, because objects that lead to each other would be described without end.
    private func shortText(at position: Int) -> String {
        if isFault(at: position) { return "<relationship fault>" }
        switch state(at: position) {
        case .stored, .null: return "nil"
        case .value(let value): return "\(value)"
        case .object(let object): return "\(object.objectID)"
        case .objects(let objects): return "(\(objects.members.map { "\($0.objectID)" }.joined(separator: ", ")))"
        }
    }
}
