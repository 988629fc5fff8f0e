import Foundation

/// A conflict between objects that have equal values for a uniqueness constraint.
open class NSConstraintConflict: NSObject {
    /// The names of the attributes of the constraint.
    public let constraint: [String]
    /// The values that the objects share.
    public let constraintValues: [String: Any]
    /// The object that has the values in the store; nil if only objects of the context have them.
    public let databaseObject: NSManagedObject?
    /// The values of ``databaseObject`` in the store.
    public let databaseSnapshot: [String: Any]?
    /// The objects that are to be saved with the values.
    public let conflictingObjects: [NSManagedObject]
    /// The values in the store of each of ``conflictingObjects``; empty for new ones.
    public let conflictingSnapshots: [Any]

    /// Makes a conflict.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots
        let values = contraint.map { ($0, conflictingObjects.first?.value(forKey: $0) ?? NSNull()) }
        constraintValues = Dictionary(values, uniquingKeysWith: { $1 })
        super.init()
    }

    func resolve(_ type: NSMergePolicyType) {
        let keepsStored = type == .rollbackMergePolicyType || type == .mergeByPropertyStoreTrumpMergePolicyType
        var objects = conflictingObjects.sorted { $0.objectID.number < $1.objectID.number }
        guard let databaseObject else {
            // Only one of the objects can have the values.
            let index = objects.firstIndex { !$0.isInserted } ?? (keepsStored ? 0 : objects.count - 1)
            let kept = objects.remove(at: index)
            for object in objects { give(object, to: kept, type) }
            return
        }
        for object in objects {
            if object.isInserted {
                give(object, to: databaseObject, type)
            } else if keepsStored {
                object.managedObjectContext?.refresh(object, mergeChanges: false)
            } else {
                databaseObject.managedObjectContext?.delete(databaseObject)
            }
        }
    }

    /// Removes a new object in favour of another, which takes over values or only the references to the object.
    private func give(_ object: NSManagedObject, to kept: NSManagedObject, _ type: NSMergePolicyType) {
        guard let context = object.managedObjectContext, object.isInserted else {
            object.managedObjectContext?.refresh(object, mergeChanges: false)
            return
        }
        switch type {
        case .overwriteMergePolicyType: kept.takeValues(of: object, at: Array(object.table.properties.indices))
        case .mergeByPropertyObjectTrumpMergePolicyType:
            kept.takeValues(of: object, at: (object.changes?.committed ?? [:]).positions)
        case .mergeByPropertyStoreTrumpMergePolicyType: kept.takeReferences(to: object)
        case .rollbackMergePolicyType, .errorMergePolicyType: break
        }
        context.discard(object)
    }
}

extension NSManagedObject {
    fileprivate func takeValues(of other: NSManagedObject, at positions: [Int]) {
        for position in positions {
            let property = other.table.properties[position]
            guard table.position(of: property.name) != nil else { continue }
            if let relationship = property.relationship, relationship.isToMany {
                // Those that the other object does not know stay.
                for object in other.state(at: position).destinations { addDestination(object, to: relationship) }
            } else {
                setValue(other.value(forKey: property.name), forKey: property.name)
            }
        }
    }

    /// Makes the objects that lead to another one lead to this one, where this one leads to nothing.
    fileprivate func takeReferences(to other: NSManagedObject) {
        for property in other.table.properties {
            guard let relationship = property.relationship, relationship.inverseRelationship != nil,
                let position = table.position(of: property.name)
            else { continue }
            for destination in other.state(at: position).destinations {
                if relationship.isToMany {
                    addDestination(destination, to: relationship)
                } else if state(at: position).destinations.isEmpty {
                    setValue(destination, forKey: property.name)
                }
            }
        }
    }
}
