import CloudKit
import CoreData
import Foundation
import StratusCloudModel
import StratusMirrorEvents
import StratusTestSupport
import Testing

/// An app on a device of a person, whose stores are mirrored by a server.
final class MirroredApp: Sendable {
    let cloud: CKContainer
    let container: NSPersistentCloudKitContainer
    private let directory: TemporaryDirectory

    init(_ tenant: Tenant, _ person: Tenant.Person, _ scopes: [CKDatabase.Scope] = [.private]) throws {
        directory = try TemporaryDirectory(inMemory: true)
        var endpoint = HTTPCloudTransport.Endpoint(
            server: tenant.cloud.server.url, container: try #require(ContainerIdentifier(tenant.container)),
            environment: .development, apiToken: tenant.apiToken, webAuthToken: person.webAuthToken)
        // A client is not notified of its own changes, and all devices are in this process.
        endpoint.clientID = UUID().uuidString
        let cloud = CKContainer(
            identifier: tenant.container, transport: HTTPCloudTransport(endpoint, http: Database.http),
            keyStore: MemoryKeyStore())
        self.cloud = cloud
        container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Notebook.model())
        container.persistentStoreDescriptions = scopes.map { [directory] scope in
            let description = NSPersistentStoreDescription(
                url: URL(fileURLWithPath: "\(directory.path)/\(scope).sqlite"))
            let options = NSPersistentCloudKitContainerOptions(containerIdentifier: tenant.container)
            options.databaseScope = scope
            description.cloudKitContainerOptions = options
            return description
        }
        ContainerProvider.$current.withValue(ContainerProvider { _ in cloud }) {
            container.loadPersistentStores { _, error in
                if let error { Issue.record("the store cannot be opened: \(error)") }
            }
        }
    }

    /// The store of a database.
    func store(_ scope: CKDatabase.Scope) throws -> NSPersistentStore {
        let name = "\(scope).sqlite"
        return try #require(
            container.persistentStoreCoordinator.persistentStores.first { $0.url?.lastPathComponent == name })
    }

    /// Changes objects and saves them.
    func save(_ body: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try body(context)
            try context.save()
        }
    }

    /// Waits until something is so in the store.
    func wait(
        for what: String, until isSo: @escaping @Sendable (NSManagedObjectContext) throws -> Bool
    ) async throws {
        try await container.wait(for: what) { [container] _ in
            try await container.performBackgroundTask { try isSo($0) }
        }
    }
}

extension NSManagedObjectContext {
    /// The titles of all notes of a folder, in order.
    func titles(in folder: String) throws -> [String] {
        let notes = try only("Folder", "name", folder)?.value(forKey: "notes") as? Set<NSManagedObject> ?? []
        return notes.compactMap { $0.value(forKey: "title") as? String }.sorted()
    }
}
