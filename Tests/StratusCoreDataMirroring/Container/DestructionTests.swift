import CoreData
import StratusDeviceCredentials
import StratusTestSupport
import StratusTesting
import StratusWaiting
import Testing

/// Mirrored stores that are destroyed.
@Suite struct DestructionTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private let lock: String

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        url = URL(fileURLWithPath: directory.path + "/notes.sqlite")
        lock = url.path + "-mirroring"
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func openedApp() async throws -> MirroredDevice {
        let cloud = try await LocalCloud()
        let app = try MirroredDevice(cloud.account("ada").device("phone"), in: directory)
        _ = try await app.wait(forEvent: "the setup") { $0.type == .setup }
        #expect(FileManager.default.fileExists(atPath: lock))
        return app
    }

    @Test func nothingRemainsOfAnOpenStore() async throws {
        let app = try await openedApp()
        try app.container.persistentStoreCoordinator.destroyPersistentStore(at: url, type: .sqlite)
        try await wait(for: "the end of the mirror") { try self.files().isEmpty }
    }

    @Test func nothingRemainsOfAClosedStore() async throws {
        let app = try await openedApp()
        try app.quit()
        try await wait(for: "the end of the mirror") { try FileLock.trying(self.lock) != nil }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try files().isEmpty)
        // A lock that a former destruction left behind.
        _ = try FileLock.trying(lock)
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try files().isEmpty)
    }

    @Test func aLockThatSomebodyHoldsStays() async throws {
        let app = try await openedApp()
        try app.quit()
        let held = try await held()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try files() == ["notes.sqlite-mirroring"])
        #expect(try FileLock.trying(lock) == nil)
        withExtendedLifetime(held) {}
    }

    /// Returns the lock as the mirror of another process would hold it.
    private func held() async throws -> FileLock {
        var held: FileLock?
        try await wait(for: "the end of the mirror") {
            held = try FileLock.trying(self.lock)
            return held != nil
        }
        return try #require(held)
    }
}
