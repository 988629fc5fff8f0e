import CloudKit
import CoreData
import Foundation
import StratusCoreDataMirroring
import StratusMirrorEvents
import StratusTestSupport
import StratusTesting
import Testing

/// A device with an app whose stores are mirrored, each in one of the person's databases.
final class MirroredDevice: Sendable {
    let device: LocalCloud.Device
    let container: NSPersistentCloudKitContainer
    private let path: String
    /// Kept as long as the device.
    private let directory: TemporaryDirectory?
    private let scopes: [CKDatabase.Scope]
    private let observer: NotificationObserver?

    /// Opens the stores. The same directory is the same device after a restart of the app.
    convenience init(
        _ device: LocalCloud.Device, in directory: TemporaryDirectory, _ scopes: [CKDatabase.Scope] = [.private],
        controls: MirroringControls? = nil, onEvent: (@Sendable () -> Void)? = nil
    ) throws {
        try self.init(device, at: directory.path, scopes, controls: controls, keeping: directory, onEvent: onEvent)
    }

    /// Opens the stores in the directory at a path.
    /// - Parameters:
    ///   - controls: The control of the mirroring by a test; nil lets it run by itself.
    ///   - onEvent: Called on the queue of the mirror when an event begins and when it ends.
    init(
        _ device: LocalCloud.Device, at path: String, _ scopes: [CKDatabase.Scope] = [.private],
        controls: MirroringControls? = nil, keeping directory: TemporaryDirectory? = nil,
        onEvent: (@Sendable () -> Void)? = nil
    ) throws {
        (self.device, self.path, self.directory, self.scopes) = (device, path, directory, scopes)
        let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Notebook.model())
        container.mirroringControls = controls
        container.persistentStoreDescriptions = scopes.map { Self.description($0, in: path) }
        self.container = container
        observer = onEvent.map { onEvent in
            NotificationObserver(NSPersistentCloudKitContainer.eventChangedNotification, container, onEvent)
        }
        device.use {
            container.loadPersistentStores { _, error in
                if let error { Issue.record("the store cannot be opened: \(error)") }
            }
        }
    }

    convenience init(_ device: LocalCloud.Device, _ scopes: [CKDatabase.Scope] = [.private]) throws {
        try self.init(device, in: TemporaryDirectory(inMemory: true), scopes)
    }

    private static func description(
        _ scope: CKDatabase.Scope, in directory: String
    ) -> NSPersistentStoreDescription {
        let name = scope == .private ? "notes" : "\(scope)"
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "\(directory)/\(name).sqlite"))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: LocalCloud.defaultContainer)
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        return description
    }

    /// The store of a database.
    func store(_ scope: CKDatabase.Scope) throws -> NSPersistentStore {
        let index = try #require(scopes.firstIndex(of: scope))
        let url = container.persistentStoreDescriptions[index].url
        return try #require(container.persistentStoreCoordinator.persistentStores.first { $0.url == url })
    }

    /// Ends the app and starts it again.
    func restarted(hasQuit: Bool = false, controls: MirroringControls? = nil) throws -> MirroredDevice {
        if !hasQuit { try quit() }
        return try MirroredDevice(device, at: path, scopes, controls: controls, keeping: directory)
    }

    /// Ends the app.
    func quit() throws {
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    /// Changes objects and saves them. If the mirror has saved the same objects meanwhile, the program's changes of
    /// properties are kept.
    @discardableResult
    func save<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let value = try body(context)
            try context.save()
            return value
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await container.performBackgroundTask { try body($0) }
    }

    /// Waits until something is so in the store. It is looked at whenever an event begins or ends.
    func wait(
        for what: String, until isSo: @escaping @Sendable (NSManagedObjectContext) throws -> Bool
    ) async throws {
        try await container.wait(for: what) { [self] _ in try await read(isSo) }
    }

    /// Waits for an event that has ended.
    func wait(
        forEvent what: String, until isIt: @escaping @Sendable (NSPersistentCloudKitContainer.Event) -> Bool
    ) async throws -> NSPersistentCloudKitContainer.Event {
        var found: NSPersistentCloudKitContainer.Event?
        try await container.wait(for: what) { event in
            found = try await self.events().last { $0.endDate != nil && isIt($0) }
            return found != nil
        }
        return try #require(found)
    }

    /// Waits until the cloud has certain records of the account. It is looked at whenever an event begins or ends.
    func waitForRecords(
        _ what: String, in cloud: LocalCloud, of account: LocalCloud.Account, _ isSo: ([CKRecord]) -> Bool
    ) async throws {
        try await container.wait(for: what) { _ in
            guard try await cloud.zones(of: account).contains(.mirroredHome) else { return isSo([]) }
            return isSo(try await cloud.records(in: .mirroredHome, of: account))
        }
    }

    /// The events of the store, in the order in which they began.
    func events() async throws -> [NSPersistentCloudKitContainer.Event] {
        try await read { context in
            let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
            return result?.result as? [NSPersistentCloudKitContainer.Event] ?? []
        }
    }
}

extension NSManagedObjectContext {
    /// Inserts an object with values.
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The only object with a value.
    func only(_ entity: String, _ key: String, _ value: String) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "%K == %@", key, value)
        let found = try fetch(request)
        return found.count == 1 ? found[0] : nil
    }

    func note(_ title: String) throws -> NSManagedObject? { try only("Note", "title", title) }

    /// The titles of all notes, in order.
    func titles() throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        return try fetch(request).compactMap { $0.value(forKey: "title") as? String }.sorted()
    }
}

// `@unchecked Sendable`: the token never changes, and the notification center is safe from any thread.
/// Calls a block for notifications as long as it exists.
private final class NotificationObserver: @unchecked Sendable {
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable () -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

extension CKRecordZone.ID {
    /// The zone of objects that are not shared.
    static let mirroredHome = CKRecordZone.ID(zoneName: "com.apple.coredata.cloudkit.zone")
}
