import Foundation

/// A property of an entity: what attributes, relationships and fetched properties have in common.
open class NSPropertyDescription: NSObject, NSCopying, Freezable {
    /// Whether a coordinator uses the model.
    private(set) var isFrozen = false

    // Programs use it as they do with Apple, whose type is not optional.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The entity that declares the property; nil until one does.
    public internal(set) weak var entity: NSEntityDescription! { willSet { assertMutable() } }

    /// The name, which is unique in the entity and in the entities it inherits from.
    open var name = "" { willSet { assertMutable() } }

    open var isOptional = true { willSet { assertMutable() } }
    open var isTransient = false { willSet { assertMutable() } }
    open var isIndexedBySpotlight = false { willSet { assertMutable() } }
    open var isStoredInExternalRecord = false { willSet { assertMutable() } }
    open var userInfo: [AnyHashable: Any]? = [:] { willSet { assertMutable() } }

    /// A text that changes ``versionHash`` and nothing else.
    open var versionHashModifier: String? { willSet { assertMutable() } }

    /// Predicates that a value must satisfy, without those that the type of the property implies.
    public private(set) var validationPredicates: [NSPredicate] = [] { willSet { assertMutable() } }

    /// The warning or error for each of ``validationPredicates``.
    public private(set) var validationWarnings: [Any] = [] { willSet { assertMutable() } }

    private var ownRenamingIdentifier: String? { willSet { assertMutable() } }

    public override required init() { super.init() }

    /// The name that a migration looks for in the older model; ``name`` unless another is set.
    open var renamingIdentifier: String? {
        get { ownRenamingIdentifier ?? name }
        set { ownRenamingIdentifier = newValue }
    }

    /// A hash of everything of the property that a store depends on.
    public var versionHash: Data { VersionHash.of(self) }

    /// Sets the predicates that a value must satisfy, each with its warning.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [Any]?
    ) {
        let predicates = validationPredicates ?? []
        let warnings = validationWarnings ?? []
        precondition(
            predicates.count == warnings.count,
            "property '\(name)': \(predicates.count) validation predicates with \(warnings.count) warnings")
        self.validationPredicates = predicates
        self.validationWarnings = warnings
    }

    /// Returns a copy that belongs to no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        copyValues(to: copy)
        return copy
    }

    /// Gives a copy the values of this property. Each class adds its own.
    func copyValues(to copy: NSPropertyDescription) {
        copy.name = name
        copy.isOptional = isOptional
        copy.isTransient = isTransient
        copy.isIndexedBySpotlight = isIndexedBySpotlight
        copy.isStoredInExternalRecord = isStoredInExternalRecord
        copy.userInfo = userInfo
        copy.versionHashModifier = versionHashModifier
        copy.validationPredicates = validationPredicates
        copy.validationWarnings = validationWarnings
        copy.ownRenamingIdentifier = ownRenamingIdentifier
    }

    /// Makes the property immutable. Each class adds its own parts.
    func freeze() { isFrozen = true }

    /// Adds what a store depends on to a version hash. Each class adds its own.
    func addFacts(to hash: inout VersionHash) {
        hash.add(name)
        hash.add(isOptional)
        hash.add(isTransient)
        hash.add(versionHashModifier)
    }
}
