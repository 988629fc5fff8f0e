import Foundation

/// Makes rows of objects.
struct RowEncoder {
    let storeOf: (NSManagedObject) -> NSPersistentStore?
    let keyOf: (NSManagedObject) -> RowKey?

    /// Returns the row of an object with its current values, and the version that they are based on.
    func row(of object: NSManagedObject) throws -> StoredRow {
        guard let mapping = mapping(of: object), let key = keyOf(object) else {
            throw CocoaError.make(.persistentStoreSave, "no store keeps the object \(object.objectID)")
        }
        var values = object.row?.values ?? Array(repeating: .null, count: mapping.layout.properties.count)
        let positions =
            object.row == nil ? Array(mapping.places.indices) : (object.changes?.committed ?? [:]).positions
        for position in positions {
            let property = object.table.properties[position]
            let place = mapping.places[position]
            switch (place, property.kind) {
            case (.none, _), (.toMany, _): continue
            case (_, .attribute(let attribute)):
                try Self.set(object.state(at: position).publicValue, of: attribute, at: place, in: &values)
            case (.value(let index), _):
                let destination = object.state(at: position).destinations.first
                values[index] = try destination.map { .reference(try self.key(of: $0, property.name, object)) } ?? .null
            case (.composite, _): continue
            }
        }
        return StoredRow(key: key, version: object.row?.version ?? 0, values: values)
    }

    /// Sets the value of an attribute, which is of the attribute's type, among those of a row.
    static func set(
        _ value: Any?, of attribute: NSAttributeDescription, at place: RowMapping.Place, in values: inout [StoredValue]
    ) throws {
        switch place {
        case .none, .toMany: return
        case .value(let index): values[index] = try value.map { try StoredValue($0, of: attribute) } ?? .null
        case .composite(let elements):
            let composite = value as? [String: Any] ?? [:]
            for element in elements {
                let value = CompositeValue.element(element.path, of: composite)
                values[element.position] =
                    try value.map { value in
                        let held = AttributeConversion.value(value, for: element.attribute.attributeType) ?? value
                        return try StoredValue(held, of: element.attribute)
                    } ?? .null
            }
        }
    }

    private func mapping(of object: NSManagedObject) -> RowMapping? {
        storeOf(object).flatMap { object.table.mapping(for: $0) }
    }

    private func key(of destination: NSManagedObject, _ name: String, _ owner: NSManagedObject) throws -> RowKey {
        guard let key = keyOf(destination) else {
            throw CocoaError.make(
                .managedObjectValidation, "'\(name)' leads to an object that is not in the context",
                [NSValidationObjectErrorKey: owner, NSValidationKeyErrorKey: name])
        }
        guard storeOf(destination) === storeOf(owner) else {
            throw CocoaError.make(
                .managedObjectExternalRelationship, "'\(name)' leads to an object in another store",
                [NSValidationObjectErrorKey: owner, NSValidationKeyErrorKey: name])
        }
        return key
    }

    /// Returns the changes of an object's to-many relationships that do not follow from the rows of the destinations.
    func toManyChanges(of object: NSManagedObject) throws -> [ToManyChange] {
        guard let mapping = mapping(of: object), let owner = keyOf(object) else { return [] }
        guard !mapping.layout.toMany.isEmpty else { return [] }
        var changes: [ToManyChange] = []
        for (position, place) in mapping.places.enumerated() {
            guard case .toMany = place, object.isInserted || object.changes?.committed[position] != nil,
                let layout = mapping.layout.toMany[object.table.properties[position].name]
            else { continue }
            let former = object.isInserted ? [] : object.changes?.committed[position]?.destinations ?? []
            let current = object.state(at: position).destinations
            var change = ToManyChange(owner: owner, relationship: layout.name)
            if !layout.followsFromRows {
                let (before, after) = (Set(former), Set(current))
                change.added = try current.filter { !before.contains($0) }.map { try key(of: $0, layout.name, object) }
                change.removed = former.filter { !after.contains($0) }.compactMap(keyOf)
            }
            if layout.isOrdered { change.order = try current.map { try key(of: $0, layout.name, object) } }
            guard layout.isOrdered || !(change.added.isEmpty && change.removed.isEmpty) else { continue }
            changes.append(change)
        }
        return changes
    }
}

extension ToManyLayout {
    /// Whether the rows of the destinations lead to their owner by a property of their own.
    var followsFromRows: Bool {
        if case .column = place { inverse != nil } else { false }
    }
}

extension NSManagedObject {
    /// Whether a to-many relationship that is stored has other destinations, or another order, than before.
    var hasChangedDestinations: Bool {
        (changes?.committed ?? [:]).contains { position, former in
            let property = table.properties[position]
            guard property.isToMany, !property.isTransient else { return false }
            let current = state(at: position)
            if case .toMany(let relationship) = property.kind, relationship.isOrdered {
                return former.destinations != current.destinations
            }
            return Set(former.destinations) != Set(current.destinations)
        }
    }
}

extension CocoaError.Code {
    /// A relationship leads to an object in another store.
    public static let managedObjectExternalRelationship = CocoaError.Code(rawValue: 133_010)
}
