import Foundation

/// The order that sort descriptors give objects.
struct ObjectOrder {
    private let descriptors: [NSSortDescriptor]

    init(_ descriptors: [NSSortDescriptor]) { self.descriptors = descriptors }

    private func isBefore(_ left: NSManagedObject, _ right: NSManagedObject) -> Bool {
        for descriptor in descriptors {
            switch descriptor.compare(left, to: right) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return false
    }

    func sorted(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        descriptors.isEmpty ? objects : objects.sorted(by: isBefore)
    }

    /// Puts those of the changed objects that match among others. Of equal ones, the others come first. Without
    /// descriptors, objects keep their places, and new ones follow.
    func replace(
        _ changed: Set<NSManagedObject>, in found: [NSManagedObject], by matching: [NSManagedObject]
    ) -> [NSManagedObject] {
        guard descriptors.isEmpty else {
            return merge(found.filter { !changed.contains($0) }, sorted(matching))
        }
        let (known, staying) = (Set(found), Set(matching))
        return found.filter { !changed.contains($0) || staying.contains($0) }
            + matching.filter { !known.contains($0) }
    }

    /// Puts sorted objects into an array of others.
    private func merge(_ others: [NSManagedObject], _ objects: [NSManagedObject]) -> [NSManagedObject] {
        var result: [NSManagedObject] = []
        result.reserveCapacity(others.count + objects.count)
        var waiting = objects[...]
        for other in others {
            while let next = waiting.first, isBefore(next, other) { result.append(waiting.removeFirst()) }
            result.append(other)
        }
        return result + waiting
    }
}
