import Foundation

extension NSManagedObject {
    /// Whether the destinations of a relationship have not been read yet.
    public func hasFault(forRelationshipNamed key: String) -> Bool { isFault(at: requiredPosition(of: key)) }

    /// Returns the IDs of the destinations of a relationship without objects for them.
    public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        let position = requiredPosition(of: key)
        guard let relationship = table.properties[position].relationship else { return [] }
        if relationship.isToMany, isFault(at: position), let context = managedObjectContext, !objectID.isTemporaryID {
            return context.destinationIDs(of: relationship, from: self)
        }
        return state(at: position).destinations.map(\.objectID)
    }

    /// Whether a property is a relationship whose destinations have not been read.
    func isFault(at position: Int) -> Bool {
        guard table.properties[position].relationship != nil else { return false }
        if isFault { return true }
        guard row != nil else { return false }
        return states.isEmpty || states[position].isStored
    }

    /// Returns the state of a property, which is read if need be.
    func state(at position: Int) -> PropertyState {
        fireFault()
        if !states.isEmpty, !states[position].isStored { return states[position] }
        let stored = storedState(at: position)
        guard table.properties[position].isKept else { return stored }
        makeStates()
        states[position] = stored
        return stored
    }

    func setState(_ state: PropertyState, at position: Int) {
        fireFault()
        makeStates()
        states[position] = state
    }

    /// Makes the state of a property one of the object's own.
    func keepState(at position: Int) {
        fireFault()
        makeStates()
        if states[position].isStored { states[position] = storedState(at: position) }
    }

    private func makeStates() {
        if states.isEmpty { states = Array(repeating: .stored, count: table.properties.count) }
    }

    func storedState(at position: Int) -> PropertyState {
        let property = table.properties[position]
        guard let row, let context = managedObjectContext, let mapping = context.mapping(of: self) else {
            return property.emptyState
        }
        switch mapping.places[position] {
        case .none: return property.emptyState
        case .value(let index):
            switch property.kind {
            case .attribute(let attribute):
                return row.values[index].value(of: attribute, in: context).map { .value($0) } ?? .null
            case .toOne:
                guard case .reference(let key) = row.values[index], let id = context.id(of: key, beside: self)
                else { return .null }
                return .object(context.object(with: id))
            case .toMany: return property.emptyState
            }
        case .composite(let elements):
            let value = CompositeValue.value(of: elements, in: row, context)
            return value.map { .value($0) } ?? .null
        case .toMany:
            guard let relationship = property.relationship else { return property.emptyState }
            let members = context.destinationIDs(of: relationship, from: self).map { context.object(with: $0) }
            return .objects(ObjectCollection(members, isOrdered: relationship.isOrdered))
        }
    }

    /// Reads the values, unless they have been read.
    func fireFault() {
        guard isFault else { return }
        guard let context = managedObjectContext else {
            // The object has been forgotten by its context and has no values.
            states = table.emptyStates
            isFault = false
            return
        }
        context.checkQueue()
        context.fire(self)
    }

    /// Takes values from a row, as a fault that fires.
    func realize(_ row: StoredRow) {
        self.row = row
        states = []
        isFault = false
        batch = nil
        managedObjectContext?.withoutProcessing { awakeFromFetch() }
    }

    func turnIntoFault() {
        guard !isFault else { return }
        willTurnIntoFault()
        let publisher = changes?.publisher
        publisher?.send()
        states = []
        row = nil
        changes = nil
        if let publisher { changesToWrite.publisher = publisher }
        isFault = true
        didTurnIntoFault()
    }
}

/// The values of composite attributes: dictionaries, which may be inside each other.
enum CompositeValue {
    static func value(
        of elements: [RowMapping.Element], in row: StoredRow, _ context: NSManagedObjectContext
    ) -> [String: Any]? {
        var result: [String: Any] = [:]
        for element in elements {
            guard let value = row.values[element.position].value(of: element.attribute, in: context) else { continue }
            set(value, at: element.path[...], in: &result)
        }
        return result.isEmpty ? nil : result
    }

    static func element(_ path: [String], of value: [String: Any]) -> Any? {
        path.reduce(value as Any?) { ($0 as? [String: Any])?[$1] }
    }

    private static func set(_ value: Any, at path: ArraySlice<String>, in dictionary: inout [String: Any]) {
        guard let key = path.first else { return }
        guard path.count > 1 else {
            dictionary[key] = value
            return
        }
        var inner = dictionary[key] as? [String: Any] ?? [:]
        set(value, at: path.dropFirst(), in: &inner)
        dictionary[key] = inner
    }
}
