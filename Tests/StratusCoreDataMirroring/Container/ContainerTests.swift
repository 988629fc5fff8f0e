import CloudKit
import CoreData
import Foundation
import StratusTestSupport
import StratusTesting
import Testing

@Suite struct ContainerTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
    }

    @Test func optionsBelongToADescription() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        #expect(description.cloudKitContainerOptions == nil)
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.example.test")
        #expect(options.databaseScope == .private)
        description.cloudKitContainerOptions = options
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy.cloudKitContainerOptions == options && copy == description)
        copy.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.other")
        #expect(copy != description)
        copy.cloudKitContainerOptions = nil
        #expect(copy.cloudKitContainerOptions == nil && description.cloudKitContainerOptions === options)
    }

    @Test func theFirstStoreIsMirroredInTheDefaultContainer() {
        let container = ada.device().use {
            NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: Notebook.model())
        }
        let options = container.persistentStoreDescriptions.first?.cloudKitContainerOptions
        #expect(options?.containerIdentifier == cloud.containerIdentifier)
        #expect(options?.databaseScope == .private)
    }

    @Test func aModelThatCannotBeMirroredIsNotLoaded() async throws {
        let model = Notebook.model()
        let title = try #require(model.entitiesByName["Note"]?.attributesByName["title"])
        title.isOptional = false
        let container = NSPersistentCloudKitContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: cloud.containerIdentifier)
        container.persistentStoreDescriptions = [description]
        let error = await withCheckedContinuation { continuation in
            container.loadPersistentStores { _, error in continuation.resume(returning: error as NSError?) }
        }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134_060)
        #expect(error?.localizedDescription.contains("Note.title") == true)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }

    @Test func recordsOfObjectsAreKnown() async throws {
        let app = try MirroredDevice(ada.device("phone"))
        let id = try await app.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            try context.obtainPermanentIDs(for: [note])
            return note.objectID
        }
        let (container, zoneName) = (app.container, "com.apple.coredata.cloudkit.zone")
        try await app.wait(for: "the export") { _ in container.record(for: id) != nil }
        let record = try #require(container.record(for: id))
        #expect(record.recordType == "CD_Note" && record["CD_title"] as? String == "Milk")
        #expect(record.recordChangeTag != nil && record.recordID.zoneID.zoneName == zoneName)
        #expect(container.recordID(for: id) == record.recordID)
        #expect(container.records(for: [id]).keys.map { $0 } == [id])
        #expect(container.recordIDs(for: [id]) == [id: record.recordID])
        #expect(UUID(uuidString: record.recordID.recordName) != nil)
        let stored = try await cloud.records(in: record.recordID.zoneID, of: ada)
        #expect(stored.map(\.recordID.recordName) == [record.recordID.recordName])
        let subscriptions = try await app.device.container.privateCloudDatabase.allSubscriptions()
        #expect(subscriptions.map(\.subscriptionID) == ["com.apple.coredata.cloudkit.private.subscription"])
    }

    @Test func eventsAreKeptAndFound() async throws {
        let app = try MirroredDevice(ada.device("phone"))
        try await app.save { _ = $0.insert("Note", ["title": "Milk"]) }
        let export = try await app.wait(forEvent: "the export") { $0.type == .export && $0.succeeded }
        let all = try await app.events()
        #expect(all.first?.type == .setup && all.first?.succeeded == true)
        let identifier = app.container.persistentStoreCoordinator.persistentStores.first?.identifier
        #expect(all.allSatisfy { $0.storeIdentifier == identifier && $0.endDate ?? .distantFuture >= $0.startDate })
        let found = try await app.read { context in
            let fetch = NSPersistentCloudKitContainerEventRequest.fetchForEvents()
            fetch.predicate = NSPredicate(
                format: "type == %d AND succeeded == YES",
                NSPersistentCloudKitContainer.EventType.export.rawValue)
            let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(matchingFetch: fetch)
            let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
            return result?.result as? [NSPersistentCloudKitContainer.Event] ?? []
        }
        #expect(found.map(\.identifier) == [export.identifier])
        let count = try await app.read { context in
            let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: all.first)
            request.resultType = .countEvents
            let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
            return (result?.result as? [Int])?.first
        }
        #expect(try await count == app.events().count - 1)
    }

    @Test func importsHaveTheAuthorOfTheMirror() async throws {
        let (phone, laptop) = (try MirroredDevice(ada.device("phone")), try MirroredDevice(ada.device("laptop")))
        try await phone.save { _ = $0.insert("Note", ["title": "Milk"]) }
        try await laptop.wait(for: "the note") { try $0.note("Milk") != nil }
        let authors = try await laptop.read { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return (result?.result as? [NSPersistentHistoryTransaction])?.compactMap(\.author) ?? []
        }
        #expect(Set(authors) == ["NSCloudKitMirroringDelegate.import"])
    }

    @Test func theServerLearnsTheSchema() async throws {
        let app = try MirroredDevice(ada.device("phone"))
        let container = app.container
        @Sendable func initialize(
            _ options: NSPersistentCloudKitContainerSchemaInitializationOptions
        ) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try container.initializeCloudKitSchema(options: options) })
                }
            }
        }
        try await initialize(.dryRun)
        #expect(cloud.requests(.saveRecords).isEmpty)
        try await initialize([])
        let types = Set(cloud.requests(.saveRecords).flatMap(\.recordIDs))
        #expect(types.count == 5, "four entities and the links")
        #expect(try await cloud.zones(of: ada).allSatisfy { $0.zoneName == "com.apple.coredata.cloudkit.zone" })
        app.device.signOut()
        await #expect(throws: (any Error).self) { try await initialize([]) }
    }
}
