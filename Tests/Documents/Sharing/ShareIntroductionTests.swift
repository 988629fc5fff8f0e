import CloudKit
import StratusTesting
import Testing

/// A first look at `CKShare`, by a developer who wants the notes of an app to be shared.
@Suite struct ShareIntroductionTests {
    @Test("Scenario A: what lies in the public database is read by all, even without an account")
    func published() async throws {
        let pair = try await SharingPair()
        let published = try await pair.ada.publicCloudDatabase.save(pair.note("published", in: .default))
        let device = pair.cloud.account("visitor").device("browser")
        device.signOut()
        #expect(try await device.container.publicCloudDatabase.record(for: published.recordID)["title"] == "published")
    }

    @Test("Scenario B: who is invited to read reads, and writes nothing")
    func readOnly() async throws {
        let pair = try await SharingPair()
        let root = pair.note("root", in: pair.zoneID)
        let share = CKShare(rootRecord: root)
        try await pair.invite(.readOnly, to: share, with: [root])
        let database = pair.bob.sharedCloudDatabase
        let seen = try await database.record(
            for: CKRecord.ID(recordName: "root", zoneID: try await pair.accept(share)))
        seen["title"] = "Changed"
        #expect(await failure { try await database.save(seen) }?.code == .permissionFailure)
    }

    @Test("Scenario C: who is invited to write works on the same records")
    func readWrite() async throws {
        let pair = try await SharingPair()
        let root = pair.note("root", in: pair.zoneID)
        let share = CKShare(rootRecord: root)
        try await pair.invite(.readWrite, to: share, with: [root])
        let database = pair.bob.sharedCloudDatabase
        let seen = try await database.record(
            for: CKRecord.ID(recordName: "root", zoneID: try await pair.accept(share)))
        seen["title"] = "Together"
        try await database.save(seen)
        #expect(try await pair.ada.privateCloudDatabase.record(for: root.recordID)["title"] == "Together")
    }

    @Test("A share has a root, and reaches what hangs below it at any depth, and nothing beside it")
    func hierarchy() async throws {
        let pair = try await SharingPair()
        let root = pair.note("root", in: pair.zoneID)
        let child = pair.note("child", in: pair.zoneID, below: root)
        let grandchild = pair.note("grandchild", in: pair.zoneID, below: child)
        let share = CKShare(rootRecord: root)
        try await pair.invite(
            .readOnly, to: share, with: [root, child, grandchild, pair.note("other", in: pair.zoneID)])
        let zoneID = try await pair.accept(share)
        let changes = try await pair.bob.sharedCloudDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
        let names = Set(changes.modificationResultsByID.keys.map(\.recordName))
        #expect(names == ["root", "child", "grandchild", share.recordID.recordName])
    }

    @Test("What lies in the default zone cannot be shared")
    func defaultZone() async throws {
        let pair = try await SharingPair()
        let root = pair.note("root", in: .default)
        let results = try? await pair.ada.privateCloudDatabase.modifyRecords(
            saving: [root, CKShare(rootRecord: root)], deleting: [])
        #expect((results?.saveResults.values.allSatisfy { (try? $0.get()) == nil }) ?? true)
        #expect(try await pair.cloud.records(of: pair.cloud.account("ada")).isEmpty)
    }

    @Test("The zone is made first, with a completion handler")
    func customZone() async throws {
        let container = try await LocalCloud().account("ada").container
        let zone = CKRecordZone(zoneName: "customZone")
        let saved = try await answer { container.privateCloudDatabase.save(zone, completionHandler: $0) }
        #expect(saved?.zoneID.zoneName == "customZone")
        #expect(saved?.capabilities.contains(.sharing) == true)
    }

    @Test("Root and share are saved by one operation; the share then has a title and a link to send")
    func operation() async throws {
        let pair = try await SharingPair()
        let newRecord = pair.note("root", in: pair.zoneID)
        let share = CKShare(rootRecord: newRecord)
        share[CKShareTitleKey] = "hello" as (any CKRecordValue)?
        let operation = CKModifyRecordsOperation(recordsToSave: [newRecord, share], recordIDsToDelete: nil)
        let saved: Int = try await withCheckedThrowingContinuation { continuation in
            operation.modifyRecordsResultBlock = { result in continuation.resume(with: result.map { 2 }) }
            pair.ada.privateCloudDatabase.add(operation)
        }
        #expect(saved == 2 && share.url != nil)
        let stored = try await pair.ada.privateCloudDatabase.record(for: share.recordID)
        #expect(stored[CKShareTitleKey] as? String == "hello")
    }

    @Test("A public share lets in whoever has its link, with the permission that it names")
    func publicShare() async throws {
        let pair = try await SharingPair()
        let root = pair.note("root", in: pair.zoneID)
        let share = CKShare(rootRecord: root)
        share.publicPermission = .readOnly
        _ = try await pair.ada.privateCloudDatabase.modifyRecords(saving: [root, share], deleting: [])
        let zoneID = try await pair.accept(share)
        let seen = try await pair.bob.sharedCloudDatabase.record(for: CKRecord.ID(recordName: "root", zoneID: zoneID))
        #expect(seen["title"] == "root")
        seen["title"] = "Changed"
        #expect(await failure { try await pair.bob.sharedCloudDatabase.save(seen) }?.code == .permissionFailure)
    }

    @Test("A person is invited by the address or number of their account")
    func invitations() async throws {
        let pair = try await SharingPair()
        _ = pair.cloud.account("eve", .init(emailAddress: "eve@example.org", phoneNumber: "+49301234567"))
        let byMail = try await pair.ada.shareParticipant(forEmailAddress: "eve@example.org")
        let byPhone = try await pair.ada.shareParticipant(forPhoneNumber: "+49301234567")
        #expect(byMail.userIdentity.lookupInfo?.emailAddress == "eve@example.org")
        #expect(byPhone.userIdentity.lookupInfo?.phoneNumber == "+49301234567")
    }
}
