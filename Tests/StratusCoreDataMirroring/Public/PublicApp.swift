import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTestSupport
import StratusTesting

extension MirroredDevice {
    /// Opens a store of the public database that is mirrored only when the test says so.
    static func `public`(_ device: LocalCloud.Device, _ controls: MirroringControls? = nil) throws -> MirroredDevice {
        try MirroredDevice(
            device, in: TemporaryDirectory(inMemory: true), [.public], controls: controls ?? MirroringControls())
    }

    /// Sends, fetches and sends.
    func synchronize() async {
        await container.waitUntilMirrored()
        await container.synchronizeMirrors()
    }

    /// The titles of all notes after a synchronization.
    func synchronizedTitles() async throws -> [String] {
        await synchronize()
        return try await read { try $0.titles() }
    }

    /// The ID of the note with a title.
    func noteID(_ title: String) async throws -> NSManagedObjectID? {
        try await read { try $0.note(title)?.objectID }
    }

    /// Whether the current user may change and delete the note with a title; nil if there is no such note, or the two
    /// differ.
    func mayChange(_ title: String) async throws -> Bool? {
        guard let id = try await noteID(title) else { return nil }
        let mayUpdate = container.canUpdateRecord(forManagedObjectWith: id)
        return container.canDeleteRecord(forManagedObjectWith: id) == mayUpdate ? mayUpdate : nil
    }

    /// Whether the current user may add objects.
    var mayAdd: Bool {
        container.persistentStoreCoordinator.persistentStores.allSatisfy {
            container.canModifyManagedObjects(in: $0)
        }
    }

    /// The events of a kind that have failed.
    func failures(_ type: NSPersistentCloudKitContainer.EventType) async throws -> [NSPersistentCloudKitContainer.Event]
    {
        try await events().filter { $0.type == type && $0.error != nil }
    }
}
