import CloudKit
import Foundation
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// What Apple's classes archived of shares, zones and queries.
@Suite struct AppleShareArchiveTests {
    private func data(_ build: (inout AppleArchive) -> [String: Int]) throws -> Data {
        var archive = AppleArchive()
        let root = build(&archive)
        return try archive.data(["root": root])
    }

    private func read<Value: NSObject & NSSecureCoding>(
        _ type: Value.Type = Value.self, _ build: (inout AppleArchive) -> [String: Int]
    ) throws -> Value {
        try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: try data(build)))
    }

    private func archivedAgain<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    private func expectShare(_ share: CKShare) {
        #expect(share.recordID.recordName == "Share-1" && share.recordID.zoneID.ownerName == "_ada")
        #expect(share[CKShare.SystemFieldKey.title] as? String == "Trip" && share.publicPermission == .readOnly)
        #expect(share.url?.absoluteString == "https://www.icloud.com/share/0abc#Trip")
        #expect(share.participants.map(\.participantID) == ["P1", "P2"])
        #expect(share.participants.map(\.role) == [.owner, .privateUser])
        #expect(share.participants.map(\.permission) == [.readWrite, .readOnly])
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        let owner = share.owner.userIdentity
        #expect(owner.nameComponents?.givenName == "Ada" && owner.nameComponents?.familyName == "Lovelace")
        #expect(owner.lookupInfo?.emailAddress == "ada@example.org" && owner.hasiCloudAccount)
        #expect(share.currentUserParticipant?.participantID == "P2")
        #expect(share.currentUserParticipant?.userIdentity.lookupInfo?.userRecordID?.recordName == "_bob")
        #expect(share.state.withLock { $0.sharing?.isChanged } == false)
    }

    @Test func shares() throws {
        let share: CKShare = try read { $0.add("CKShare", $0.shareMembers()) }
        expectShare(share)
        expectShare(try archivedAgain(share))
        share.participants[1].permission = .readWrite
        #expect(share.state.withLock { $0.sharing?.isChanged } == true)
        // As programs keep them.
        var archive = AppleArchive()
        let fields = archive.shareMembers()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try archive.data(fields))
        unarchiver.requiresSecureCoding = true
        expectShare(CKShare(coder: unarchiver))
    }

    @Test("a participant who was added since is a change") func changedShares() throws {
        let share: CKShare = try read { archive in
            var members = archive.shareMembers()
            let carol = archive.identity("_carol", email: "carol@example.org", archive.personName("Carol", nil))
            let ada = archive.identity("_ada", email: "ada@example.org", archive.personName("Ada", "Lovelace"))
            members["Participants"] = archive.list([
                archive.participant("P1", ada, type: 1, permission: 3, status: 2, isCurrentUser: true),
                archive.participant("P3", carol, type: 3, permission: 2, status: 1, isCurrentUser: false),
            ])
            return archive.add("CKShare", members)
        }
        let sharing = try #require(share.state.withLock { $0.sharing })
        #expect(sharing.isChanged && sharing.base?.participants.map(\.participantID) == ["P1", "P2"])
        #expect(sharing.content.participants.map(\.isKnown) == [true, false])
    }

    @Test("a share that is not whole is none", arguments: ["Participants", "RecordID"])
    func damagedShares(_ key: String) throws {
        var archive = AppleArchive()
        var fields = archive.shareMembers()
        fields[key] = nil
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try archive.data(fields))
        #expect(CKShare(coder: unarchiver as NSCoder) == nil)
    }

    @Test func participants() throws {
        let participant: CKShare.Participant = try read { archive in
            let bob = archive.identity("_bob", email: nil, archive.personName("Bob", nil))
            return archive.participant("P", bob, type: 3, permission: 2, status: 1, isCurrentUser: false)
        }
        for participant in [participant, try archivedAgain(participant)] {
            #expect(participant.participantID == "P" && participant.role == .privateUser)
            #expect(participant.permission == .readOnly && participant.acceptanceStatus == .pending)
            #expect(participant.userIdentity.nameComponents?.givenName == "Bob")
            #expect(participant.userIdentity.userRecordID?.recordName == "_bob")
        }
        // It can be invited into a share here.
        let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Notes"))
        share.addParticipant(participant)
        #expect(share.participants.count == 2 && participant.values.isKnown == false)
    }

    @Test func metadata() async throws {
        let metadata: CKShare.Metadata = try read { $0.metadata() }
        for metadata in [metadata, try archivedAgain(metadata)] {
            #expect(metadata.containerIdentifier == "iCloud.org.example")
            #expect(metadata.hierarchicalRootRecordID?.recordName == "root" && metadata.rootRecord == nil)
            #expect(metadata.ownerIdentity.nameComponents?.familyName == "Lovelace")
            #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
            #expect(metadata.participantPermission == .readOnly)
            expectShare(metadata.share)
        }
        // There is nothing here to come into.
        let asked = Lock(0)
        let transport = NoTransport(asked: { asked.withLock { $0 += 1 } })
        let container = CKContainer(
            identifier: "iCloud.org.example", transport: transport, keyStore: MemoryKeyStore())
        let refusal = await code { _ = try await container.accept(metadata) }
        #expect(refusal == .invalidArguments && asked.withLock { $0 } == 0)
    }

    @Test func cursors() async throws {
        let cursor: CKQueryOperation.Cursor = try read { archive in
            let members: [String: Any] = [
                "CursorData": archive.add(Data([10, 0xFF])), "ZoneID": archive.zoneID("Notes"),
            ]
            return archive.add("CKQueryCursor", members)
        }
        #expect(try archivedAgain(cursor) == cursor && cursor.hash == (try archivedAgain(cursor)).hash)
        let container = CKContainer(identifier: "iCloud.a", transport: NoTransport(), keyStore: MemoryKeyStore())
        let refusal = await code {
            _ = try await container.privateCloudDatabase.records(continuingMatchFrom: cursor)
        }
        #expect(refusal == .invalidArguments)
    }

    @Test func zones() throws {
        let zones = try NSKeyedUnarchiver.unarchivedArrayOfObjects(
            ofClass: CKRecordZone.self,
            from: try data { archive in
                let share = archive.reference(to: archive.recordID("cloudkit.zoneshare", archive.zoneID("Notes")))
                let members: [String: Any] = [
                    "ZoneID": archive.zoneID("Notes"), "Capabilities": 15, "ShareReference": share,
                    "DeviceCount": 0, "Expired": false, "CurrentServerChangeToken": AppleArchive.null,
                ]
                return archive.list([archive.add("CKRecordZone", members)], "NSArray")
            })
        let zone = try #require(zones?.first)
        #expect(zone.zoneID == CKRecordZone.ID(zoneName: "Notes") && zone.capabilities.contains(.zoneWideSharing))
        #expect(zone.share?.recordID.recordName == CKRecordNameZoneWideShare)
    }

    @Test("a token of iCloud's is one that has expired", arguments: Door.allCases)
    func tokens(_ door: Door) async throws {
        let app = try await door.open()
        let zoneID = try await app.makeZone()
        let token: CKServerChangeToken = try read { archive in
            archive.add("CKServerChangeToken", ["ChangeTokenData": archive.add(Data([1, 0, 0xFF]))])
        }
        let zone = await code { _ = try await app.database.recordZoneChanges(inZoneWith: zoneID, since: token) }
        #expect(zone == .changeTokenExpired)
        #expect(await code { _ = try await app.database.databaseChanges(since: token) } == .changeTokenExpired)
    }
}
