import Foundation

/// An index of an entity: the database finds and sorts objects by its elements without reading all of them.
open class NSFetchIndexDescription: NSObject, NSCopying, Freezable {
    /// Whether a coordinator uses the model.
    private(set) var isFrozen = false

    open var name: String { willSet { assertMutable() } }

    /// What the index is of, the most significant element first.
    open var elements: [NSFetchIndexElementDescription] {
        willSet { assertMutable() }
        didSet { claimElements(replacing: oldValue) }
    }

    /// The entity that declares the index.
    public internal(set) weak var entity: NSEntityDescription?

    /// A predicate over attributes of the entity. An index with one covers only the objects that match.
    open var partialIndexPredicate: NSPredicate? { willSet { assertMutable() } }

    /// Makes an index with a name; nil stands for no elements.
    public required init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        claimElements(replacing: [])
    }

    /// Returns a copy that belongs to no entity, with copies of the elements.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self(name: name, elements: elements.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.partialIndexPredicate = partialIndexPredicate
        return copy
    }

    func freeze() {
        isFrozen = true
        for element in elements { element.freeze() }
    }

    private func claimElements(replacing former: [NSFetchIndexElementDescription]) {
        for element in former where element.indexDescription === self { element.indexDescription = nil }
        for element in elements { element.indexDescription = self }
    }
}

/// The structure of an index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// Values in order.
    case binary = 0
    /// A tree of numbers' ranges.
    case rTree = 1
}

/// A property or an expression that an index is of.
open class NSFetchIndexElementDescription: NSObject, NSCopying, Freezable {
    /// Whether a coordinator uses the model.
    private(set) var isFrozen = false

    /// The property, or the expression whose values are indexed.
    public internal(set) var property: NSPropertyDescription? {
        get { expression ?? declared }
        set {
            expression = newValue as? NSExpressionDescription
            declared = newValue
        }
    }

    /// An expression belongs to no entity that would keep it alive.
    private var expression: NSExpressionDescription?
    private weak var declared: NSPropertyDescription?

    /// The index that the element belongs to.
    public internal(set) weak var indexDescription: NSFetchIndexDescription?

    open var collationType: NSFetchIndexElementType { willSet { assertMutable() } }
    open var isAscending = true { willSet { assertMutable() } }

    /// Makes an element of an index for a property, or for an ``NSExpressionDescription``.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.collationType = collationType
        super.init()
        self.property = property
    }

    private init(copying other: NSFetchIndexElementDescription) {
        collationType = other.collationType
        isAscending = other.isAscending
        super.init()
        property = other.property
    }

    /// The name of the property.
    public var propertyName: String? { property?.name }

    func freeze() { isFrozen = true }

    /// Returns a copy that belongs to no index.
    open func copy(with zone: NSZone? = nil) -> Any { NSFetchIndexElementDescription(copying: self) }
}
