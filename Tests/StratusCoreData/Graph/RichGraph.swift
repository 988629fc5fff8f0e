import Foundation
import StratusCoreData

/// The simple model of folders with files in order, and tags of files. Some files are photos, whose entity inherits from
/// that of files.
struct RichGraph: Equatable {
    struct File: Equatable {
        var isPhoto: Bool
        var name: String
        var folder: Int?
        var tags: Set<Int> = []
    }

    /// The files of each folder in order.
    var folders: [Int: [Int]] = [:]
    var files: [Int: File] = [:]
    var tags: Set<Int> = []

    mutating func remove(_ file: Int) {
        guard let folder = files[file]?.folder else { return }
        folders[folder]?.removeAll { $0 == file }
        files[file]?.folder = nil
    }

    mutating func put(_ file: Int, in folder: Int, at index: Int) {
        remove(file)
        folders[folder]?.insert(file, at: index)
        files[file]?.folder = folder
    }

    /// Deletes an object: a folder with its files.
    mutating func delete(_ number: Int) {
        for file in folders[number] ?? [] { delete(file) }
        remove(number)
        folders[number] = nil
        files[number] = nil
        tags.remove(number)
        for file in files.keys { files[file]?.tags.remove(number) }
    }

    static func model() -> NSManagedObjectModel {
        let entities = ["Folder", "File", "Photo", "Tag"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        func relationship(
            _ name: String, to destination: NSEntityDescription, _ rule: NSDeleteRule = .nullifyDeleteRule
        ) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            (relationship.name, relationship.destinationEntity) = (name, destination)
            relationship.deleteRule = rule
            return relationship
        }
        func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
            (one.inverseRelationship, other.inverseRelationship) = (other, one)
        }
        let (folder, file, photo, tag) = (entities[0], entities[1], entities[2], entities[3])
        let files = relationship("files", to: file, .cascadeDeleteRule)
        files.isOrdered = true
        let owner = relationship("folder", to: folder)
        owner.maxCount = 1
        connect(files, owner)
        let (tags, tagged) = (relationship("tags", to: tag), relationship("files", to: file))
        connect(tags, tagged)
        func number() -> NSAttributeDescription { NSAttributeDescription.make("number", .integer64) }
        folder.properties = [number(), files]
        file.properties = [number(), NSAttributeDescription.make("name", .string), owner, tags]
        tag.properties = [number(), tagged]
        file.subentities = [photo]
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

extension RichGraph {
    /// Reads the graph that a context shows. Throws if two ends of a relationship differ.
    init(_ context: NSManagedObjectContext) throws {
        func all(_ entity: String) throws -> [NSManagedObject] {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
        }
        for folder in try all("Folder") {
            folders[folder.number] = (folder.value(forKey: "files") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.number
            }
        }
        for file in try all("File") {
            let tags = file.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            files[file.number] = File(
                isPhoto: file.entity.name == "Photo", name: file.value(forKey: "name") as? String ?? "",
                folder: (file.value(forKey: "folder") as? NSManagedObject)?.number, tags: Set(tags.map(\.number)))
        }
        for tag in try all("Tag") {
            tags.insert(tag.number)
            let tagged = Set((tag.value(forKey: "files") as? Set<NSManagedObject> ?? []).map(\.number))
            guard tagged == Set(files.filter { $0.value.tags.contains(tag.number) }.keys) else {
                throw CocoaError.make("tag \(tag.number) has the files \(tagged)")
            }
        }
    }
}

extension CocoaError {
    fileprivate static func make(_ reason: String) -> NSError {
        NSError(domain: NSCocoaErrorDomain, code: 1, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}

extension NSManagedObject {
    fileprivate var number: Int { value(forKey: "number") as? Int ?? 0 }
}
