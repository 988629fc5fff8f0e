import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Shares with as many people as there may be.
@Suite("Large shares")
struct ShareSizeTests {
    private static let first = ShareNumber(rawValue: 1)

    private func number(_ value: Int) -> String { "_" + String(repeating: "0", count: 26) + String(100_000 + value) }

    /// Public participants of the zone's only share, as many as there may be.
    private func fill(_ cloud: TestCloud, _ share: Record) async throws {
        _ = try await cloud.update(share.recordName, in: "Z") { $0.publicPermission = .readOnly }
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            for index in 0..<ModelLimits.publicParticipantsPerShare {
                var participant = StoredParticipant(
                    number: UInt64(1_000_000 + index), participantID: "p\(index)", lookup: nil, role: .publicUser,
                    permission: .readOnly, added: 0)
                participant.user = StoredPerson(userRecordName: number(index), names: PersonNames())
                transaction.set(Keyspace.participant(zone: zone, Self.first, participant.number), participant)
            }
        }
    }

    @Test("A list of all participants is saved; one that is longer than a share can have is refused")
    func lists() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        let invited = (0..<ModelLimits.participantsPerShare - 1).map {
            ShareParticipantInput(lookup: .userRecordName(number(1_000 + $0)))
        }
        let owner = ShareParticipantInput(
            participantID: cloud.user().authorRecordName, lookup: .userRecordName(cloud.user().authorRecordName),
            role: .owner)
        _ = try await cloud.update(share.recordName, in: "Z") { input in
            // Those who are administrators stay invited when the link opens.
            input.participants = invited.map { person in
                var person = person
                person.role = .administrator
                return person
            }
        }
        try await fill(cloud, share)
        let known = try await cloud.lookup([share.recordName], zone: "Z")[0].saved?.shareDetails?.value.participants
        let all = try #require(known).filter { $0.role != .owner }.map {
            ShareParticipantInput(participantID: $0.participantID, role: $0.role, permission: $0.permission)
        }
        let most = ModelLimits.participantsPerShare - 1 + ModelLimits.publicParticipantsPerShare
        #expect(all.count == most)
        let saved = try await cloud.update(share.recordName, in: "Z") { $0.participants = [owner] + all }.saved
        #expect(saved?.shareDetails?.value.participants.count == most + 1)
        let refused = try await cloud.update(share.recordName, in: "Z") { $0.participants = [owner] + all + [all[0]] }
        #expect(refused.error?.extensionCode == .tooManyParticipants)
        #expect(refused.error?.reason.contains("\(most + 2) participants") == true, "\(refused)")
        // All but one are out with one save.
        let rest = try await cloud.update(share.recordName, in: "Z") { $0.participants = [all[0]] }.saved
        #expect(rest?.shareDetails?.value.participants.count == 2)
    }

    @Test("Whoever is named twice in a list is invited once, and out when taken out")
    func namedTwice() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        let entry = ShareParticipantInput(lookup: .userRecordName(bob.authorRecordName))
        let mail = ShareParticipantInput(lookup: .emailAddress("Eve@example.org"))
        let same = ShareParticipantInput(lookup: .emailAddress("eve@EXAMPLE.org"))
        let saved = try await cloud.update(share.recordName, in: "Z") { $0.participants = [entry, mail, entry, same] }
        #expect(saved.saved?.shareDetails?.value.participants.count == 3)
        #expect(try await cloud.accept(share, as: bob).error == nil)
        _ = try await cloud.update(share.recordName, in: "Z") { $0.participants = [mail] }
        #expect(try await cloud.accept(share, as: bob).error?.code == .accessDenied)
    }

    @Test("Something is kept for 1,000 participants, and for no more")
    func keyMembers() async throws {
        let cloud = try await TestCloud()
        let (bob, carol) = (cloud.user("b"), cloud.user("c"))
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z", with: [bob, carol])
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            for index in 0..<ModelLimits.keyMembersPerShare - 1 {
                var keys = StoredMemberKeys()
                keys.proof = [1]
                transaction.set(Keyspace.memberKeys(zone: zone, Self.first, UInt64(1_000_000 + index)), keys)
            }
        }
        func prove(_ caller: Caller) async throws {
            _ = try await cloud.service.updateShareKeys(
                ShareKeysUpdate(zoneID: cloud.place("Z"), shareName: share.recordName, change: .proof([2])),
                in: .shared, as: caller)
        }
        try await prove(bob)
        await #expect { try await prove(carol) } throws: {
            ($0 as? CloudError)?.extensionCode == .tooManyParticipants
        }
        // Whoever has something there may change it.
        try await prove(bob)
        let id = try #require(
            try await cloud.lookup([share.recordName], zone: "Z")[0].saved?.shareDetails?.value.participants.last?
                .participantID)
        let handover = ShareKeysUpdate.Handover(participantID: id, bytes: [3])
        await #expect {
            _ = try await cloud.service.updateShareKeys(
                ShareKeysUpdate(
                    zoneID: cloud.place("Z"), shareName: share.recordName,
                    change: .keys(envelope: [1], over: "0", handovers: [handover])), in: .private, as: cloud.user())
        } throws: { ($0 as? CloudError)?.extensionCode == .tooManyParticipants }
        await #expect {
            _ = try await cloud.service.updateShareKeys(
                ShareKeysUpdate(
                    zoneID: cloud.place("Z"), shareName: share.recordName,
                    change: .keys(
                        envelope: [1], over: "0",
                        handovers: Array(repeating: handover, count: ModelLimits.keyMembersPerShare + 1))),
                in: .private, as: cloud.user())
        } throws: { ($0 as? CloudError)?.code == .badRequest && "\($0)".contains("1001 handovers") }
    }

    @Test("Whoever declines a share they were in leaves it: others write on with its keys")
    func decliningIsLeaving() async throws {
        let cloud = try await TestCloud()
        let (bob, carol) = (cloud.user("b"), cloud.user("c"))
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z", with: [bob, carol])
        func write(_ change: ShareKeysUpdate.Change) async throws -> ShareKeys? {
            try await cloud.service.updateShareKeys(
                ShareKeysUpdate(zoneID: cloud.place("Z"), shareName: share.recordName, change: change), in: .private,
                as: cloud.user()
            ).shares.first
        }
        let keys = try #require(try await write(.keys(envelope: [1], over: "0", handovers: [])))
        let declined = try await cloud.service.declineShareLinks(
            [ShareLinkRequest(shortGUID: share.shortGUID ?? "")], as: bob)
        #expect(declined.first?.error == nil)
        let state = try await cloud.service.shares(
            SharesRequest(zoneID: cloud.place("Z"), recordNames: ["root"]), in: .shared, as: carol
        ).shares.first?.state
        #expect(state == .stale)
        var input = RecordInput(recordName: "child", recordType: "Note")
        input.parent = Reference(recordName: "root")
        let saved = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(
                operations: [RecordOperation(.create, input)], zoneID: cloud.place("Z"),
                encryptedFor: [
                    EncryptionClaim(recordNames: ["child"], shareName: share.recordName, keyTag: keys.keyTag)
                ]), in: .shared, as: carol)
        #expect(saved.first?.saved != nil, "\(saved)")
    }
}
