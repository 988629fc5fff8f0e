import Foundation
import StratusCoreData

// `@unchecked Sendable`: it has no stored properties.
/// A store of the family in a JSON file, as programs write them.
final class JSONStore: NSAtomicStore, @unchecked Sendable {
    static let type = "JSONStore"

    private struct Contents: Codable {
        var identifier: String
        var author: String?
        var objects: [Entry] = []
    }

    private struct Entry: Codable {
        var entity: String
        var id: String
        var name: String?
        var age: Int?
        var parent: String?
    }

    private struct Full: Error {}

    /// Whether the next save fails.
    nonisolated(unsafe) static var isFull = false

    override var type: String { Self.type }

    private var contents: Contents? {
        get throws {
            guard let url, FileManager.default.fileExists(atPath: url.path) else { return nil }
            return try JSONDecoder().decode(Contents.self, from: Data(contentsOf: url))
        }
    }

    override func loadMetadata() throws {
        let known = try contents
        metadata = [NSStoreUUIDKey: known?.identifier ?? UUID().uuidString, NSStoreTypeKey: type]
        if let author = known?.author { metadata?["author"] = author }
    }

    override func load() throws {
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        let entries = try contents?.objects ?? []
        for entry in entries {
            guard let entity = entities[entry.entity] else { throw CocoaError(.fileReadCorruptFile) }
            let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: entry.id))
            node.setValue(entry.name, forKey: "name")
            node.setValue(entry.age, forKey: "age")
            nodes[entry.id] = node
        }
        for entry in entries { nodes[entry.id]?.setValue(entry.parent.flatMap { nodes[$0] }, forKey: "parent") }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        guard !Self.isFull, let url else { throw Full() }
        var contents = Contents(identifier: identifier, author: metadata?["author"] as? String)
        for node in cacheNodes() {
            let parent = node.value(forKey: "parent") as? NSAtomicStoreCacheNode
            contents.objects.append(
                Entry(
                    entity: node.objectID.entity.name ?? "", id: id(node), name: node.value(forKey: "name") as? String,
                    age: node.value(forKey: "age") as? Int, parent: parent.map(id)))
        }
        contents.objects.sort { $0.id < $1.id }
        try JSONEncoder().encode(contents).write(to: url)
    }

    private func id(_ node: NSAtomicStoreCacheNode) -> String { referenceObject(for: node.objectID) as? String ?? "" }
}
