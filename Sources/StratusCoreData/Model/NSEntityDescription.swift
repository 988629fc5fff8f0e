import Foundation

/// The description of one kind of managed object: its name, class, properties and place in the inheritance of entities.
open class NSEntityDescription: NSObject, NSCopying, Freezable {
    /// Whether a coordinator uses the model.
    private(set) var isFrozen = false

    /// The class of the objects, if it was loaded when the model came into use.
    private(set) var knownClass: NSManagedObject.Type?

    open var name: String? { willSet { assertMutable() } }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The name of the class of the entity's objects. Apple declares it so, and code relies on it.
    open var managedObjectClassName: String! = "NSManagedObject" { willSet { assertMutable() } }

    /// Whether only entities that inherit from this one have objects.
    open var isAbstract = false { willSet { assertMutable() } }

    open var userInfo: [AnyHashable: Any]? = [:] { willSet { assertMutable() } }

    /// A text that changes ``versionHash`` and nothing else.
    open var versionHashModifier: String? { willSet { assertMutable() } }

    // Programs use it as they do with Apple, whose type is not optional.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The model that the entity belongs to.
    public internal(set) weak var managedObjectModel: NSManagedObjectModel!

    /// The entity that this one inherits from, which keeps this one alive.
    public private(set) weak var superentity: NSEntityDescription? { willSet { assertMutable() } }

    private var ownProperties: [NSPropertyDescription] = [] { willSet { assertMutable() } }
    private var ownSubentities: [NSEntityDescription] = [] { willSet { assertMutable() } }
    private var ownConstraints: [[Any]] = [] { willSet { assertMutable() } }
    private var ownRenamingIdentifier: String? { willSet { assertMutable() } }

    public override required init() { super.init() }

    /// The properties, inherited ones first. Setting it sets those that the entity declares itself.
    open var properties: [NSPropertyDescription] {
        get { (superentity?.properties ?? []) + ownProperties }
        set {
            let inherited = superentity?.properties ?? []
            let declared = newValue.filter { property in !inherited.contains { $0 === property } }
            for property in ownProperties where property.entity === self { property.entity = nil }
            ownProperties = declared
            for property in declared { property.entity = self }
        }
    }

    /// The entities that inherit directly from this one.
    open var subentities: [NSEntityDescription] {
        get { ownSubentities }
        set {
            for entity in ownSubentities where entity.superentity === self { entity.superentity = nil }
            for entity in newValue {
                precondition(
                    !isKindOf(entity: entity), "entity '\(entity.name ?? "")' would inherit from itself")
                entity.superentity?.ownSubentities.removeAll { $0 === entity }
                entity.superentity = self
            }
            ownSubentities = newValue
        }
    }

    /// The indexes that the entity declares. They do not change ``versionHash``; ``versionHashModifier`` makes a new
    /// index a reason for a migration.
    open var indexes: [NSFetchIndexDescription] = [] {
        willSet { assertMutable() }
        didSet {
            for index in oldValue where index.entity === self { index.entity = nil }
            for index in indexes { index.entity = self }
        }
    }

    /// Sets of attributes whose values no two objects share: attributes or their names.
    open var uniquenessConstraints: [[Any]] {
        get { (superentity?.uniquenessConstraints ?? []) + ownConstraints }
        set {
            let inherited = superentity?.uniquenessConstraints.map { $0.map(Self.constraintKey) } ?? []
            ownConstraints = newValue.filter { !inherited.contains($0.map(Self.constraintKey)) }
        }
    }

    /// The name that a migration looks for in the older model; ``name`` unless another is set.
    open var renamingIdentifier: String? {
        get { ownRenamingIdentifier ?? name }
        set { ownRenamingIdentifier = newValue }
    }

    /// The properties, inherited ones included, by their names.
    public var propertiesByName: [String: NSPropertyDescription] { byName(properties) }

    /// The attributes, inherited ones included, by their names.
    public var attributesByName: [String: NSAttributeDescription] {
        byName(properties.compactMap { $0 as? NSAttributeDescription })
    }

    /// The relationships, inherited ones included, by their names.
    public var relationshipsByName: [String: NSRelationshipDescription] {
        byName(properties.compactMap { $0 as? NSRelationshipDescription })
    }

    /// The entities that inherit from this one directly, by their names.
    public var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.compactMap { entity in entity.name.map { ($0, entity) } }, uniquingKeysWith: { $1 })
    }

    /// A hash of everything of the entity that a store depends on.
    public var versionHash: Data { VersionHash.of(self) }

    /// The hash that Xcode recorded for the entity when it compiled the model, and the own hash at that time.
    private var recordedHash: (xcode: Data, own: Data)?

    /// The hash that Xcode recorded for the entity; nil if Xcode recorded none, or if the entity has changed since.
    var recordedVersionHash: Data? { recordedHash.flatMap { $0.own == versionHash ? $0.xcode : nil } }

    /// Keeps the hash of a compiled model.
    func record(versionHash: Data) { recordedHash = (versionHash, self.versionHash) }

    /// Whether a store with a hash for this entity has it as it is.
    func accepts(versionHash: Data?) -> Bool {
        versionHash != nil && (versionHash == self.versionHash || versionHash == recordedVersionHash)
    }

    /// Returns the relationships whose destination is an entity.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity === entity }
    }

    /// Returns whether the entity is another one or inherits from it.
    open func isKindOf(entity: NSEntityDescription) -> Bool {
        self === entity || superentity?.isKindOf(entity: entity) ?? false
    }

    /// Returns a copy with copies of the properties and of the entities that inherit from it. The copy belongs to no
    /// model, and its relationships lead to the same destinations.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = copyOfDeclaration()
        copy.subentities = subentities.compactMap { $0.copy() as? NSEntityDescription }
        return copy
    }

    /// Returns a copy of what the entity declares itself, outside any inheritance.
    func copyOfDeclaration() -> Self {
        let copy = Self()
        copy.name = name
        copy.managedObjectClassName = managedObjectClassName
        copy.isAbstract = isAbstract
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.ownRenamingIdentifier = ownRenamingIdentifier
        copy.recordedHash = recordedHash
        copy.ownConstraints = ownConstraints.map { $0.map(Self.constraintKey) }
        copy.properties = ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
        copy.indexes = indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
        copy.connectIndexes()
        return copy
    }

    /// Makes the entity immutable, with the properties and indexes that it declares.
    func freeze() {
        guard !isFrozen else { return }
        isFrozen = true
        knownClass = managedObjectClassName.flatMap {
            ManagedClasses.named($0, modules: managedObjectModel?.modules ?? [])
        }
        for property in ownProperties { property.freeze() }
        for index in indexes { index.freeze() }
    }

    /// Makes the elements of the indexes refer to the properties of this entity that have their names.
    func connectIndexes() {
        let properties = propertiesByName
        for element in indexes.flatMap(\.elements) where !(element.property is NSExpressionDescription) {
            element.property = element.propertyName.flatMap { properties[$0] } ?? element.property
        }
    }

    /// Returns the name of a member of a uniqueness constraint.
    static func constraintKey(_ member: Any) -> String {
        (member as? NSPropertyDescription)?.name ?? String(describing: member)
    }

    /// A property of an inheriting entity takes the place of one with the same name.
    private func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String: Property] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }
}
