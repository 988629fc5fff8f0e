import Foundation
import StratusCoreData

// To-one relationships, whose destinations may come later than the records that name them.
extension PageImport {
    /// A relationship that is set when all objects of the page exist.
    struct PendingReference {
        var object: NSManagedObject
        var source: String
        var relationship: String
        var target: String?
    }

    func note(_ changed: [String: String?], of object: NSManagedObject, _ source: String) {
        for (relationship, target) in changed {
            references.append(
                PendingReference(object: object, source: source, relationship: relationship, target: target))
        }
    }

    func set(_ reference: PendingReference) throws {
        let waiting = WaitingReference(
            zone: zone.number, source: reference.source, relationship: reference.relationship,
            target: reference.target ?? "")
        guard let name = reference.target else {
            session.remove(waiting)
            return reference.object.setValue(nil, forKey: reference.relationship)
        }
        guard let target = try objects.object(named: name, from: zone.number),
            reference.object.canRefer(to: target, by: reference.relationship),
            try agrees(waiting, reference.object, target)
        else {
            session.put(waiting)
            return reference.object.setValue(nil, forKey: reference.relationship)
        }
        try link(reference.object, to: target, by: waiting)
    }

    /// Sets a relationship. The destination no longer waits for the object either.
    private func link(_ source: NSManagedObject, to target: NSManagedObject, by reference: WaitingReference) throws {
        session.remove(reference)
        if let inverse = source.oneToOneInverse(of: reference.relationship) {
            let row = try session.record(named: reference.target, from: reference.zone)
            session.remove(
                WaitingReference(
                    zone: row?.zone ?? reference.zone, source: reference.target, relationship: inverse,
                    target: reference.source))
        }
        source.setValue(target, forKey: reference.relationship)
    }

    /// Whether both records of a one-to-one relationship name each other.
    ///
    /// Two devices may give one object to two others. The records of these two then name it, but it names only one of
    /// them, which is the same one on all devices. In which order the records come decides nothing.
    private func agrees(
        _ reference: WaitingReference, _ source: NSManagedObject, _ target: NSManagedObject
    ) throws -> Bool {
        guard let inverse = source.oneToOneInverse(of: reference.relationship),
            let row = try session.record(named: reference.target, from: reference.zone)
        else { return true }
        let isOurs = row.export.pending == .save || row.base == nil
        let references = isOurs ? try objects.row(of: target, row).references : row.base?.references ?? [:]
        return references[inverse] == reference.source
    }

    /// Sets the relationships that waited for a record.
    func completeReferences(to row: RecordRow) throws {
        try release(from: row)
        for reference in try session.waiting(for: row) {
            guard let source = try objects.object(named: reference.source, from: reference.zone),
                let target = try objects.object(row.key), source.canRefer(to: target, by: reference.relationship),
                try agrees(reference, source, target)
            else { continue }
            // A program may have set another one meanwhile.
            if source.value(forKey: reference.relationship) == nil {
                try link(source, to: target, by: reference)
            } else {
                session.remove(reference)
            }
        }
    }
}

extension NSManagedObject {
    /// Returns the inverse of a to-one relationship, if that is to-one, too.
    fileprivate func oneToOneInverse(of relationship: String) -> String? {
        guard let description = entity.relationshipsByName[relationship], !description.isToMany,
            let inverse = description.inverseRelationship, !inverse.isToMany
        else { return nil }
        return inverse.name
    }
}
