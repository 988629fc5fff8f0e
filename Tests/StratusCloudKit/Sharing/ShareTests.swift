import CloudKit
import StratusCloudModel
import StratusCloudWire
import Testing

@testable import StratusCloudKit

/// Shares by themselves: nothing here asks a server.
@Suite struct ShareTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func root() -> CKRecord { note("root", in: zoneID) }

    private func participant(_ email: String) -> CKShare.Participant {
        CKShare.Participant(
            inviting: CKUserIdentity(
                lookupInfo: CKUserIdentity.LookupInfo(emailAddress: email), nameComponents: nil, userRecordID: nil))
    }

    private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    /// A share as the server sends it.
    private func received(_ details: ShareDetails, tag: String = "2") throws -> CKShare {
        let stamp = RecordStamp(timestamp: 1, userRecordName: "_ada")
        let record = Record(
            recordName: "Share-1", recordType: "cloudkit.share",
            zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_ada"), recordChangeTag: tag, fields: [:],
            created: stamp, modified: stamp, shortGUID: "abc", shareDetails: Boxed(details))
        var names = IdentityNames(currentUser: "_ada")
        names.shareLinks = ShareLinks(base: "https://cloud.example.org/share/")
        return try #require(try RecordDecoding(names: names).record(record) as? CKShare)
    }

    private var ada: ShareParticipant {
        ShareParticipant(
            participantID: "_ada",
            identity: ShareIdentity(userRecordName: "_ada", givenName: "Ada", familyName: "Lovelace"), role: .owner,
            permission: .readWrite, acceptance: .accepted)
    }

    private func bob(_ acceptance: ShareAcceptance = .invited) -> ShareParticipant {
        ShareParticipant(
            participantID: "p1",
            identity: ShareIdentity(
                userRecordName: acceptance == .accepted ? "_bob" : nil, lookupInfo: .emailAddress("bob@example.org")),
            role: .user, permission: .readOnly, acceptance: acceptance, added: 86_400_000)
    }

    private func details(_ others: [ShareParticipant] = []) -> ShareDetails {
        ShareDetails(publicPermission: .none, participants: [ada] + others, owner: ada, currentUserParticipant: ada)
    }

    /// What a save of a share sends beside its fields.
    private func input(_ share: CKShare) throws -> ShareInput? {
        let operation = try PendingSave(share, .ifServerRecordUnchanged).operation(
            [:], nil, IdentityNames(currentUser: "_ada"))
        // Through JSON and back, as a server reads it.
        let body = try CloudCall.modifyRecords(
            ModifyRecordsRequest(operations: [operation], zoneID: ZoneID(zoneName: "Notes"))
        ).body()
        let decoded = try RequestDecoder().modifyRecords(body).request.operations[0]
        #expect(decoded.record.share == operation.record.share)
        return decoded.record.share?.value
    }

    // MARK: - New shares

    @Test func newShare() throws {
        let root = root()
        let share = CKShare(rootRecord: root)
        #expect(share.recordType == CKRecord.SystemType.share && share.recordID.zoneID == zoneID)
        let uuid = try #require(UUID(uuidString: String(share.recordID.recordName.dropFirst("Share-".count))))
        #expect(share.recordID.recordName == "Share-\(uuid.uuidString)")
        #expect(root.share == CKRecord.Reference(recordID: share.recordID, action: .none))
        #expect(share.url == nil && share.publicPermission == .none && !share.allowsAccessRequests)
        #expect(share.participants == [share.owner] && share.currentUserParticipant == share.owner)
        #expect(share.owner.role == .owner && share.owner.permission == .readWrite)
        #expect(share.owner.acceptanceStatus == .accepted)
        #expect(share.owner.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(share.requesters.isEmpty && share.blockedIdentities.isEmpty)
        let named = CKShare(rootRecord: root, shareID: CKRecord.ID(recordName: "mine", zoneID: zoneID))
        #expect(named.recordID.recordName == "mine" && root.share?.recordID == named.recordID)
    }

    @Test("117: a zone's share has one name")
    func zoneShare() throws {
        let share = CKShare(recordZoneID: zoneID)
        #expect(share.recordID == CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID))
        #expect(try input(share)?.forRecord == nil)
    }

    @Test func fieldsAreSystemKeys() {
        let share = CKShare(rootRecord: root())
        share[CKShare.SystemFieldKey.title] = "Trip"
        share[CKShare.SystemFieldKey.thumbnailImageData] = Data([1])
        share[CKShare.SystemFieldKey.shareType] = "org.example.trip"
        #expect(share.allKeys() == ["cloudkit.thumbnailImageData", "cloudkit.title", "cloudkit.type"])
        #expect(
            [CKShareTitleKey, CKShareThumbnailImageDataKey, CKShareTypeKey].sorted() == [
                "cloudkit.thumbnailImageData", "cloudkit.title", "cloudkit.type",
            ])
    }

    // MARK: - Participants

    @Test func aPersonTakesPartOnce() {
        let share = CKShare(rootRecord: root())
        let first = participant("bob@example.org")
        share.addParticipant(first)
        share.addParticipant(first)
        let again = participant("bob@example.org")
        again.permission = .readWrite
        again.role = .administrator
        share.addParticipant(again)
        #expect(share.participants.count == 2)
        #expect(first.permission == .readWrite && first.role == .administrator)
        share.addParticipant(participant("carol@example.org"))
        // Nobody knows who uses a one-time link, so two of them are two people.
        share.addParticipant(.oneTimeURLParticipant())
        share.addParticipant(.oneTimeURLParticipant())
        #expect(share.participants.count == 5)
        share.removeParticipant(first)
        #expect(share.participants.count == 4 && !share.participants.contains(first))
    }

    @Test func newParticipants() {
        let bob = participant("bob@example.org")
        #expect(bob.role == .privateUser && bob.type == .privateUser && bob.permission == .readOnly)
        #expect(bob.acceptanceStatus == .pending && !bob.isApprovedRequester && bob.dateAddedToShare == nil)
        let somebody = CKShare.Participant.oneTimeURLParticipant()
        #expect(somebody.userIdentity.lookupInfo == nil && somebody.userIdentity.nameComponents == nil)
        #expect(somebody != CKShare.Participant.oneTimeURLParticipant())
    }

    // MARK: - Archives and copies

    @Test func archives() throws {
        let share = CKShare(rootRecord: root())
        share[CKShare.SystemFieldKey.title] = "Trip"
        share.publicPermission = .readOnly
        share.addParticipant(participant("bob@example.org"))
        let copy = try roundTrip(share)
        #expect(copy.recordID == share.recordID && copy.publicPermission == .readOnly)
        #expect(copy.participants == share.participants)
        #expect(copy.participants[1].userIdentity == share.participants[1].userIdentity)
        #expect(copy[CKShare.SystemFieldKey.title] == "Trip")
        // It still knows what it is to share.
        #expect(try input(copy) == input(share))
        #expect(try roundTrip(share.participants[1]).userIdentity == share.participants[1].userIdentity)
    }

    @Test func systemFieldsKeepWhoTakesPart() throws {
        let share = try received(details([bob(.accepted)]))
        share[CKShare.SystemFieldKey.title] = "Trip"
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        share.encodeSystemFields(with: archiver)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let copy = CKShare(coder: unarchiver)
        #expect(copy.recordChangeTag == "2" && copy.url == share.url && copy.allKeys().isEmpty)
        #expect(copy.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        #expect(try input(copy) == nil)
        copy.participants[1].permission = .readWrite
        #expect(try input(copy)?.participants?.map(\.permission) == [.readWrite])
    }

    @Test func anArchiveOfAnotherRecordIsNoShare() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        root().encode(with: archiver)
        #expect(CKShare(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) as NSCoder) == nil)
    }

    @Test func aCopyHasParticipantsOfItsOwn() throws {
        let share = CKShare(rootRecord: root())
        share.addParticipant(participant("bob@example.org"))
        let copy = try #require(share.copy() as? CKShare)
        copy.participants[1].permission = .readWrite
        copy.publicPermission = .readWrite
        #expect(share.participants[1].permission == .readOnly && share.publicPermission == .none)
        #expect(copy.recordID == share.recordID)
    }

    // MARK: - On the wire

    @Test("130: a new share says what it shares and whom it invites")
    func newShareOnTheWire() throws {
        let share = CKShare(rootRecord: root())
        let bob = participant("bob@example.org")
        bob.permission = .readWrite
        share.addParticipant(bob)
        share.addParticipant(.oneTimeURLParticipant())
        let input = try #require(try input(share))
        #expect(input.forRecord == ShareInput.Root(recordName: "root"))
        #expect(input.publicPermission == SharePermission.none)
        #expect(
            input.participants == [
                ShareParticipantInput(lookup: .emailAddress("bob@example.org"), permission: .readWrite),
                ShareParticipantInput(),
            ])
        #expect(input.denyAccessRequests == nil && input.requesters == nil && input.blocked == nil)
    }

    @Test func onlyWhatChangedIsSent() throws {
        let share = try received(details([bob()]))
        #expect(try input(share) == nil)
        share[CKShare.SystemFieldKey.title] = "Trip"
        #expect(try input(share) == nil)
        share.publicPermission = .readOnly
        var expected = ShareInput()
        expected.publicPermission = .readOnly
        #expect(try input(share) == expected)
        share.publicPermission = .none
        share.allowsAccessRequests = true
        expected = ShareInput()
        expected.denyAccessRequests = false
        #expect(try input(share) == expected)
        share.allowsAccessRequests = false
        share.removeParticipant(share.participants[1])
        expected = ShareInput()
        expected.participants = []
        #expect(try input(share) == expected)
    }

    @Test func aShareThatCame() throws {
        let share = try received(details([bob(.accepted)]))
        #expect(share.url?.absoluteString == "https://cloud.example.org/share/abc")
        #expect(share.owner.userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(share.owner.userIdentity.nameComponents?.givenName == "Ada")
        #expect(share.currentUserParticipant === share.owner)
        let bob = share.participants[1]
        #expect(bob.userIdentity.userRecordID?.recordName == "_bob" && bob.acceptanceStatus == .accepted)
        #expect(bob.userIdentity.lookupInfo?.emailAddress == "bob@example.org" && bob.userIdentity.hasiCloudAccount)
        #expect(bob.dateAddedToShare == Date(timeIntervalSince1970: 86_400) && share.owner.dateAddedToShare == nil)
    }

    @Test func unknownPermissionsAreNotSent() throws {
        let share = CKShare(rootRecord: root())
        share.publicPermission = .unknown
        #expect(throws: CKError.self) { try input(share) }
    }

    @Test func requestersAreDeniedAndBlocked() throws {
        var details = details([bob(.accepted)])
        details.denyAccessRequests = false
        details.requesters = ["_carol", "_dave"].map { ShareIdentity(userRecordName: $0) }
        let share = try received(details)
        #expect(share.allowsAccessRequests && share.requesters.count == 2)
        #expect(share.requesters[0].participantLookupInfo.userRecordID?.recordName == "_carol")
        share.denyRequesters([share.requesters[0]])
        #expect(try input(share)?.requesters == ["_dave"] && input(share)?.blocked == nil)
        share.blockRequesters([share.requesters[0]])
        #expect(share.blockedIdentities.map { $0.userIdentity.userRecordID?.recordName } == ["_dave"])
        #expect(try input(share)?.requesters == [] && input(share)?.blocked == ["_dave"])
        share.unblockIdentities(share.blockedIdentities)
        #expect(try input(share)?.blocked == nil)
        let requester = CKShare.AccessRequester(share.participants[1].userIdentity)
        #expect(try roundTrip(requester) == requester)
        let blocked = CKShare.BlockedIdentity(share.participants[1].userIdentity)
        #expect(try roundTrip(blocked) == blocked)
    }

    // MARK: - After a save

    @Test func participantsAreTheSameObjectsAfterASave() throws {
        let share = CKShare(rootRecord: root())
        let bob = participant("bob@example.org")
        let first = CKShare.Participant.oneTimeURLParticipant(), second = CKShare.Participant.oneTimeURLParticipant()
        for participant in [first, bob, second] { share.addParticipant(participant) }
        let firstID = first.participantID
        let sent = try #require(share.state.withLock { $0.sharing?.content })
        func guest(_ id: String, _ guid: String) -> ShareParticipant {
            ShareParticipant(
                participantID: id, identity: ShareIdentity(), role: .user, permission: .readOnly, acceptance: .invited,
                oneTimeShortGUID: guid)
        }
        let answer = try received(details([guest("p0", "one"), self.bob(), guest("p2", "two")]))
        let fresh = try #require(answer.state.withLock { $0.sharing })
        share.state.withLock { $0.sharing?.acknowledge(fresh, sent: sent) }
        #expect(share.participants[1] === first && share.participants[2] === bob && share.participants[3] === second)
        #expect(bob.participantID == "p1" && first.participantID == "p0")
        #expect(share.oneTimeURL(for: firstID)?.absoluteString == "https://cloud.example.org/share/one")
        #expect(share.oneTimeURL(for: "p2")?.absoluteString == "https://cloud.example.org/share/two")
        #expect(share.oneTimeURL(for: "p1") == nil && share.oneTimeURL(for: "nobody") == nil)
        #expect(try input(share) == nil)
    }

    @Test func whatChangesDuringASaveStaysToBeSaved() throws {
        let share = CKShare(rootRecord: root())
        let bob = participant("bob@example.org")
        share.addParticipant(bob)
        let sent = try #require(share.state.withLock { $0.sharing?.content })
        bob.permission = .readWrite
        share.publicPermission = .readOnly
        let answer = try received(details([self.bob()]))
        let fresh = try #require(answer.state.withLock { $0.sharing })
        share.state.withLock { $0.sharing?.acknowledge(fresh, sent: sent) }
        #expect(bob.participantID == "p1" && bob.permission == .readWrite && share.publicPermission == .readOnly)
        let rest = try #require(try input(share))
        #expect(rest.forRecord == nil && rest.publicPermission == .readOnly)
        #expect(rest.participants?.map(\.permission) == [.readWrite])
    }

    // MARK: - Links

    @Test(arguments: [
        ("https://cloud.example.org/share/abcXYZ123", "abcXYZ123"),
        ("https://cloud.example.org/share/abc#A%20trip", "abc"), ("http://[::1]:8080/share/a-b_c", "a-b_c"),
    ])
    func links(text: String, shortGUID: String) throws {
        #expect(try ShareLinks.shortGUID(of: try #require(URL(string: text))) == shortGUID)
    }

    @Test(arguments: [
        "https://cloud.example.org/", "https://cloud.example.org/share/", "https://cloud.example.org/other/abc",
        "https://cloud.example.org/share/a%2Fb", "https://cloud.example.org/share/a%20b", "share",
    ])
    func noLinks(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: CKError.self) { try ShareLinks.shortGUID(of: url) }
    }

    @Test func options() throws {
        let options = CKAllowedSharingOptions.standard
        #expect(options.allowedParticipantAccessOptions == .any && options.allowedParticipantPermissionOptions == .any)
        #expect(!options.allowsParticipantsToInviteOthers && !options.allowsAccessRequests)
        options.allowedParticipantPermissionOptions = .readOnly
        options.allowsAccessRequests = true
        let copy = try roundTrip(options)
        #expect(copy.allowedParticipantPermissionOptions == .readOnly && copy.allowsAccessRequests)
        #expect(CKAllowedSharingOptions.standard.allowedParticipantPermissionOptions.rawValue == 3)
    }
}
