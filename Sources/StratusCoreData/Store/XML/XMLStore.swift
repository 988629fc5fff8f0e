import Foundation

// `@unchecked Sendable`: the lock protects the last ID, the only property of its own.
/// A store in an XML file, in the format of Apple's Core Data for Macs.
final class XMLStore: NSAtomicStore, @unchecked Sendable {
    private let lock = NSLock()
    private var lastID = XMLStoreDocument.firstID - 1

    private var file: URL {
        get throws {
            guard let url, url.isFileURL else {
                throw CocoaError.make(.persistentStoreOpen, "a store in a file needs its URL")
            }
            return url
        }
    }

    private var exists: Bool { url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false }

    override func loadMetadata() throws {
        let file = try file
        guard !exists else {
            metadata = try Self.metadataForPersistentStore(with: file)
            return
        }
        guard !isReadOnly else { throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file.path]) }
        let model = persistentStoreCoordinator?.managedObjectModel
        let entities = model?.entities(forConfigurationName: configurationName) ?? []
        metadata = [
            NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: NSXMLStoreType, MetadataKey.hashesVersion: 3,
            MetadataKey.hashes: SQLiteRowStore.hashes(of: entities),
            MetadataKey.identifiers: SQLiteRowStore.versionIdentifiers(of: entities),
        ]
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try XMLStoreDocument(contentsOf: url).metadata
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var document = try XMLStoreDocument(contentsOf: url)
        document.metadata = metadata ?? [:]
        try document.write(to: url)
    }

    override func load() throws {
        guard exists else { return try save() }
        let document = try XMLStoreDocument(contentsOf: file)
        lock.withLock { lastID = max(lastID, document.nextID - 1) }
        let reader = XMLStoreReader(document, persistentStoreCoordinator?.managedObjectModel)
        addCacheNodes(try reader.nodes { objectID(for: $0, withReferenceObject: $1) })
    }

    override func save() throws {
        var document = XMLStoreDocument()
        document.metadata = metadata ?? [:]
        document.nextID = lock.withLock { lastID + 1 }
        let nodes = cacheNodes().map { node in (id: referenceObject(for: node.objectID) as? Int ?? 0, node: node) }
        let writer = XMLStoreWriter { [weak self] in self?.referenceObject(for: $0) as? Int ?? 0 }
        document.objects = try nodes.sorted { $0.id < $1.id }.map { try writer.object($0.node, $0.id) }
        try document.write(to: file)
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lock.withLock {
            lastID += 1
            return lastID
        }
    }
}
