import StratusCompatibility
import StratusModelFiles

extension ModelDocument {
    /// Describes entities, with what decides how a store keeps their objects.
    init(_ entities: [NSEntityDescription]) {
        self.init()
        for entity in entities {
            var made = ModelEntity(name: entity.name ?? "")
            made.isAbstract = entity.isAbstract
            made.parent = entity.superentity?.name
            made.renamingIdentifier = entity.renamingIdentifier
            made.versionHashModifier = entity.versionHashModifier
            let inherited = entity.superentity?.uniquenessConstraints.count ?? 0
            made.uniquenessConstraints = entity.uniquenessConstraints.dropFirst(inherited).map {
                $0.map(NSEntityDescription.constraintKey)
            }
            for property in entity.properties where property.entity === entity {
                if let attribute = property as? NSAttributeDescription {
                    made.attributes.append(add(attribute, path: "\(made.name).\(attribute.name)"))
                } else if let relationship = property as? NSRelationshipDescription {
                    made.relationships.append(ModelRelationship(relationship))
                }
            }
            self.entities.append(made)
        }
    }

    /// Describes an attribute, and the type of a composite one under the path.
    private mutating func add(_ attribute: NSAttributeDescription, path: String) -> ModelAttribute {
        var made = ModelAttribute(name: attribute.name, type: ModelAttributeType(attribute.attributeType))
        made.options = ModelPropertyOptions(attribute)
        made.transformerName = attribute.valueTransformerName
        if attribute.attributeType == .transformableAttributeType {
            made.valueClassName = attribute.attributeValueClassName
        }
        made.allowsExternalStorage = attribute.allowsExternalBinaryDataStorage
        made.preservesValueInHistory = attribute.preservesValueInHistoryOnDeletion
        made.derivation = (attribute as? NSDerivedAttributeDescription)?.expression.map { ModelFormat($0.description) }
        if let composite = attribute as? NSCompositeAttributeDescription {
            made.composite = path
            composites[path] = composite.elements.map { add($0, path: "\(path).\($0.name)") }
        }
        return made
    }
}

extension ModelRelationship {
    fileprivate init(_ relationship: NSRelationshipDescription) {
        self.init(name: relationship.name, destination: relationship.destinationEntity?.name ?? "")
        options = ModelPropertyOptions(relationship)
        inverse = relationship.inverseRelationship?.name
        minimumCount = relationship.minCount
        maximumCount = relationship.maxCount
        isOrdered = relationship.isOrdered
        deleteRule = ModelDeleteRule(relationship.deleteRule)
    }
}

extension ModelPropertyOptions {
    fileprivate init(_ property: NSPropertyDescription) {
        self.init()
        isOptional = property.isOptional
        isTransient = property.isTransient
        renamingIdentifier = property.renamingIdentifier
        versionHashModifier = property.versionHashModifier
    }
}

extension ModelAttributeType {
    fileprivate init(_ type: NSAttributeType) {
        self = Self.allCases.first { $0.attributeType == type } ?? .undefined
    }
}

extension ModelDeleteRule {
    fileprivate init(_ rule: NSDeleteRule) { self = Self.allCases.first { $0.description == rule } ?? .noAction }
}
