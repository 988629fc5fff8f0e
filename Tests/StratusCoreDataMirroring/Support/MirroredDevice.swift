import CloudKit
import CoreData
import Foundation
import StratusCoreDataMirroring
import StratusTestSupport
import StratusTesting
import StratusWaiting
import Testing

/// A device with an app whose store is mirrored, in the person's private database unless a test says otherwise.
final class MirroredDevice: Sendable {
    let device: LocalCloud.Device
    let container: NSPersistentCloudKitContainer
    private let directory: TemporaryDirectory
    private let scope: CKDatabase.Scope
    private let observer: NotificationObserver?

    /// Opens the store. The same directory is the same device after a restart of the app.
    /// - Parameters:
    ///   - controls: The control of the mirroring by a test; nil lets it run by itself.
    ///   - onEvent: Called on the queue of the mirror when an event begins and when it ends.
    init(
        _ device: LocalCloud.Device, in directory: TemporaryDirectory, scope: CKDatabase.Scope = .private,
        controls: MirroringControls? = nil, onEvent: (@Sendable () -> Void)? = nil
    ) throws {
        self.device = device
        self.directory = directory
        self.scope = scope
        let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Notebook.model())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: directory.path + "/notes.sqlite"))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: LocalCloud.defaultContainer)
        options.databaseScope = scope
        description.cloudKitContainerOptions = options
        container.mirroringControls = controls
        container.persistentStoreDescriptions = [description]
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

    convenience init(_ device: LocalCloud.Device) throws {
        try self.init(device, in: TemporaryDirectory(inMemory: true))
    }

    /// Ends the app and starts it again.
    func restarted(hasQuit: Bool = false, controls: MirroringControls? = nil) throws -> MirroredDevice {
        if !hasQuit { try quit() }
        return try MirroredDevice(device, in: directory, scope: scope, controls: controls)
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
        try await waitForEvents(what) { [self] _ in try await read(isSo) }
    }

    /// Waits for an event that has ended.
    func wait(
        forEvent what: String, until isIt: @escaping @Sendable (NSPersistentCloudKitContainer.Event) -> Bool
    ) async throws -> NSPersistentCloudKitContainer.Event {
        var found: NSPersistentCloudKitContainer.Event?
        try await waitForEvents(what) { event in
            found = try await self.events().last { $0.endDate != nil && isIt($0) }
            return found != nil
        }
        return try #require(found)
    }

    /// Waits until the cloud has certain records of the account. It is looked at whenever an event begins or ends.
    func waitForRecords(
        _ what: String, in cloud: LocalCloud, of account: LocalCloud.Account, _ isSo: ([CKRecord]) -> Bool
    ) async throws {
        let zoneID = CKRecordZone.ID(zoneName: "com.apple.coredata.cloudkit.zone")
        try await waitForEvents(what) { _ in
            guard try await cloud.zones(of: account).contains(zoneID) else { return isSo([]) }
            return isSo(try await cloud.records(in: zoneID, of: account))
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

    private func waitForEvents(
        _ what: String, _ isSo: (NSPersistentCloudKitContainer.Event?) async throws -> Bool
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: NSPersistentCloudKitContainer.Event.self)
        let token = NotificationCenter.default.addObserver(
            forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
        ) { notification in
            let event = notification.userInfo?[NSPersistentCloudKitContainer.eventNotificationUserInfoKey]
            if let event = event as? NSPersistentCloudKitContainer.Event { continuation.yield(event) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try await StratusWaiting.wait(for: what, givingUpBy: { continuation.finish() }) {
            if try await isSo(nil) { return }
            for await event in events where try await isSo(event) { return }
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
