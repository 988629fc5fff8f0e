import CoreData
import Foundation

/// The changes of a device that nobody may undo.
enum MirrorTrust: Sendable {
    case full
    /// Values of objects may be lost.
    case existence
    /// The values of objects that somebody else has made: new objects and relationships may be in no share.
    case values
    case none
}

/// Applies the changes of a step to a context, as a program does.
struct MirrorPerson {
    let device: Int
    /// The devices of the same person, which may change each other's entries of the public store.
    let colleagues: [Int]
    let trust: MirrorTrust
    let ledger: MirrorLedger

    /// Changes objects and saves.
    /// - Returns: Whether the save succeeded, which one does not that met another save of the same objects.
    @discardableResult
    func save(_ changes: [MirrorChange], in context: NSManagedObjectContext) throws -> Bool {
        try context.performAndWait {
            context.reset()
            let writes = try changes.flatMap { try write($0, in: context) }
            guard context.hasChanges else { return true }
            do {
                try context.save()
            } catch let error as CocoaError where error.code == .persistentStoreSave {
                context.rollback()
                return false
            }
            for write in writes { ledger.take(write, by: device, trust(write)) }
            return true
        }
    }

    /// Returns whether others may undo a change.
    private func trust(_ write: MirrorWrite) -> MirrorTrust {
        guard write.isPublic, let creator = write.name.split(separator: "-").first.flatMap({ Int($0) }) else {
            return trust
        }
        return colleagues.contains(creator) ? .full : .none
    }

    private func write(_ change: MirrorChange, in context: NSManagedObjectContext) throws -> [MirrorWrite] {
        switch change {
        case .create(let entity):
            let name = "\(device)-\(ledger.next())"
            let object = NSEntityDescription.insertNewObject(forEntityName: entity.rawValue, into: context)
            object.setValue(name, forKey: "name")
            return [.created(name, isPublic: false)]
        case .delete(let number):
            guard let object = try object("Note", number, context) ?? object("Tag", number, context) else { return [] }
            let name = MirroredGraph.name(object)
            context.delete(object)
            return [.deleted(name, isPublic: false)]
        case .set(let number, let attribute):
            guard let note = try object("Note", number, context) else { return [] }
            let text = "text \(ledger.next())"
            note.setValue(value(text, attribute), forKey: attribute.rawValue)
            let written = note.value(forKey: attribute.rawValue)
            return [.set(MirroredGraph.name(note), attribute.rawValue, Self.text(written), isPublic: false)]
        case .setParent(let number, let other): return try connect(number, "parent", "Note", other, context)
        case .setCover(let number, let other): return try connect(number, "cover", "Image", other, context)
        case .addTag(let number, let other):
            guard let (note, tag) = try pair(number, other, context) else { return [] }
            note.mutableSetValue(forKey: "tags").add(tag)
            return [.added(MirroredGraph.name(note), MirroredGraph.name(tag))]
        case .createEntry:
            let name = "\(device)-\(ledger.next())"
            NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context).setValue(name, forKey: "name")
            return [.created(name, isPublic: true)]
        case .setEntry(let number):
            guard let entry = try object("Entry", number, context) else { return [] }
            let text = "text \(ledger.next())"
            entry.setValue(text, forKey: "title")
            return [.set(MirroredGraph.name(entry), "title", text, isPublic: true)]
        case .deleteEntry(let number):
            guard let entry = try object("Entry", number, context) else { return [] }
            let name = MirroredGraph.name(entry)
            context.delete(entry)
            return [.deleted(name, isPublic: true)]
        case .removeTag(let number, let other):
            guard let (note, tag) = try pair(number, other, context) else { return [] }
            note.mutableSetValue(forKey: "tags").remove(tag)
            return [.removed(MirroredGraph.name(note), MirroredGraph.name(tag))]
        }
    }

    private func connect(
        _ number: Int, _ key: String, _ entity: String, _ other: Int?, _ context: NSManagedObjectContext
    ) throws -> [MirrorWrite] {
        guard let note = try object("Note", number, context) else { return [] }
        let target = try other.flatMap { try object(entity, $0, context) }
        guard target !== note else { return [] }
        note.setValue(target, forKey: key)
        return [.set(MirroredGraph.name(note), key, target.map(MirroredGraph.name), isPublic: false)]
    }

    private func pair(
        _ number: Int, _ other: Int, _ context: NSManagedObjectContext
    ) throws -> (NSManagedObject, NSManagedObject)? {
        guard let note = try object("Note", number, context), let tag = try object("Tag", other, context) else {
            return nil
        }
        return (note, tag)
    }

    private func object(_ entity: String, _ number: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
        let objects = try MirroredGraph.objects(entity, in: context).filter { !$0.isDeleted }
        return objects.isEmpty ? nil : objects[number % objects.count]
    }

    private func value(_ text: String, _ attribute: MirrorAttribute) -> Any {
        switch attribute {
        case .count: Int64(text.dropFirst(5)) ?? 0
        case .data: Data(text.utf8)
        case .title, .body, .secret: text
        }
    }

    /// A value as text.
    static func text(_ value: Any?) -> String? {
        switch value {
        case nil: nil
        case let data as Data: String(decoding: data, as: UTF8.self)
        case .some(let value): "\(value)"
        }
    }
}
