import CloudKit
import Testing

@testable import StratusCloudKit

/// Which objects are equal, as `==`, sets and `contains` see it.
@Suite struct EqualityTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    @Test("records and zones are equal only to themselves, as Apple's") func identity() throws {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zoneID))
        let sameName = CKRecord(recordType: "Note", recordID: record.recordID)
        let copy = try #require(record.copy() as? CKRecord)
        #expect(record == record && record != sameName && record != copy)
        #expect([record].contains(record) && ![record].contains(copy) && Set([record, sameName, copy]).count == 3)
        let zone = CKRecordZone(zoneID: zoneID)
        let sameZone = CKRecordZone(zoneID: zoneID)
        #expect(zone == zone && zone != sameZone && Set([zone, sameZone]).count == 2)
    }

    @Test("pending changes of one zone are equal, whichever object names it") func pendingChanges() {
        let changes = [CKRecordZone(zoneID: zoneID), CKRecordZone(zoneID: zoneID)].map {
            CKSyncEngine.PendingDatabaseChange.saveZone($0)
        }
        #expect(changes[0] == changes[1] && Set(changes).count == 1)
    }

    @Test("participants are equal if they are the same person, whatever they may do") func participants() {
        func participant(_ info: CKUserIdentity.LookupInfo?, user: String? = nil) -> CKShare.Participant {
            CKShareParticipant(
                inviting: CKUserIdentity(
                    lookupInfo: info, nameComponents: nil, userRecordID: user.map { CKRecord.ID(recordName: $0) }))
        }
        let email = CKUserIdentity.LookupInfo(emailAddress: "bob@example.org")
        let bob = participant(email, user: "_bob")
        bob.permission = .readWrite
        #expect(bob == participant(email) && bob == participant(nil, user: "_bob"))
        #expect(bob == participant(CKUserIdentity.LookupInfo(userRecordID: CKRecord.ID(recordName: "_bob"))))
        #expect([bob].contains(participant(email)) && Set([bob, participant(email)]).count == 1)
        #expect(bob != participant(CKUserIdentity.LookupInfo(emailAddress: "carol@example.org")))
        // Nothing is known of them.
        #expect(participant(nil) != participant(nil))
        let share = CKShare(recordZoneID: zoneID)
        share.addParticipant(bob)
        share.removeParticipant(participant(email))
        #expect(share.participants == [share.owner])
    }
}
