import CloudKit
import CoreData
import StratusTestSupport
import StratusTesting
import Testing

/// Stores whose mirroring cannot begin, because the cloud refuses the program.
@Suite struct UnusableCloudTests {
    @Test func theMirroringIsNotInitializedAndTheStoreWorks() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        cloud.faults.inject(.error(.badContainer), on: .fetchUser, times: nil)
        let app = try MirroredDevice(ada.device("phone"), in: TemporaryDirectory(inMemory: true))
        let setup = try await app.wait(forEvent: "the failed setup") { $0.type == .setup }
        #expect(!setup.succeeded)
        #expect((setup.error as? CocoaError)?.code.rawValue == 134_406)
        try await app.save { _ = $0.insert("Note", ["title": "Milk"]) }
        let note = try await app.objectID("Milk")
        let error = await #expect(throws: CocoaError.self) { try await app.share([note], to: nil) }
        #expect(error?.code.rawValue == 134_406)
        let reason = (error as NSError?)?.userInfo[NSUnderlyingErrorKey] as? CKError
        #expect(reason?.code == .badContainer)
        #expect(try app.container.fetchShares(in: nil).isEmpty)
        cloud.faults.removeAll()
        let restarted = try app.restarted()
        try await restarted.waitForRecords("the note", in: cloud, of: ada) { $0.count == 1 }
        let setups = try await restarted.events().filter { $0.type == .setup }
        #expect(setups.map(\.succeeded) == [false, true])
    }
}
