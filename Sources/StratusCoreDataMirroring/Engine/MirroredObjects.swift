import Foundation
import StratusCoreData

/// The objects of a context as the mirror sees them: by the names of their records, with mirrored values. Used on the
/// queue of the context.
final class MirroredObjects {
    private let session: MirrorSession
    private let model: MirroredModel
    private let context: NSManagedObjectContext

    init(_ session: MirrorSession, _ model: MirroredModel, _ context: NSManagedObjectContext) {
        self.session = session
        self.model = model
        self.context = context
    }

    /// Returns the object at a place; nil if it does not exist.
    func object(_ key: StoredObjectKey) throws -> NSManagedObject? { try context.object(at: key, in: session.store) }

    /// Returns the object that the name of a record in a zone stands for; nil if it does not exist.
    func object(named name: String, from zone: Int64) throws -> NSManagedObject? {
        guard let row = try session.record(named: name, from: zone), row.export.pending != .delete else { return nil }
        return try object(row.key)
    }

    /// Returns the object of a record in a zone; nil if it does not exist.
    func object(named name: String, exactlyIn zone: Int64) throws -> NSManagedObject? {
        guard let row = try session.record(named: name, exactlyIn: zone), row.export.pending != .delete else {
            return nil
        }
        return try object(row.key)
    }

    /// Returns the mirrored values of an object. References that wait for their targets are among them.
    func row(of object: NSManagedObject, _ state: RecordRow) throws -> MirroredRow {
        guard let entity = model.entity(named: object.entity.name ?? "") else {
            throw CocoaError.make(.coreData, "the entity '\(object.entity.name ?? "")' is not mirrored")
        }
        var row = MirroredRow(entity: entity.name, values: try entity.values(of: object), references: [:])
        let waiting = try session.waiting(of: state)
        for reference in entity.references {
            if let target = object.value(forKey: reference.name) as? NSManagedObject {
                if let destination = try session.record(of: target), session.canName(destination, in: state) {
                    row.references[reference.name] = destination.name
                }
                // The program has set another target than the one that was waited for.
                for former in waiting where former.relationship == reference.name { session.remove(former) }
            } else {
                row.references[reference.name] = waiting.first { $0.relationship == reference.name }?.target
            }
        }
        return row
    }

    /// Gives a new object the values of its record, but for references.
    func fill(_ object: NSManagedObject, with row: MirroredRow) throws {
        guard let entity = model.entity(named: row.entity) else { return }
        for field in entity.fields {
            // An attribute that must have a value keeps its default where the record has none.
            if let value = row.values[field.name] {
                try field.set(value, of: object)
            } else if field.isOptional {
                try field.set(nil, of: object)
            }
        }
    }

    /// Gives an object the values that a merge has chosen, but for references.
    func take(_ merge: RowMerge, into object: NSManagedObject) throws {
        guard let entity = model.entity(named: object.entity.name ?? "") else { return }
        for field in entity.fields {
            guard let value = merge.values[field.name] else { continue }
            if value != nil || field.isOptional { try field.set(value, of: object) }
        }
    }
}
