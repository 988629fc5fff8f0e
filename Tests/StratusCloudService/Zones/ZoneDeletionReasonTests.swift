import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct ZoneDeletionReasonTests {
    @Test("behaviour 80: deleted, purged and reset zones are told apart", arguments: Engine.allCases)
    func reasons(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let reasons: [(String, ZoneDeletionReason, CloudError.ExtensionCode?)] = [
            ("D", .deleted, nil), ("P", .purged, .userDeletedZone),
            ("R", .encryptedDataReset, .userDidResetEncryptedData),
        ]
        for (name, reason, _) in reasons {
            try await cloud.makeZone(name)
            let results = try await cloud.service.modifyZones(
                [ZoneOperation(.delete, ZoneID(zoneName: name), reason: reason)], in: .private, as: cloud.user())
            guard case .deleted(_, reason)? = results.first else { throw Unexpected(description: "\(results)") }
        }
        let page = try await cloud.service.databaseChanges(DatabaseChangesRequest(), in: .private, as: cloud.user())
        #expect(page.zones.isEmpty, "who begins anew is told of no deletions")
        let operation = RecordOperation(.create, RecordInput(recordName: "a", recordType: "Note"))
        for (name, _, extensionCode) in reasons {
            let zoneID = ZoneID(zoneName: name)
            let lookup = try await cloud.lookup(["a"], zone: name)[0].error
            let saving = try await cloud.modify([operation], zone: name)[0].error
            let feed = try await cloud.service.zoneChanges(
                [ZoneChangesRequest(zoneID: zoneID)], in: .private, as: cloud.user())
            guard case .failed(_, let followed)? = feed.first else { throw Unexpected(description: "\(feed)") }
            let zones = try await cloud.service.lookupZones([zoneID], in: .private, as: cloud.user())
            guard case .failed(_, let zone)? = zones.first else { throw Unexpected(description: "\(zones)") }
            let again = try await cloud.service.modifyZones(
                [ZoneOperation(.delete, zoneID)], in: .private, as: cloud.user())
            guard case .failed(_, let deletion)? = again.first else { throw Unexpected(description: "\(again)") }
            for error in [lookup, saving, followed, zone, deletion] {
                #expect(error?.code == .zoneNotFound && error?.extensionCode == extensionCode, "\(name)")
            }
        }
        // A zone that is made again has no past.
        try await cloud.makeZone("R")
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "R"))], in: .private, as: cloud.user())
        #expect(try await cloud.lookup(["a"], zone: "R")[0].error?.extensionCode == nil)
    }

    @Test("the feed of those who knew the zones says why they are gone") func feed() async throws {
        let cloud = try await TestCloud()
        for name in ["D", "P", "R"] { try await cloud.makeZone(name) }
        let start = try await cloud.service.databaseChanges(DatabaseChangesRequest(), in: .private, as: cloud.user())
        let reasons: [String: ZoneDeletionReason] = ["D": .deleted, "P": .purged, "R": .encryptedDataReset]
        for (name, reason) in reasons {
            _ = try await cloud.service.modifyZones(
                [ZoneOperation(.delete, ZoneID(zoneName: name), reason: reason)], in: .private, as: cloud.user())
        }
        let page = try await cloud.service.databaseChanges(
            DatabaseChangesRequest(syncToken: start.syncToken), in: .private, as: cloud.user())
        var told: [String: ZoneDeletionReason] = [:]
        for case .deleted(let zoneID, let reason) in page.zones { told[zoneID.zoneName] = reason }
        #expect(told == reasons)
    }

    @Test("tombstones of earlier versions are ordinary deletions") func olderFormat() throws {
        var writer = ByteWriter()
        writer.write(byte: 1)
        writer.write("Z")
        writer.write(signed: 5)
        #expect(try ZoneTombstone(stored: writer.bytes) == ZoneTombstone(zoneName: "Z", deleted: 5, reason: .deleted))
        for reason in ZoneDeletionReason.allCases {
            let tombstone = ZoneTombstone(zoneName: "Z", deleted: 5, reason: reason)
            #expect(try ZoneTombstone(stored: tombstone.stored) == tombstone)
        }
    }
}
