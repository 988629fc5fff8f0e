import Foundation
import StratusCompatibility

/// An object whose properties a model describes.
///
/// An object belongs to the queue of its context. Classes for entities inherit from this one.
open class NSManagedObject: NSObject, KeyValueReadable, NSFetchRequestResult {
    /// The description of the object's properties.
    public let entity: NSEntityDescription

    /// The identity of the object.
    public let objectID: NSManagedObjectID

    /// The context that the object belongs to.
    public internal(set) weak var managedObjectContext: NSManagedObjectContext?

    /// Whether the object is new in its context.
    public internal(set) var isInserted = false

    /// Whether the object will be deleted by the next save.
    public internal(set) var isDeleted = false

    let table: PropertyTable
    var states: [PropertyState]
    /// The positions of the properties that have been set since the object was made.
    var changedPositions: Set<Int> = []
    /// The former values of properties that changed in the current event, by position.
    var statesBeforeEvent: [Int: PropertyState] = [:]
    /// The values of properties when ``willChangeValue(forKey:)`` announced a change.
    private var announced: [Int: PropertyState] = [:]

    /// Makes an object of an entity and inserts it into a context. With nil the object belongs to no context.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        precondition(!entity.isAbstract, "entity '\(entity.name ?? "")' is abstract and has no objects")
        self.entity = entity
        table = context?.table(of: entity) ?? PropertyTable(entity)
        states = table.defaults
        objectID = NSManagedObjectID(entity: entity)
        super.init()
        context?.insert(self)
    }

    /// Makes an object of the entity that the model of a context has for the class, and inserts it into the context.
    /// Stops the program if none or several entities have the class.
    public convenience init(context: NSManagedObjectContext) {
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

    /// Whether the object has changes that are not saved.
    open var hasChanges: Bool { isInserted || isDeleted || !changedPositions.isEmpty }

    /// Returns the value of a property. A to-many relationship is an `NSSet` or, if ordered, an `NSOrderedSet`.
    open func value(forKey key: String) -> Any? {
        guard let position = table.position(of: key) else { return value(ofObjectKey: key) }
        managedObjectContext?.checkQueue()
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return states[position].publicValue
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
    open func primitiveValue(forKey key: String) -> Any? { states[requiredPosition(of: key)].publicValue }

    /// Sets the value of a property without notices of change. The inverse of a relationship stays as it is.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        let position = requiredPosition(of: key)
        states[position] = state(of: value, for: table.properties[position])
    }

    /// Called before a value is read.
    open func willAccessValue(forKey key: String?) {}

    /// Called after a value was read.
    open func didAccessValue(forKey key: String?) {}

    /// Announces a change of a property.
    open func willChangeValue(forKey key: String) {
        let position = requiredPosition(of: key)
        announced[position] = states[position]
    }

    /// Completes a change: records it in the context and keeps the inverse of a relationship in step.
    open func didChangeValue(forKey key: String) {
        let position = requiredPosition(of: key)
        guard let former = announced.removeValue(forKey: position) else { return }
        recordChange(at: position, from: former)
        updateInverse(of: table.properties[position], from: former, to: states[position])
    }

    /// Called once when the object is inserted into a context.
    open func awakeFromInsert() {}

    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}

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

    /// Returns the values of the properties that have been set.
    open func changedValues() -> [String: Any] {
        let changed = changedPositions.map { (table.properties[$0].name, states[$0].publicValue ?? NSNull()) }
        return Dictionary(uniqueKeysWithValues: changed)
    }

    /// Returns the former values of the properties that have changed in the current event.
    open func changedValuesForCurrentEvent() -> [String: Any] {
        let former = statesBeforeEvent.map { (table.properties[$0].name, $1.publicValue ?? NSNull()) }
        return Dictionary(uniqueKeysWithValues: former)
    }

    /// The entity, the ID and the values.
    open override var description: String {
        let values = table.properties.indices.map { position in
            "\(table.properties[position].name) = \(shortText(of: states[position]))"
        }
        let name = entity.name ?? ""
        return "<\(type(of: self))> (entity: \(name); id: \(objectID); data: {\(values.joined(separator: "; "))})"
    }

    // Destinations appear as IDs, because objects that lead to each other would be described without end.
    private func shortText(of state: PropertyState) -> String {
        switch state {
        case .null: "nil"
        case .value(let value): "\(value)"
        case .object(let object): "\(object.objectID)"
        case .objects(let objects): "(\(objects.members.map { "\($0.objectID)" }.joined(separator: ", ")))"
        }
    }
}
