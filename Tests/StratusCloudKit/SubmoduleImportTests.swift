import CloudKit.CKRecord
import CloudKit.CKSubscription
@preconcurrency import CloudKit.CKSyncEngine
import Testing

/// As programs import a part of the framework.
@Suite struct SubmoduleImportTests {
    @Test func aPartBringsTheWhole() {
        #expect(CloudKit.CKRecord(recordType: "Note").recordType == "Note")
        #expect(CKDatabaseSubscription(subscriptionID: "s").subscriptionType == .database)
        #expect(Date(timeIntervalSince1970: 0) < Date())
    }
}
