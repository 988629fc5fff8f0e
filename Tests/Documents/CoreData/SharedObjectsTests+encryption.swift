import CloudKit
import CoreData
import StratusTesting
import Testing

// Attributes that allow encryption.
extension SharedObjectsTests {
    @Test("An attribute that allows encryption is readable for everybody in the share, and not for the cloud")
    func encryption() async throws {
        let share = try await sharePost()
        let postID = try await jermaine.objectID("Post", "Demo")
        try await jermaine.save { $0.object(with: postID).setValue(["Kiel", "Germany"], forKey: "location") }
        try await accept(share, mary)
        let theirID = try await mary.objectID("Post", "Demo")
        try await mary.wait(for: "the location") { [mary] _ in
            await mary.container.performBackgroundTask { context in
                context.object(with: theirID).value(forKey: "location") as? [String] == ["Kiel", "Germany"]
            }
        }
        #expect(mary.container.record(for: theirID)?.encryptedValues["CD_location"] is Data)
        #expect(mary.container.record(for: theirID)?["CD_location"] == nil)
        let stored = try await cloud.records(in: share.recordID.zoneID, of: cloud.account("jermaine"))
        #expect(stored.allSatisfy { $0["CD_location"] == nil && $0.encryptedValues["CD_location"] == nil })
    }

    @Test("Once a field has been sent, the choice to encrypt it stays")
    func encryptionStays() async throws {
        let device = cloud.account("percy").device("phone")
        let former = try DocumentApp(device, DocumentModel.posts(encrypted: false), [.init(scope: .private)])
        let id = try await former.add("Post", "Clear", to: .private)
        try await former.save { $0.object(with: id).setValue(["Kiel"], forKey: "location") }
        try await former.wait(for: "the location") { _ in former.container.record(for: id)?["CD_location"] != nil }
        let later = try DocumentApp(
            cloud.account("percy").device("laptop"), DocumentModel.posts(), [.init(scope: .private)])
        let newID = try await later.add("Post", "Encrypted", to: .private)
        try await later.save { $0.object(with: newID).setValue(["Kiel"], forKey: "location") }
        try await later.wait(for: "the refusal") { event in
            event?.type == .export && event?.endDate != nil && event?.error != nil
                && event?.error?.localizedDescription.contains(newID.uriRepresentation().absoluteString) == true
        }
    }
}
