import CloudKit
import CoreData
import StratusTesting
import Testing

/// The remains of a share that its owner ends.
@Suite struct EndedShareTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        ada = try MirroredDevice(cloud.account("ada").device("phone"))
    }

    private func waitForLinks(_ count: Int) async throws {
        try await ada.waitForRecords("\(count) links", in: cloud, of: cloud.account("ada")) { records in
            records.count { $0.recordType == "CDMR" } == count
        }
    }

    @Test func linksOfSharedObjectsToOthersEndWithTheShare() async throws {
        try await ada.save { context in
            context.insert("Note", ["title": "Milk"])
            let secret = context.insert("Note", ["title": "Secret"])
            secret.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "own"]))
        }
        try await waitForLinks(1)
        let (_, share, _) = try await ada.share([try await ada.objectID("Milk")], to: nil)
        try await ada.save { context in
            let tag = try #require(try context.only("Tag", "name", "own"))
            try context.note("Milk")?.mutableSetValue(forKey: "tags").add(tag)
        }
        // The tag is not shared, and so the link is not either.
        try await waitForLinks(2)
        try await ada.container.purgeObjectsAndRecordsInZone(with: share.recordID.zoneID, in: nil)
        #expect(try await ada.read { try $0.titles() } == ["Secret"])
        try await waitForLinks(1)
        let kept = try await ada.read { context in
            (try context.note("Secret")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count
        }
        #expect(kept == 1)
    }
}
