extension NSManagedObject {
    /// Whether the object is one of a context, and is not deleted.
    func isUsable(in context: NSManagedObjectContext?) -> Bool {
        context != nil && managedObjectContext === context && !isDeleted
    }

    /// Gives a property a former state and keeps the inverse of a relationship in step. Of a to-many relationship, only
    /// the destinations that have come and gone since then change.
    func putBack(_ former: PropertyState, insteadOf later: PropertyState, _ position: Int) {
        let property = table.properties[position]
        switch property.kind {
        case .attribute: replaceState(at: position, by: former)
        case .toOne:
            let destination = former.destinations.first { $0.isUsable(in: managedObjectContext) }
            replaceState(at: position, by: destination.map { .object($0) } ?? .null)
        case .toMany(let relationship):
            let (before, after) = (Set(former.destinations), Set(later.destinations))
            for object in after.subtracting(before) { removeDestination(object, from: relationship) }
            for object in former.destinations where !after.contains(object) && object.isUsable(in: managedObjectContext)
            {
                addDestination(object, to: relationship)
            }
            guard relationship.isOrdered, case .objects(var members) = state(at: position) else { return }
            members.arrange(former.destinations)
            replaceState(at: position, by: .objects(members))
        }
    }

    private func replaceState(at position: Int, by new: PropertyState) {
        let current = state(at: position)
        guard !new.isSame(as: current) else { return }
        recordChange(at: position, from: current)
        setState(new, at: position)
        updateInverse(of: table.properties[position], from: current, to: new)
    }

    /// Makes the destinations lead back that do not.
    func linkDestinations() {
        for (position, property) in table.properties.enumerated() {
            guard let relationship = property.relationship else { continue }
            for object in state(at: position).destinations where object.isUsable(in: managedObjectContext) {
                linkBack(from: object, relationship)
            }
        }
    }

    /// Removes the object from the relationships of its destinations.
    func unlinkDestinations() {
        for (position, property) in table.properties.enumerated() {
            guard let inverse = property.relationship?.inverseRelationship else { continue }
            for object in state(at: position).destinations where !object.isDeleted {
                object.unlink(self, from: inverse.name)
            }
        }
    }

    /// Becomes an object without a row and without values, which is new in its context.
    func becomeNew() {
        (row, changes, batch) = (nil, nil, nil)
        states = table.emptyStates
        (isDeleted, isFault, isInserted) = (false, false, true)
    }

    /// Forgets changes whose properties have their former states again.
    /// - Returns: Whether other changes remain.
    func forgetEqualChanges() -> Bool {
        guard let changes else { return false }
        changes.committed = changes.committed.filter { !$1.isSame(as: state(at: $0)) }
        return !changes.committed.isEmpty
    }
}

/// The reasons why an object gets former values, or those of its store.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt

    /// Takes Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// An insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// A deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context discarded its changes.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed and kept its changes.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy resolved a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
