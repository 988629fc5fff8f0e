import CloudKit
import CoreData
import Foundation
import StratusTesting
import StratusWaiting
import Testing

/// A store of notes with tags that is mirrored in a cloud of its own.
final class MirroredStore: Sendable {
    let cloud: LocalCloud
    let container: NSPersistentCloudKitContainer
    let file: URL

    /// Opens the store. It is closed with ``close()``.
    init(in folder: URL, _ scope: CKDatabase.Scope = .private) async throws {
        cloud = try await LocalCloud()
        file = folder.appending(path: "notes.sqlite")
        container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Self.model(scope))
        let description = NSPersistentStoreDescription(url: file)
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: LocalCloud.defaultContainer)
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        cloud.account("ada").device("phone").use {
            container.loadPersistentStores { _, error in
                if let error { Issue.record("the store cannot be opened: \(error)") }
            }
        }
    }

    /// The path of the file.
    var path: String { file.path() }

    private static func model(_ scope: CKDatabase.Scope) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        let tag = NSEntityDescription()
        (note.name, tag.name) = ("Note", "Tag")
        let types: [(String, NSAttributeDescription.AttributeType)] = [
            ("title", .string), ("pages", .integer64), ("weight", .double), ("due", .date), ("secret", .string),
        ]
        note.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
            attribute.allowsCloudEncryption = name == "secret" && scope != .public
            return attribute
        }
        let (tags, notes) = (NSRelationshipDescription(), NSRelationshipDescription())
        (tags.name, tags.destinationEntity, tags.inverseRelationship) = ("tags", tag, notes)
        (notes.name, notes.destinationEntity, notes.inverseRelationship) = ("notes", note, tags)
        for relationship in [tags, notes] { (relationship.isOptional, relationship.maxCount) = (true, 0) }
        note.properties += [tags]
        tag.properties = [notes]
        let model = NSManagedObjectModel()
        model.entities = [note, tag]
        return model
    }

    /// Inserts a note and returns the ID of it.
    @discardableResult
    func insert(_ title: String, isTagged: Bool = false) async throws -> NSManagedObjectID {
        try await container.performBackgroundTask { context in
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            note.setValue(Int64(3), forKey: "pages")
            note.setValue(0.5, forKey: "weight")
            note.setValue(Date(timeIntervalSince1970: 1_800_000_000), forKey: "due")
            note.setValue("hidden", forKey: "secret")
            if isTagged {
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                note.mutableSetValue(forKey: "tags").add(tag)
            }
            try context.save()
            return note.objectID
        }
    }

    /// Waits until the cloud has the record of an object.
    func waitForExport(of id: NSManagedObjectID) async throws {
        try await wait(for: "the export") { [container] in container.record(for: id) != nil }
    }

    func close() throws {
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }
}
