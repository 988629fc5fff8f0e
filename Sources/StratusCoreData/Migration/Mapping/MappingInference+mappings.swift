import Foundation
import StratusCompatibility

extension MappingInference {
    /// The inferred mappings, with Apple's names: those of new entities first, then those of removed ones.
    var entityMappings: [NSEntityMapping] {
        let known = Set(pairs.values.map { $0.source.name ?? "" })
        let added = destination.filter { pairs[$0.name ?? ""] == nil }.map { entity in
            mapping(.addEntityMappingType, "Add", nil, entity)
        }
        let removed = source.filter { !known.contains($0.name ?? "") }.map { entity in
            mapping(.removeEntityMappingType, "Remove", entity, nil)
        }
        let kept = pairs.values.map { pair in
            let isSame = pair.source.versionHash == pair.destination.versionHash
            let made = mapping(
                isSame ? .copyEntityMappingType : .transformEntityMappingType, isSame ? "Copy" : "Transform",
                pair.source, pair.destination)
            let properties = Self.stored(pair.destination).sorted { $0.name < $1.name }
            made.attributeMappings = properties.filter { $0 is NSAttributeDescription }.map { property in
                propertyMapping(property, pair.properties[property.name].map(Self.attribute))
            }
            made.relationshipMappings = properties.filter { $0 is NSRelationshipDescription }.map { property in
                propertyMapping(property, pair.properties[property.name].map(Self.relationship))
            }
            return made
        }
        return (added + removed + kept).sorted { ($0.mappingType.order, $0.name) < ($1.mappingType.order, $1.name) }
    }

    private func mapping(
        _ type: NSEntityMappingType, _ kind: String, _ source: NSEntityDescription?,
        _ destination: NSEntityDescription?
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "IEM_\(kind)_\(destination?.name ?? source?.name ?? "")"
        mapping.mappingType = type
        mapping.sourceEntityName = source?.name
        mapping.sourceEntityVersionHash = source?.versionHash
        mapping.destinationEntityName = destination?.name
        mapping.destinationEntityVersionHash = destination?.versionHash
        return mapping
    }

    /// A property without a source keeps its default value.
    private func propertyMapping(_ property: NSPropertyDescription, _ value: PredicateOperand?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = property.name
        mapping.value = value?.expression
        return mapping
    }

    private static func attribute(_ name: String) -> PredicateOperand {
        .member(.variable(NSMigrationSourceObjectKey), keyPath: name)
    }

    private static func relationship(_ name: String) -> PredicateOperand {
        .method(
            .variable(NSMigrationManagerKey), selector: MigrationSelector.destinationsOfRelationship.rawValue,
            [.value(.string(name)), .member(.variable(NSMigrationSourceObjectKey), keyPath: name)])
    }
}

extension NSEntityMappingType {
    fileprivate var order: Int {
        switch self {
        case .addEntityMappingType: 0
        case .removeEntityMappingType: 1
        default: 2
        }
    }
}
