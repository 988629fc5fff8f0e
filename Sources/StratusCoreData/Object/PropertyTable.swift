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
    private let positions: [String: Int]

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
        positions = Dictionary(properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    }

    func position(of name: String) -> Int? { positions[name] }

    /// The values of a new object.
    var defaults: [PropertyState] {
        properties.map { property in
            switch property.kind {
            case .attribute(let attribute): attribute.defaultValue.map { PropertyState.value($0) } ?? .null
            case .toOne, .toMany: property.emptyState
            }
        }
    }
}
