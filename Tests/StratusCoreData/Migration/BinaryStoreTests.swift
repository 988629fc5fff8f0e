import Foundation
import Testing

@testable import StratusCoreData

/// Stores that are read and written as a whole.
@Suite struct BinaryStoreTests {
    private let store: MigratedStore
    private var file: URL { store.folder.appendingPathComponent("whole.bin") }

    init() throws { store = try MigratedStore() }

    private func open<Value>(
        _ model: NSManagedObjectModel = MigratedStore.model(), _ options: [AnyHashable: Any] = [:],
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            type: .binary, configuration: nil, at: file, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(opened) }
        return try context.performAndWait { try body(context) }
    }

    private func insert(_ name: String, in context: NSManagedObjectContext) throws {
        let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
        place.setValue(name, forKey: "name")
        try context.save()
    }

    private func names(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Place").compactMap { $0.value(forKey: "name") as? String }
    }

    @Test func eachSaveReplacesTheFile() throws {
        try open { context in
            try insert("A", in: context)
            let former = try Data(contentsOf: file)
            try insert("B", in: context)
            #expect(try Data(contentsOf: file) != former)
        }
        #expect(try open { try names($0) } == ["A", "B"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == ["whole.bin"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .binary, at: file)
        #expect(MigratedStore.model().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(metadata[NSStoreTypeKey] as? String == NSBinaryStoreType)
    }

    @Test func aSaveThatCannotBeWrittenChangesNothing() throws {
        try open { context in
            try insert("A", in: context)
            let folder = store.folder.path
            // A directory in the place of the file cannot be replaced by a file.
            let aside = file.appendingPathExtension("aside")
            try FileManager.default.moveItem(at: file, to: aside)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            #expect(throws: (any Error).self) { try insert("B", in: context) }
            try FileManager.default.removeItem(at: file)
            try FileManager.default.moveItem(at: aside, to: file)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["whole.bin"])
        }
        #expect(try open { try names($0) } == ["A"])
    }

    @Test func itIsMigratedAndMovesToOtherTypes() throws {
        try open { try insert("A", in: $0) }
        let model = try MigratedStore.model {
            try $0.entity("Place").attributesByName["name"]?.versionHashModifier = "2"
        }
        #expect(throws: CocoaError.self) { try open(model) { _ in } }
        #expect(try open(model, MigratedStore.migrating) { try names($0) } == ["A"])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(type: .binary, at: file)
        try coordinator.migratePersistentStore(opened, to: store.file, type: .sqlite)
        #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
        #expect(try store.open(model) { try names($0) } == ["A"])
        try coordinator.destroyPersistentStore(at: file, type: .binary)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func anotherFileIsAnError() throws {
        try Data("no store".utf8).write(to: file)
        let error = #expect(throws: CocoaError.self) { try open { _ in } }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(try Data(contentsOf: file) == Data("no store".utf8))
    }

    @Test func aSaveDoesNotReplaceOneOfOthers() throws {
        try open { first in
            try insert("A", in: first)
            try open { try insert("B", in: $0) }
            let error = #expect(throws: CocoaError.self) { try insert("C", in: first) }
            #expect(error?.code.rawValue == 134_050)
            // The store has read the file again.
            try first.save()
        }
        #expect(try open { try names($0) } == ["A", "B", "C"])
    }
}
