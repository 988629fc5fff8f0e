import Foundation
import StratusCoreData

/// A context, and one of another coordinator on the same file that takes over each save from the history.
final class RichGraphRun {
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    private let context: NSManagedObjectContext
    private let replica: NSManagedObjectContext
    private var token: NSPersistentHistoryToken?
    private var stored = RichGraph()
    private var current = RichGraph()
    private var lastNumber = 0

    private init() throws {
        context = try Self.open(file)
        replica = try Self.open(file)
        replica.performAndWait { replica.retainsRegisteredObjects = true }
    }

    deinit { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }

    private static func open(_ file: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: RichGraph.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: file,
            options: [
                NSPersistentHistoryTrackingKey: true as NSNumber, NSSQLitePragmasOption: ["synchronous": "OFF"],
            ])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func difference(after operations: [GraphOperation]) throws -> String? {
        let run = try RichGraphRun()
        for (index, operation) in operations.enumerated() {
            try run.context.performAndWait { try run.run(operation) }
            if let difference = try run.difference() { return "\(difference) after operation \(index)" }
        }
        return nil
    }

    private func run(_ operation: GraphOperation) throws {
        let file = pick(current.files.keys, operation.first)
        let folder = pick(current.folders.keys, operation.second)
        switch operation.kind {
        case .insertParent: insert(operation.second % 2 == 0 ? "Folder" : "Tag")
        case .insertChild: insert(operation.second % 2 == 0 ? "File" : "Photo")
        case .setName:
            guard let file else { return }
            try object(file).setValue("n\(operation.second)", forKey: "name")
            current.files[file]?.name = "n\(operation.second)"
        case .setParent:
            guard let file, let folder, current.files[file]?.folder != folder else { return }
            try object(file).setValue(try object(folder), forKey: "folder")
            current.put(file, in: folder, at: current.folders[folder]?.count ?? 0)
        case .setAge:
            guard let file, let folder, current.files[file]?.folder != folder else { return }
            try object(folder).mutableOrderedSetValue(forKey: "files").insert(try object(file), at: 0)
            current.put(file, in: folder, at: 0)
        case .clearParent:
            guard let file else { return }
            try object(file).setValue(nil, forKey: "folder")
            current.remove(file)
        case .saveUnmerged:
            guard let file, let tag = pick(current.tags, operation.second) else { return }
            let tags = try object(file).mutableSetValue(forKey: "tags")
            if current.files[file]?.tags.remove(tag) == nil {
                tags.add(try object(tag))
                current.files[file]?.tags.insert(tag)
            } else {
                tags.remove(try object(tag))
            }
        case .delete:
            let all = current.files.keys.sorted() + current.folders.keys.sorted() + current.tags.sorted()
            guard let number = pick(all, operation.first) else { return }
            context.delete(try object(number))
            current.delete(number)
        case .save:
            try context.save()
            stored = current
        case .rollback:
            context.rollback()
            current = stored
        case .refresh: context.refreshAllObjects()
        case .fault: context.makeFaults()
        }
    }

    private func insert(_ entity: String) {
        lastNumber += 1
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(lastNumber, forKey: "number")
        switch entity {
        case "Folder": current.folders[lastNumber] = []
        case "Tag": current.tags.insert(lastNumber)
        default:
            object.setValue("new", forKey: "name")
            current.files[lastNumber] = RichGraph.File(isPhoto: entity == "Photo", name: "new")
        }
    }

    private func pick(_ numbers: some Collection<Int>, _ choice: Int) -> Int? {
        numbers.isEmpty ? nil : numbers.sorted()[choice % numbers.count]
    }

    private func object(_ number: Int) throws -> NSManagedObject {
        for entity in ["Folder", "File", "Tag"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "number == %d", number)
            if let object = try context.fetch(request).first { return object }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private func difference() throws -> String? {
        let shown = try context.performAndWait { try RichGraph(context) }
        if shown != current { return "context: \(shown), not \(current)" }
        let replayed = try replica.performAndWait { () throws in
            try replay()
            return try RichGraph(replica)
        }
        return replayed == stored ? nil : "replica: \(replayed), not \(stored)"
    }

    /// Takes over the transactions that the replica does not know.
    private func replay() throws {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try replica.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
            replica.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            token = transaction.token
        }
    }
}
