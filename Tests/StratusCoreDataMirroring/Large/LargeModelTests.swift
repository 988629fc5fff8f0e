import CloudKit
import CoreData
import Foundation
import StratusCoreDataMirroring
import StratusSeeds
import StratusTestSupport
import StratusTesting
import Testing

/// A model with 50 entities, whose schema is made and whose objects arrive on a second device as they were.
///
/// `STRATUS_LARGE_OBJECTS` is the number of objects.
@Suite struct LargeModelTests {
    private static let usual = 1_000

    @Test(arguments: [UInt64(1), 2])
    func everythingArrives(seed: UInt64) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let (phone, laptop) = (try Device(ada.device("phone"), seed), try Device(ada.device("laptop"), seed))
        try await phone.initializeSchema()
        let count = ProcessInfo.processInfo.environment["STRATUS_LARGE_OBJECTS"].flatMap { Int($0) } ?? Self.usual
        try await phone.container.performBackgroundTask { context in
            LargeModel(seed: seed).insert(count, into: context, seed: seed)
            try context.save()
        }
        for device in [phone, laptop] { await device.container.synchronizeMirrors() }
        let (sent, arrived) = (try await phone.lines(), try await laptop.lines())
        #expect(sent.count == count)
        #expect(sent.contains { $0.contains("relation") } && !sent.contains { $0.contains(" ? ") })
        let differing = zip(sent, arrived).filter { $0 != $1 }.prefix(3).map { "\($0)\n\($1)" }
        #expect(sent == arrived, "\(differing)")
        for device in [phone, laptop] {
            let events = try await device.events()
            #expect(events.allSatisfy { $0.succeeded }, "\(events.compactMap(\.error))")
        }
    }

    private struct Device {
        let container: NSPersistentCloudKitContainer
        private let names: [String]
        private let directory: TemporaryDirectory

        init(_ device: LocalCloud.Device, _ seed: UInt64) throws {
            let model = LargeModel(seed: seed)
            (names, directory) = (model.names, try TemporaryDirectory(inMemory: true))
            let container = NSPersistentCloudKitContainer(name: "Large", managedObjectModel: model.model)
            let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: directory.path + "/l.sqlite"))
            description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
                containerIdentifier: LocalCloud.defaultContainer)
            container.persistentStoreDescriptions = [description]
            container.mirroringControls = MirroringControls()
            device.use {
                container.loadPersistentStores { _, error in
                    if let error { Issue.record("the store cannot be opened: \(error)") }
                }
            }
            self.container = container
        }

        /// The function blocks, so that it has a thread of its own.
        func initializeSchema() async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread { [container] in
                    continuation.resume(with: Result { try container.initializeCloudKitSchema() })
                }
            }
        }

        func lines() async throws -> [String] {
            let (container, names) = (container, names)
            return try await container.performBackgroundTask { context in
                try LargeModel.lines(in: context, names) { container.recordID(for: $0.objectID)?.recordName }
            }
        }

        func events() async throws -> [NSPersistentCloudKitContainer.Event] {
            try await container.performBackgroundTask { context in
                let request = NSPersistentCloudKitContainerEventRequest.fetchEvents(after: Date.distantPast)
                let result = try context.execute(request) as? NSPersistentCloudKitContainerEventResult
                return result?.result as? [NSPersistentCloudKitContainer.Event] ?? []
            }
        }
    }
}
