import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What the directory knows of shares becomes what this version would have noted.
@Suite("Upgrade of what the directory knows of shares")
struct ShareDirectoryUpgradeTests {
    @Test(
        "Invitations from before there were notes are listed, and what leads nowhere is forgotten",
        arguments: StoreEngine.allCases)
    func upgrade(engine: StoreEngine) async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        let cloud = try await TestCloud(store: store)
        let carol = try await filled(cloud)
        let expected = try await store.rows()
        try await makeFormer(cloud)
        let before = TestCloud(cloud, store: store)
        for person in [cloud.user("b"), carol] { #expect(try await invited(before, person) == []) }

        try await makeFormer(cloud)
        #expect(try await StoredDataUpgrade(store).run() == 0, "no record is moved")
        try await expectEqual(store, expected)
        let after = TestCloud(cloud, store: store)
        #expect(try await invited(after, cloud.user("b")) == ["Share-s6", "Share-s5", "Share-root"])
        #expect(try await invited(after, carol) == ["cloudkit.zoneshare"])
        // Once is enough: nothing is written any more.
        #expect(try await StoredDataUpgrade(store.interrupted(after: 0)).run() == 0)
        await store.close()
    }

    @Test("Cut short after any transaction, it goes on", arguments: StoreEngine.allCases)
    func interruptions(engine: StoreEngine) async throws {
        let directory = try Scratch()
        let store = try StoreEngine.open(directory: directory.path, otherwise: engine)
        let cloud = try await TestCloud(store: store)
        try await filled(cloud)
        let expected = try await store.rows()
        var writes = 0
        while true {
            try await makeFormer(cloud)
            do {
                try await StoredDataUpgrade(store.interrupted(after: writes)).run()
                break
            } catch is Interruption {
                writes += 1
            }
            try await StoredDataUpgrade(store).run()
            try await expectEqual(store, expected)
        }
        // Two steps of invitations to the one zone and one to the other, one of links, one of notes, and the end.
        #expect(writes >= 6, "\(writes)")
        try await expectEqual(store, expected)
        await store.close()
    }

    // MARK: - Data

    /// More invitations than a step looks at, by user record and by address; people who came, by all kinds of links; shares
    /// of records and of a zone; one that was stopped.
    /// - Returns: who is invited by address.
    @discardableResult
    private func filled(_ cloud: TestCloud) async throws -> Caller {
        try await cloud.service.createAccount(email: "carol@example.org", password: "a long password")
        let name = try await cloud.service.userRecordName(email: "carol@example.org", in: cloud.context)
        for zone in ["Z", "W", "Gone"] { try await cloud.makeZone(zone) }
        let bob = cloud.user("b")
        try await cloud.share("mine", in: "Z", with: [bob])
        try await cloud.share("stopped", in: "Z", with: [bob])
        _ = try await cloud.modify([.make(.forceDelete, "Share-stopped", type: nil)], zone: "Z")
        try await invite(
            [.userRecordName(bob.authorRecordName)], to: try await cloud.share("root", in: "Z"), "Z", cloud)
        for share in 0..<7 {
            cloud.clock.withLock { $0 += 1 }
            let record = try await cloud.share("s\(share)", in: "Z")
            let others = (0..<90).map { UserLookup.emailAddress("p\(share).\($0)@example.org") }
            let bob = share > 4 ? [UserLookup.userRecordName(bob.authorRecordName)] : []
            try await invite(others + bob, to: record, "Z", cloud)
        }
        let whole = try await cloud.share(nil, in: "W")
        try await invite([.emailAddress("Carol@Example.org"), nil, nil], to: whole, "W", cloud)
        let participants = try await cloud.lookup([whole.recordName], zone: "W").first?.saved?.shareDetails?.value
        let link = try #require(participants?.participants.compactMap(\.oneTimeShortGUID).first)
        let results = try await cloud.service.acceptShareLinks([ShareLinkRequest(shortGUID: link)], as: bob)
        #expect(results.first?.error == nil)
        try await cloud.service.runDirectoryErrands(in: cloud.database)
        try await cloud.service.tellNews(
            of: SharedNewsDesk.Owner(context: cloud.context, userRecordName: cloud.user().authorRecordName))
        return Caller(context: cloud.context, principal: .user(name))
    }

    private func invite(
        _ people: [UserLookup?], to share: Record, _ zone: String, _ cloud: TestCloud
    ) async throws {
        let result = try await cloud.update(share.recordName, in: zone) { input in
            input.participants = people.map { ShareParticipantInput(lookup: $0) }
        }
        #expect(result.saved != nil, "\(result)")
    }

    /// No note of an invitation that is open; notes and links of what is gone, or never was.
    private func makeFormer(_ cloud: TestCloud) async throws {
        let owner = cloud.user().authorRecordName
        let (context, bob) = (cloud.context, UserLookup.userRecordName(cloud.user("b").authorRecordName))
        let dead = [
            (owner, "Z", "Share-stopped"), (owner, "Gone", "Share-x"), (owner, "None", "Share-x"),
            ("_none", "Z", "Share-root"),
        ]
        try await cloud.store.write(.directory) { transaction in
            transaction.clear(DirectoryKey.shareInvitations)
            for (index, (owner, zone, share)) in dead.enumerated() {
                transaction.set(
                    DirectoryKey.shareGUID("unused\(index)"), ShareGUID(context: context, owner: owner, zoneName: zone))
                let note = InvitationNote(
                    context: context, owner: owner, zoneName: zone, shareName: share, participantID: "gone")
                transaction.set(note.key(of: bob), note)
            }
            // Bob came long ago.
            let note = InvitationNote(
                context: context, owner: owner, zoneName: "Z", shareName: "Share-mine", participantID: "came")
            transaction.set(note.key(of: bob), note)
            var form = ByteWriter()
            form.write(unsigned: 2)
            transaction.set(DirectoryKey.storedForm, form.bytes)
        }
    }

    private func invited(_ cloud: TestCloud, _ person: Caller) async throws -> [String] {
        try await cloud.service.shareInvitations(as: person).compactMap { result in
            guard case .link(let link) = result else { return nil }
            return link.value.share.recordName
        }
    }
}
