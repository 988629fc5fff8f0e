import Foundation

extension NSManagedObject {
    /// Makes the inverse of a relationship lead back after the relationship has changed.
    func updateInverse(of property: PropertyTable.Property, from former: PropertyState, to current: PropertyState) {
        guard let relationship = property.relationship, let inverse = relationship.inverseRelationship else { return }
        let before = former.destinations
        let after = current.destinations
        let staying = Set(before).intersection(after)
        for object in before where !staying.contains(object) { object.unlink(self, from: inverse.name) }
        for object in after where !staying.contains(object) { linkInverse(of: relationship, from: object) }
    }

    /// Adds a destination to a to-many relationship and makes its inverse lead back, in a time that does not depend on
    /// the number of destinations.
    func addDestination(_ object: NSManagedObject, to relationship: NSRelationshipDescription) {
        checkDestination(object, of: relationship)
        guard !isLinked(to: object, at: requiredPosition(of: relationship.name)) else { return }
        link(object, by: relationship.name)
        linkInverse(of: relationship, from: object)
    }

    /// Removes a destination from a to-many relationship, and this object from the inverse.
    func removeDestination(_ object: NSManagedObject, from relationship: NSRelationshipDescription) {
        guard isLinked(to: object, at: requiredPosition(of: relationship.name)) else { return }
        unlink(object, from: relationship.name)
        if let inverse = relationship.inverseRelationship { object.unlink(self, from: inverse.name) }
    }

    /// Makes a destination lead back, if it does not.
    func linkBack(from object: NSManagedObject, _ relationship: NSRelationshipDescription) {
        guard let inverse = relationship.inverseRelationship,
            !object.isLinked(to: self, at: object.requiredPosition(of: inverse.name))
        else { return }
        linkInverse(of: relationship, from: object)
    }

    private func linkInverse(of relationship: NSRelationshipDescription, from object: NSManagedObject) {
        guard let inverse = relationship.inverseRelationship else { return }
        // A to-one inverse leads to one object only, so that its former one loses the destination.
        if case .object(let owner) = object.state(at: object.requiredPosition(of: inverse.name)), owner !== self {
            owner.unlink(object, from: relationship.name)
        }
        object.link(self, by: inverse.name)
    }

    /// Adds a destination to a relationship without a change of the inverse.
    func link(_ object: NSManagedObject, by name: String) {
        changeState(of: name) { state in
            switch state {
            case .objects(var objects):
                // The collection is changed in place when nothing else holds it.
                state = .null
                objects.insert(object)
                state = .objects(objects)
            case .object, .null, .value, .stored: state = .object(object)
            }
        }
    }

    /// Removes a destination from a relationship without a change of the inverse.
    func unlink(_ object: NSManagedObject, from name: String) {
        guard let position = table.position(of: name), isLinked(to: object, at: position) else { return }
        changeState(of: name) { state in
            switch state {
            case .objects(var objects):
                state = .null
                objects.remove(object)
                state = .objects(objects)
            case .object, .null, .value, .stored: state = .null
            }
        }
    }

    private func isLinked(to object: NSManagedObject, at position: Int) -> Bool {
        state(at: position).leads(to: object)
    }

    private func changeState(of name: String, _ change: (inout PropertyState) -> Void) {
        let position = requiredPosition(of: name)
        recordChange(at: position, from: state(at: position))
        keepState(at: position)
        change(&states[position])
    }

    /// Applies the delete rules of the relationships of an object that is deleted.
    /// - Returns: The objects to delete, too.
    func applyDeleteRules() -> [NSManagedObject] {
        var cascade: [NSManagedObject] = []
        for (position, property) in table.properties.enumerated() {
            guard let relationship = property.relationship else { continue }
            let inverse = relationship.inverseRelationship
            switch relationship.deleteRule {
            case .noActionDeleteRule, .denyDeleteRule: continue
            case .cascadeDeleteRule: cascade += state(at: position).destinations
            case .nullifyDeleteRule: if inverse == nil { continue }
            }
            guard let inverse else { continue }
            for object in state(at: position).destinations where !object.isDeleted {
                object.unlink(self, from: inverse.name)
            }
        }
        return cascade
    }

    /// Releases the destinations of an object that has left its context. Objects that lead to each other would
    /// otherwise keep each other alive.
    func dropRelationships() {
        if !states.isEmpty {
            for (position, property) in table.properties.enumerated() where property.relationship != nil {
                states[position] = property.emptyState
            }
        }
        changes = nil
    }
}
