import CloudKit
import Foundation
import StratusCloudKit
import Testing

/// Files of the zone `_files`, shared and published with the SDK, in the process and over HTTP.
@Suite struct SharedFilesTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "_files")

    private static func item(_ name: String, in folder: CKRecord?, zone: CKRecordZone.ID = zoneID) -> CKRecord {
        let record = CKRecord(recordType: "StratusFile", recordID: CKRecord.ID(recordName: name, zoneID: zone))
        record["name"] = name
        record["kind"] = "folder"
        record["folder"] = folder.map { CKRecord.Reference(record: $0, action: .deleteSelf) }
        return record
    }

    @Test("a folder is shared with its root record, and with what comes into it", arguments: Door.allCases)
    func sharing(door: Door) async throws {
        let app = try await door.open()
        let (ada, bob) = (app.alice.privateCloudDatabase, app.bob.sharedCloudDatabase)
        let top = Self.item("top", in: nil)
        let root = Self.item("root", in: top)
        let (inside, secret) = (Self.item("inside", in: root), Self.item("secret", in: top))
        _ = try await ada.modifyRecords(saving: [top, root, inside, secret], deleting: [], atomically: true)
        let share = CKShare(rootRecord: root)
        let participant = try await app.alice.shareParticipant(forUserRecordID: try await app.bob.userRecordID())
        participant.permission = .readWrite
        share.addParticipant(participant)
        for result in try await ada.modifyRecords(saving: [root, share], deleting: []).saveResults.values {
            _ = try result.get()
        }
        try await SharedPair.accept(share.url, app.bob)
        let owner = try await app.alice.userRecordID().recordName
        let shared = CKRecordZone.ID(zoneName: "_files", ownerName: owner)
        let seen = try await bob.record(for: CKRecord.ID(recordName: "root", zoneID: shared))
        #expect(seen["folder"] == nil && seen.share?.recordID.recordName == share.recordID.recordName)
        for name in ["top", "secret"] {
            let id = CKRecord.ID(recordName: name, zoneID: shared)
            #expect(await code { _ = try await bob.record(for: id) } == .unknownItem)
        }
        let new = Self.item("new", in: seen, zone: shared)
        try await bob.save(new)
        // All keys of a root as its participant sees it, without what is above it.
        seen["modified"] = Date(timeIntervalSince1970: 1_000)
        _ = try await bob.modifyRecords(saving: [seen], deleting: [], savePolicy: .allKeys).saveResults[seen.recordID]?
            .get()
        let stored = try await ada.record(for: root.recordID)
        #expect((stored["folder"] as? CKRecord.Reference)?.recordID.recordName == "top")
        #expect(stored["modified"] == Date(timeIntervalSince1970: 1_000))
        let own = try await ada.record(for: CKRecord.ID(recordName: "new", zoneID: Self.zoneID))
        #expect((own["folder"] as? CKRecord.Reference)?.recordID.recordName == "root")
        own["folder"] = CKRecord.Reference(record: top, action: .deleteSelf)
        try await ada.save(own)
        #expect(await code { _ = try await bob.record(for: new.recordID) } == .unknownItem)
    }

    @Test("a file is published, listed and ended", arguments: Door.allCases)
    func publishing(door: Door) async throws {
        let app = try await door.open()
        let file = Self.item("a.txt", in: nil)
        file["kind"] = "file"
        try await app.alice.privateCloudDatabase.save(file)
        let publication = try await app.alice.publishFile(file.recordID.recordName, lifetime: 3_600)
        #expect(publication.name == "a.txt" && publication.recordName == "a.txt" && publication.size == 0)
        #expect(publication.expires.timeIntervalSince(publication.created).rounded() == 3_600)
        #expect(publication.url?.path.hasPrefix("/published/") == true)
        #expect(try await app.alice.filePublications().map(\.id) == [publication.id])
        #expect(try await app.bob.filePublications().isEmpty)
        #expect(await code { try await app.bob.endPublication(publication.id) } == .unknownItem)
        try await app.alice.endPublication(publication.id)
        #expect(try await app.alice.filePublications().isEmpty)
        #expect(await code { try await app.alice.publishFile("none") } == .unknownItem)
        #expect(await code { try await app.alice.publishFile("a.txt", lifetime: 1) } == .invalidArguments)
    }
}
