import CloudKit
import Testing

/// A zone of Alice's with a root, and a share in which Bob has a part.
struct SharedPair {
    let app: App
    let zoneID: CKRecordZone.ID
    let root: CKRecord
    let share: CKShare
    /// The zone as Bob names it.
    let shared: CKRecordZone.ID

    var ada: CKDatabase { app.alice.privateCloudDatabase }
    var bob: CKDatabase { app.bob.sharedCloudDatabase }

    func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }
    func bobs(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: shared) }

    /// A record below the root, for whoever names the zone so.
    func child(_ name: String, in zoneID: CKRecordZone.ID) -> CKRecord {
        let record = note(name, in: zoneID)
        record.setParent(CKRecord.ID(recordName: "root", zoneID: zoneID))
        return record
    }
}

extension SharedPair {
    /// Makes it.
    /// - Parameters:
    ///   - permission: of Bob; nil if nobody is invited.
    ///   - accepts: whether he comes in.
    static func open(
        _ door: Door, _ permission: CKShare.ParticipantPermission? = .readWrite, accepts: Bool = true
    ) async throws -> SharedPair {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let root = note("root", in: zoneID)
        let share = CKShare(rootRecord: root)
        share[CKShare.SystemFieldKey.title] = "Trip"
        if let permission {
            let bob = try await app.alice.shareParticipant(forUserRecordID: try await app.bob.userRecordID())
            bob.permission = permission
            share.addParticipant(bob)
        }
        try await app.database.modifyRecords(saving: [root, share], deleting: [], atomically: true).saveResults
            .values.forEach { _ = try $0.get() }
        let owner = try await app.alice.userRecordID().recordName
        let world = SharedPair(
            app: app, zoneID: zoneID, root: root, share: share,
            shared: CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: owner))
        if permission != nil, accepts { try await accept(share.url, app.bob) }
        return world
    }

    /// Comes in by a link.
    @discardableResult
    static func accept(_ url: URL?, _ container: CKContainer) async throws -> CKShare {
        try await container.accept(try await container.shareMetadata(for: try #require(url)))
    }
}

extension CKRecord.ID {
    /// The same name in a zone.
    func `in`(_ zoneID: CKRecordZone.ID) -> CKRecord.ID {
        CKRecord.ID(recordName: recordName, zoneID: zoneID)
    }
}
