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
        case "isUpdated": isUpdated
        case "isFault": isFault
        case "hasChanges": hasChanges
        default: valueOfOtherKey(key)
        }
    }

    private func valueOfOtherKey(_ key: String) -> Any? {
        if let probe = changes?.probe {
            probe.note(key)
            return nil
        }
        if let property = table.fetchedProperties[key] { return fetchedObjects(of: property) }
        return state(at: position(ofAccessor: key)).publicValue
    }

    /// Returns the position of the property that an accessor such as `primitiveName` belongs to.
    func position(ofAccessor accessor: String) -> Int {
        guard accessor.hasPrefix("primitive") else { return requiredPosition(of: accessor) }
        let name = accessor.dropFirst("primitive".count)
        let key = name.prefix(1).lowercased() + name.dropFirst()
        return table.position(of: key) ?? table.position(of: String(name)) ?? requiredPosition(of: accessor)
    }

    /// Whether a property that stores keep has another value than when the object was read or saved.
    public var hasPersistentChangedValues: Bool {
        guard !isInserted else { return true }
        return (changes?.committed ?? [:]).contains { position, former in
            !table.properties[position].isTransient && !former.isSame(as: state(at: position))
        }
    }

    /// Notes that a property held something else before.
    func recordChange(at position: Int, from former: PropertyState) {
        guard managedObjectContext?.processesChanges ?? true else { return }
        managedObjectContext?.checkQueue()
        let changes = changesToWrite
        // The context knows an object that has changed in the event already.
        let isFirst = changes.beforeEvent.isEmpty
        changes.committed.keep(former, at: position)
        changes.beforeEvent.keep(former, at: position)
        if isFirst { managedObjectContext?.noteChange(of: self) }
    }

    /// Becomes an object without changes.
    func forgetChanges() {
        guard let changes, !changes.fetched.isEmpty || changes.publisher != nil else {
            self.changes = nil
            return
        }
        let rest = ObjectChanges()
        rest.fetched = changes.fetched
        rest.publisher = changes.publisher
        self.changes = rest
    }

    var changesToWrite: ObjectChanges {
        if let changes { return changes }
        let made = ObjectChanges()
        changes = made
        return made
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
        let object = requiredObject(value)
        checkDestination(object, of: relationship)
        return object
    }

    /// Stops the program if an object cannot be a destination, as Apple raises an exception.
    func checkDestination(_ object: NSManagedObject, of relationship: NSRelationshipDescription) {
        let name = relationship.name
        if let entity = relationship.destinationEntity {
            precondition(
                object.entity.isKindOf(entity: entity),
                "relationship '\(name)' leads to entity '\(entity.name ?? "")', not to '\(object.entity.name ?? "")'")
        }
        precondition(
            object.managedObjectContext === managedObjectContext,
            "relationship '\(name)' between objects of different contexts")
    }

    /// Returns the to-many relationship of a name: an ordered one or another one, or any for nil.
    func requiredToMany(_ key: String, isOrdered: Bool? = nil) -> NSRelationshipDescription {
        guard case .toMany(let relationship) = table.properties[requiredPosition(of: key)].kind,
            isOrdered == nil || relationship.isOrdered == isOrdered
        else {
            let kind = isOrdered == true ? "an ordered" : "a"
            preconditionFailure("'\(key)' of entity '\(entity.name ?? "")' is not \(kind) to-many relationship")
        }
        return relationship
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
