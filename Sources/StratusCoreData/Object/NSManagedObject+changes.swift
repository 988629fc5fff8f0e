import Foundation

extension NSManagedObject {
    func requiredPosition(of key: String) -> Int {
        guard let position = table.position(of: key) else {
            // The program's own mistake, for which Apple raises an exception.
            preconditionFailure("entity '\(entity.name ?? "")' has no property '\(key)'")
        }
        return position
    }

    /// Returns what predicates may ask of an object besides the properties of its entity.
    func value(ofObjectKey key: String) -> Any? {
        switch key {
        case "objectID": objectID
        case "entity": entity
        case "isInserted": isInserted
        case "isDeleted": isDeleted
        case "hasChanges": hasChanges
        default: preconditionFailure("entity '\(entity.name ?? "")' has no property '\(key)'")
        }
    }

    /// Notes that a property held something else before.
    func recordChange(at position: Int, from former: PropertyState) {
        changedPositions.insert(position)
        if statesBeforeEvent[position] == nil { statesBeforeEvent[position] = former }
        managedObjectContext?.noteChange(of: self)
    }

    /// Returns what a property holds after a program has set a value, which is of the property's type.
    func state(of value: Any?, for property: PropertyTable.Property) -> PropertyState {
        switch property.kind {
        case .attribute(let attribute): return attributeState(value, attribute)
        case .toOne(let relationship):
            guard let value, !(value is NSNull) else { return .null }
            return .object(destination(value, relationship))
        case .toMany(let relationship):
            let members = members(of: value, relationship).map { destination($0, relationship) }
            return .objects(ObjectCollection(members, isOrdered: relationship.isOrdered))
        }
    }

    private func attributeState(_ value: Any?, _ attribute: NSAttributeDescription) -> PropertyState {
        guard let value, !(value is NSNull) else { return .null }
        guard let converted = AttributeConversion.value(value, for: attribute.attributeType) else {
            preconditionFailure(
                "attribute '\(attribute.name)' of entity '\(entity.name ?? "")' cannot hold a \(type(of: value)): "
                    + "it wants a \(attribute.attributeValueClassName ?? "value")")
        }
        return .value(converted)
    }

    private func destination(_ value: Any, _ relationship: NSRelationshipDescription) -> NSManagedObject {
        guard let object = value as? NSManagedObject,
            relationship.destinationEntity.map({ object.entity.isKindOf(entity: $0) }) ?? true
        else {
            preconditionFailure(
                "relationship '\(relationship.name)' leads to objects of entity "
                    + "'\(relationship.destinationEntity?.name ?? "")', not to \(value)")
        }
        precondition(
            object.managedObjectContext === managedObjectContext,
            "relationship '\(relationship.name)' between objects of different contexts")
        return object
    }

    private func members(of value: Any?, _ relationship: NSRelationshipDescription) -> [Any] {
        switch value {
        case nil, is NSNull: return []
        case let members as NSOrderedSet: return members.array
        case let members as NSSet: return members.allObjects
        case let members as Set<AnyHashable>: return members.map(\.base)
        case .some(let value):
            preconditionFailure("relationship '\(relationship.name)' is to-many and cannot hold \(value)")
        }
    }
}
