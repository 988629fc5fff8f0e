import Foundation
import StratusCoreData
import Synchronization
import Testing

@Suite struct NSPersistentContainerTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    /// The errors of loading the stores of a container, nil for each that was opened.
    private func load(_ container: NSPersistentContainer) -> [NSError?] {
        let results = Mutex<[NSError?]>([])
        container.loadPersistentStores { _, error in results.withLock { $0.append(error.map { $0 as NSError }) } }
        return results.withLock { $0 }
    }

    private func container(_ urls: URL...) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        if !urls.isEmpty { container.persistentStoreDescriptions = urls.map { NSPersistentStoreDescription(url: $0) } }
        return container
    }

    @Test func aStoreIsCreatedAndKeepsItsIdentity() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("a.sqlite")
        let first = container(file)
        #expect(load(first) == [nil])
        let store = try #require(first.persistentStoreCoordinator.persistentStores.first)
        #expect(store.url == file && store.type == NSSQLiteStoreType && !store.isReadOnly)
        #expect(store.persistentStoreCoordinator === first.persistentStoreCoordinator)
        #expect(first.persistentStoreCoordinator.persistentStore(for: file) === store)
        try first.persistentStoreCoordinator.remove(store)
        #expect(first.persistentStoreCoordinator.persistentStores.isEmpty)
        #expect(store.persistentStoreCoordinator == nil)
        let second = container(file)
        #expect(load(second) == [nil])
        #expect(second.persistentStoreCoordinator.persistentStores.first?.identifier == store.identifier)
    }

    @Test func eachDescriptionHasItsOwnError() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let damaged = folder.appendingPathComponent("damaged.sqlite")
        try Data("no database".utf8).write(to: damaged)
        let file = folder.appendingPathComponent("a.sqlite")
        let codes = load(container(file, damaged, file)).map { $0?.code }
        #expect(
            codes == [nil, CocoaError.Code.fileReadCorruptFile.rawValue, CocoaError.Code.persistentStoreOpen.rawValue])
        #expect(try Data(contentsOf: damaged) == Data("no database".utf8))
    }

    @Test func typesAndConfigurationsMustExist() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        func code(_ type: String, _ configuration: String? = nil) -> Int? {
            do {
                try coordinator.addPersistentStore(ofType: type, configurationName: configuration, at: nil)
                return nil
            } catch {
                return (error as NSError).code
            }
        }
        #expect(code("Tape") == CocoaError.Code.persistentStoreInvalidType.rawValue)
        #expect(code(NSSQLiteStoreType) == CocoaError.Code.persistentStoreOpen.rawValue)
        #expect(code(NSInMemoryStoreType, "Places") == CocoaError.Code.persistentStoreIncompatibleSchema.rawValue)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(code(NSInMemoryStoreType) == nil)
        #expect(coordinator.persistentStores.count == 1)
    }

    @Test func storesAreAnnounced() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let keys = Mutex<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
        ) { notification in
            keys.withLock { $0 += notification.userInfo?.keys.compactMap { $0 as? String } ?? [] }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        try coordinator.remove(store)
        #expect(keys.withLock { $0 } == [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey])
    }

    @Test func aStoreKnowsItsModel() throws {
        let model = Library.model()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let metadata = coordinator.metadata(for: store)
        #expect(metadata[NSStoreTypeKey] as? String == NSInMemoryStoreType)
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }

    @Test func aCoordinatorRunsBlocksInOrder() async {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let order = Mutex<[Int]>([])
        let ran = await withCheckedContinuation { continuation in
            coordinator.perform {
                coordinator.performAndWait { order.withLock { $0.append(1) } }
                order.withLock { $0.append(2) }
            }
            coordinator.perform { continuation.resume(returning: order.withLock { $0 }) }
        }
        #expect(ran == [1, 2])
    }

    @Test func theNullDeviceIsAStoreInMemory() {
        let null = URL(fileURLWithPath: "/dev/null")
        #expect(load(container(null, null)) == [nil, nil])
    }

    @Test func contextsOfTheContainerShareItsCoordinator() async {
        let container = container()
        #expect(container.persistentStoreDescriptions.first?.url?.lastPathComponent == "Library.sqlite")
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        let name = await container.performBackgroundTask { context in
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Ada", forKey: "name")
            return author.value(forKey: "name") as? String
        }
        #expect(name == "Ada")
    }
}
