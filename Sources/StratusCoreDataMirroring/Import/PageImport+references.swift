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
            zone: session.zone.number, source: reference.source, relationship: reference.relationship,
            target: reference.target ?? "")
        guard let name = reference.target else {
            session.remove(waiting)
            return reference.object.setValue(nil, forKey: reference.relationship)
        }
        guard let target = try objects.object(named: name),
            reference.object.canRefer(to: target, by: reference.relationship)
        else {
            session.put(waiting)
            return reference.object.setValue(nil, forKey: reference.relationship)
        }
        session.remove(waiting)
        reference.object.setValue(target, forKey: reference.relationship)
    }

    /// Sets the relationships that waited for a record.
    func completeReferences(to name: String) throws {
        for reference in try session.waiting(for: name) {
            guard let source = try objects.object(named: reference.source),
                let target = try objects.object(named: name), source.canRefer(to: target, by: reference.relationship)
            else { continue }
            session.remove(reference)
            // A program may have set another one meanwhile.
            if source.value(forKey: reference.relationship) == nil {
                source.setValue(target, forKey: reference.relationship)
            }
        }
    }
}
