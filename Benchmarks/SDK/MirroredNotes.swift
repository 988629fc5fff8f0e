import CloudKit
import CoreData
import Foundation

/// A device whose store of notes is mirrored.
final class MirroredNotes {
    let container: NSPersistentCloudKitContainer
    private let directory: TemporaryDirectory

    /// - Parameter isAutomatic: Whether the store is mirrored without being asked.
    init(_ server: Stratus, _ name: String, in directory: String, isAutomatic: Bool) throws {
        let files = try TemporaryDirectory(in: directory)
        let cloud = CKContainer(
            identifier: StratusData.container, transport: try HTTPCloudTransport(to: server, clientID: name),
            keyStore: MemoryKeyStore())
        let provider = ContainerProvider { _ in cloud }
        let container = ContainerProvider.$current.withValue(provider) {
            NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Self.makeModel())
        }
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: files.path + "/notes.sqlite"))
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: StratusData.container)
        container.persistentStoreDescriptions = [description]
        if !isAutomatic { container.mirroringControls = MirroringControls() }
        let failure = Failure()
        ContainerProvider.$current.withValue(provider) {
            container.loadPersistentStores { _, error in failure.set(error) }
        }
        if let error = failure.error { throw error }
        (self.container, self.directory) = (container, files)
    }

    deinit {
        container.abandonMirroring()
        directory.remove()
    }

    /// Saves new notes, with the values of ``SmallRecords``.
    func insert(_ count: Int) throws {
        let context = container.newBackgroundContext()
        for start in stride(from: 0, to: count, by: 1_000) {
            try context.performAndWait {
                for number in start..<min(start + 1_000, count) { Self.insert(number, in: context) }
                try context.save()
                context.reset()
            }
        }
    }

    static func insert(_ number: Int, in context: NSManagedObjectContext) {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("Note \(number)", forKey: "title")
        note.setValue("What is to be remembered of the matter", forKey: "text")
        note.setValue(Int64(number), forKey: "number")
        note.setValue(Double(number) / 3, forKey: "rating")
        note.setValue(Date(timeIntervalSince1970: 1_700_000_000 + Double(number)), forKey: "edited")
    }

    /// The number of notes.
    func count() throws -> Int { try Self.count(nil, in: container) }

    private static func count(_ title: String?, in container: NSPersistentCloudKitContainer) throws -> Int {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = title.map { NSPredicate(format: "title == %@", $0) }
            return try context.count(for: request)
        }
    }

    /// Waits until there is a note with a title. The store is looked at whenever an import begins or ends.
    static func wait(for title: String, in container: NSPersistentCloudKitContainer) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        let token = NotificationCenter.default.addObserver(
            forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(token) }
        if try count(title, in: container) > 0 { return }
        for await _ in events where try count(title, in: container) > 0 { return }
    }

    private static func makeModel() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Note"
        let attributes: [(String, NSAttributeDescription.AttributeType)] = [
            ("title", .string), ("text", .string), ("number", .integer64), ("rating", .double), ("edited", .date),
        ]
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

// `@unchecked Sendable`: the block is called before the function that takes it returns.
private final class Failure: @unchecked Sendable {
    private(set) var error: (any Error)?

    func set(_ error: (any Error)?) { self.error = self.error ?? error }
}
