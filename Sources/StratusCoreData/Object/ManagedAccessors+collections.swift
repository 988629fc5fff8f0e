import Foundation

// Accessors of to-many relationships, which the build plugins write calls of.
extension NSManagedObject {
    /// Adds a destination to a relationship.
    public func addManagedObject(_ object: NSManagedObject, forKey key: String) { add([object], forKey: key) }

    /// Removes a destination from a relationship.
    public func removeManagedObject(_ object: NSManagedObject, forKey key: String) { remove([object], forKey: key) }

    /// Adds destinations to a relationship.
    public func addManagedObjects(_ objects: NSSet, forKey key: String) {
        add(members(objects.allObjects), forKey: key)
    }

    /// Removes destinations from a relationship.
    public func removeManagedObjects(_ objects: NSSet, forKey key: String) {
        remove(members(objects.allObjects), forKey: key)
    }

    /// Adds destinations to a relationship.
    public func addManagedObjects<Member: NSManagedObject>(_ objects: Set<Member>, forKey key: String) {
        add(Array(objects), forKey: key)
    }

    /// Removes destinations from a relationship.
    public func removeManagedObjects<Member: NSManagedObject>(_ objects: Set<Member>, forKey key: String) {
        remove(Array(objects), forKey: key)
    }

    /// Adds destinations to an ordered relationship.
    public func addManagedObjects(_ objects: NSOrderedSet, forKey key: String) {
        add(members(objects.array), forKey: key)
    }

    /// Removes destinations from an ordered relationship.
    public func removeManagedObjects(_ objects: NSOrderedSet, forKey key: String) {
        remove(members(objects.array), forKey: key)
    }

    /// Inserts a destination into an ordered relationship.
    public func insertManagedObject(_ object: NSManagedObject, at index: Int, forKey key: String) {
        changeOrder(key) { $0.insert(object, at: index) }
    }

    /// Removes the destination at a position of an ordered relationship.
    public func removeManagedObject(at index: Int, forKey key: String) {
        changeOrder(key) { $0.removeObject(at: index) }
    }

    /// Inserts destinations into an ordered relationship, each at a position of the result.
    public func insertManagedObjects(_ objects: [NSManagedObject], at indexes: NSIndexSet, forKey key: String) {
        changeOrder(key) { set in
            for (index, object) in zip(positions(indexes), objects) { set.insert(object, at: index) }
        }
    }

    /// Removes the destinations at positions of an ordered relationship.
    public func removeManagedObjects(at indexes: NSIndexSet, forKey key: String) {
        changeOrder(key) { set in
            for index in positions(indexes).reversed() { set.removeObject(at: index) }
        }
    }

    /// Replaces the destination at a position of an ordered relationship.
    public func replaceManagedObject(at index: Int, with object: NSManagedObject, forKey key: String) {
        changeOrder(key) { $0.replaceObject(at: index, with: object) }
    }

    /// Replaces the destinations at positions of an ordered relationship.
    public func replaceManagedObjects(at indexes: NSIndexSet, with objects: [NSManagedObject], forKey key: String) {
        changeOrder(key) { set in
            for (index, object) in zip(positions(indexes), objects) { set.replaceObject(at: index, with: object) }
        }
    }

    private func positions(_ indexes: NSIndexSet) -> [Int] {
        var positions: [Int] = []
        var index = indexes.firstIndex
        while index != NSNotFound {
            positions.append(index)
            index = indexes.indexGreaterThanIndex(index)
        }
        return positions
    }

    private func members(_ objects: [Any]) -> [NSManagedObject] { objects.compactMap { $0 as? NSManagedObject } }

    private func add(_ objects: [NSManagedObject], forKey key: String) {
        let relationship = requiredToMany(key)
        for object in objects { addDestination(object, to: relationship) }
    }

    private func remove(_ objects: [NSManagedObject], forKey key: String) {
        let relationship = requiredToMany(key)
        guard relationship.isOrdered, objects.count > 1 else {
            for object in objects { removeDestination(object, from: relationship) }
            return
        }
        let removed = Set(objects)
        changeOrder(key) { set in
            let rest = members(set.array).filter { !removed.contains($0) }
            set.removeAllObjects()
            set.addObjects(from: rest)
        }
    }

    /// Sets an ordered relationship once, after all changes of its destinations.
    private func changeOrder(_ key: String, _ change: (NSMutableOrderedSet) -> Void) {
        let former = value(forKey: requiredToMany(key, isOrdered: true).name) as? NSOrderedSet
        let set = NSMutableOrderedSet(array: former?.array ?? [])
        change(set)
        setValue(set, forKey: key)
    }
}
