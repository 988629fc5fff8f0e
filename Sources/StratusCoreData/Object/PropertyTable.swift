import Foundation

/// The properties of an entity by position, made once for all objects of the entity in a context.
final class PropertyTable {
    enum Kind {
        case attribute(NSAttributeDescription)
        case toOne(NSRelationshipDescription)
        case toMany(NSRelationshipDescription)
    }

    struct Property {
        let name: String
        let kind: Kind

        var isToMany: Bool { if case .toMany = kind { true } else { false } }
        var isTransient: Bool { description.isTransient }

        /// Whether objects keep what they have read of the property: destinations, and objects that are made of data.
        var isKept: Bool {
            switch kind {
            case .attribute(let attribute):
                attribute.attributeType == .transformableAttributeType
                    || attribute.attributeType == .undefinedAttributeType
            case .toOne, .toMany: true
            }
        }

        var relationship: NSRelationshipDescription? {
            switch kind {
            case .attribute: nil
            case .toOne(let relationship), .toMany(let relationship): relationship
            }
        }

        /// The state without a value and without destinations.
        var emptyState: PropertyState {
            switch kind {
            case .attribute, .toOne: .null
            case .toMany(let relationship): .objects(ObjectCollection(isOrdered: relationship.isOrdered))
            }
        }

        var description: NSPropertyDescription {
            switch kind {
            case .attribute(let attribute): attribute
            case .toOne(let relationship), .toMany(let relationship): relationship
            }
        }
    }

    let entity: NSEntityDescription
    let properties: [Property]
    /// The properties that objects find by a fetch.
    let fetchedProperties: [String: NSFetchedPropertyDescription]
    /// The states of an object without values.
    let emptyStates: [PropertyState]
    /// The values of a new object.
    let defaults: [PropertyState]
    private let positions: [String: Int]
    /// The last name that was looked up. A change looks its property up several times.
    private var last: (name: String, position: Int)?
    private var mappings: [(store: NSPersistentStore, mapping: RowMapping)] = []

    init(_ entity: NSEntityDescription) {
        self.entity = entity
        properties = entity.propertiesByName.sorted { $0.key < $1.key }.compactMap { name, property in
            switch property {
            case let attribute as NSAttributeDescription: Property(name: name, kind: .attribute(attribute))
            case let relationship as NSRelationshipDescription:
                Property(name: name, kind: relationship.isToMany ? .toMany(relationship) : .toOne(relationship))
            default: nil
            }
        }
        fetchedProperties = entity.propertiesByName.compactMapValues { $0 as? NSFetchedPropertyDescription }
        emptyStates = properties.map(\.emptyState)
        defaults = properties.map { property in
            guard case .attribute(let attribute) = property.kind else { return property.emptyState }
            return attribute.defaultValue.map { value in
                .value(AttributeConversion.value(value, for: attribute.attributeType) ?? value)
            } ?? .null
        }
        positions = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    }

    func position(of name: String) -> Int? {
        if let last, last.name == name { return last.position }
        guard let position = positions[name] else { return nil }
        last = (name, position)
        return position
    }

    /// Returns the places of the properties in a store; nil if the store does not keep the entity.
    func mapping(for store: NSPersistentStore) -> RowMapping? {
        for known in mappings where known.store === store { return known.mapping }
        guard let layout = store.rows.layout.entities[entity.name ?? ""] else { return nil }
        let mapping = RowMapping(properties, layout)
        mappings.append((store, mapping))
        return mapping
    }
}
