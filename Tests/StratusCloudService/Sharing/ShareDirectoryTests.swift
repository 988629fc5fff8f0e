import StratusCloudModel
import StratusCloudStore
import StratusWaiting
import Testing

@testable import StratusCloudService

/// The directory knows the links and the open invitations of the shares that there are, and of no others.
@Suite("What the directory knows of shares")
struct ShareDirectoryTests {
    /// Entries of sharing in the directory, and in the owner's partition what waits for it.
    private struct Known: Hashable {
        var links = 0
        var invitations = 0
        var waiting = 0
    }

    private func known(_ cloud: TestCloud) async throws -> Known {
        let found = try await cloud.store.read(.directory) { transaction in
            try [DirectoryKey.shareGUIDs, DirectoryKey.shareInvitations].map {
                try transaction.entries(in: $0, limit: .max).count
            }
        }
        let waiting = try await cloud.store.read(cloud.database) {
            try $0.entries(in: Keyspace.directoryChanges, limit: .max).count
        }
        return Known(links: found[0], invitations: found[1], waiting: waiting)
    }

    /// Shares a record, or the zone, with Bob and an address, who do not come, and by two links of their own, one of which is
    /// used.
    /// - Returns: the share, and the short GUIDs of all its links.
    @discardableResult
    private func shareInAllWays(
        _ root: String?, in zone: String, _ cloud: TestCloud
    ) async throws -> (share: Record, links: [String]) {
        let share = try await cloud.share(root, in: zone)
        let saved = try await cloud.update(share.recordName, in: zone) { input in
            input.participants = [
                ShareParticipantInput(lookup: .userRecordName(cloud.user("b").authorRecordName)),
                ShareParticipantInput(lookup: .emailAddress("carol@example.org")), ShareParticipantInput(),
                ShareParticipantInput(),
            ]
        }.saved
        let once = saved?.shareDetails?.value.participants.compactMap(\.oneTimeShortGUID) ?? []
        try #require(once.count == 2)
        #expect(try await use(once[0], cloud.user("c"), cloud) == nil)
        return (share, once + [share.shortGUID ?? ""])
    }

    private func use(_ guid: String, _ person: Caller, _ cloud: TestCloud) async throws -> CloudError? {
        try await cloud.service.acceptShareLinks([ShareLinkRequest(shortGUID: guid)], as: person).first?.error
    }

    private func invited(_ cloud: TestCloud, _ person: Caller) async throws -> [String] {
        try await cloud.service.shareInvitations(as: person).compactMap { result in
            guard case .link(let link) = result else { return nil }
            return link.value.share.recordName
        }
    }

    /// Links lead where links lead that nobody gave out.
    private func expectUnknown(
        _ links: [String], _ cloud: TestCloud, at location: SourceLocation = #_sourceLocation
    ) async throws {
        for person in ["a", "b", "c", "d"] as [Character] {
            let requests = (links + ["0123456789abcdefghijkl"]).map { ShareLinkRequest(shortGUID: $0) }
            let resolved = try await cloud.service.resolveShareLinks(requests, as: cloud.user(person))
            let accepted = try await cloud.service.acceptShareLinks(requests, as: cloud.user(person))
            let answers = Set((resolved + accepted).map(\.error))
            #expect(answers == [ShareVisitor.notFound], "\(answers)", sourceLocation: location)
        }
    }

    // MARK: - Deletions

    @Test(
        "With a zone goes all that the directory knows of its shares, when the answer comes", arguments: Engine.allCases
    )
    func deletedZone(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        for zone in ["Z", "Other", "Whole"] { try await cloud.makeZone(zone) }
        let other = try await shareInAllWays("root", in: "Other", cloud)
        let rest = Known(links: 3, invitations: 2)
        #expect(try await known(cloud) == rest)
        var links = try await shareInAllWays("first", in: "Z", cloud).links
        links += try await shareInAllWays("second", in: "Z", cloud).links
        links += try await shareInAllWays(nil, in: "Whole", cloud).links
        #expect(try await known(cloud) == Known(links: 12, invitations: 8))
        try await cloud.deleteZone("Z")
        try await cloud.deleteZone("Whole")
        #expect(try await known(cloud) == rest)
        try await expectUnknown(links, cloud)
        // What is elsewhere is as it was.
        #expect(try await use(other.share.shortGUID ?? "", cloud.user("c"), cloud) == nil)
        #expect(try await invited(cloud, cloud.user("b")) == ["Share-root"])
        #expect(try await known(cloud) == rest)
    }

    @Test("More of it than one transaction takes goes in several")
    func largeZone() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let (share, links) = try await shareInAllWays("root", in: "Z", cloud)
        let count = ServiceLimits.clearedEntriesPerStep + 10
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction))
            let whole = try #require(try WholeShare.named(share.recordName, zone: zone, in: transaction))
            let ledger = ShareLedger(
                try #require(ShareLedger.Place(cloud.database, zoneName: "Z")), zone: zone.number, now: 0,
                in: transaction)
            for number in 0..<count {
                var participant = StoredParticipant(
                    number: 100 + UInt64(number), participantID: "p\(number)",
                    lookup: .emailAddress("p\(number)@example.org"), role: .user, permission: .readOnly, added: 0)
                participant.oneTimeGUID = "once\(number)"
                ledger.store(participant, of: whole.share, replacing: nil)
            }
        }
        try await cloud.service.runDirectoryErrands(in: cloud.database)
        #expect(try await known(cloud) == Known(links: 3 + count, invitations: 2 + count))
        try await cloud.deleteZone("Z")
        #expect(try await known(cloud) == Known())
        try await expectUnknown(links + ["once0"], cloud)
    }

    @Test(
        "What a crash leaves of a deleted zone is given up later, and nothing of a zone that was made of that name since"
    )
    func afterACrash() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let links = try await shareInAllWays("root", in: "Z", cloud).links
        let origin = cloud.service.changeOrigin
        let isGone = try await cloud.store.write(cloud.database) {
            try CloudService.deleteZone(named: "Z", .deleted, by: origin, in: $0)
        }
        #expect(isGone)
        try await expectUnknown(links, cloud)
        let restarted = cloud.restarted()
        try await restarted.makeZone("Z")
        let again = try await restarted.share("root", in: "Z")
        _ = try await restarted.update(again.recordName, in: "Z") { input in
            input.participants = [
                ShareParticipantInput(lookup: .userRecordName(cloud.user("b").authorRecordName))
            ]
        }
        #expect(try await known(restarted) == Known(links: 4, invitations: 2))
        _ = try await restarted.service.purgeTombstones(in: cloud.database)
        #expect(try await known(restarted) == Known(links: 1, invitations: 1))
        #expect(try await invited(restarted, cloud.user("b")) == ["Share-root"])
        #expect(try await use(again.shortGUID ?? "", cloud.user("b"), restarted) == nil)
        try await expectUnknown(links, restarted)
    }

    @Test("What commits want of the directory is done at the next start, with news or without")
    func resumed() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let (_, links) = try await shareInAllWays("root", in: "Z", cloud)
        // As a crash leaves it: the commit is there, and nothing that comes of it.
        let store = MemoryStore()
        for (partition, rows) in try await cloud.store.rows() {
            try await store.write(partition) { transaction in
                for (key, value) in rows { transaction.set(key, value) }
            }
        }
        let key = DirectoryKey.shareGUID(links[0])
        let link = try #require(try await store.read(.directory) { try $0.get(key) })
        try await store.write(.directory) { $0.clear(key) }
        try await store.write(cloud.database) { transaction in
            transaction.clear(Keyspace.sharedNews)
            transaction.set(Keyspace.directoryChange(of: key), link)
        }
        let restarted = TestCloud(cloud, store: store)
        #expect(try await known(restarted) == Known(links: 2, invitations: 2, waiting: 1))
        try await restarted.service.resumeDeferredWork()
        try await wait(for: "what was left to be done in the directory") {
            try await known(restarted) == Known(links: 3, invitations: 2)
        }
    }

    /// Somebody with an account and a zone.
    private func adaWithZone(_ cloud: TestCloud) async throws -> Caller {
        try await cloud.service.createAccount(email: "ada@example.org", password: "a long password")
        let name = try await cloud.service.userRecordName(email: "ada@example.org", in: cloud.context)
        let ada = Caller(context: cloud.context, principal: .user(name))
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.create, ZoneID(zoneName: "Z"))], in: .private, as: ada)
        return ada
    }

    @Test("With a person goes all that the directory knows of their shares")
    func erasedPerson() async throws {
        let cloud = try await TestCloud()
        let ada = try await adaWithZone(cloud)
        var input = ShareInput()
        input.participants = [ShareParticipantInput(lookup: .emailAddress("c@example.org")), ShareParticipantInput()]
        let share = try await cloud.modify(
            [
                RecordOperation(
                    .create,
                    RecordInput(
                        recordName: SystemRecordType.zoneShareName, recordType: SystemRecordType.share,
                        share: Boxed(input)))
            ], zone: "Z", as: ada
        ).first?.saved
        #expect(try await known(cloud) == Known(links: 2, invitations: 1))
        _ = try await cloud.service.eraseAccount(email: "ada@example.org", deletingPublicRecords: false)
        #expect(try await known(cloud) == Known())
        try await expectUnknown([share?.shortGUID ?? ""], cloud)
    }

    @Test("With an environment's data goes all that the directory knows of its shares")
    func resetEnvironment() async throws {
        let cloud = try await TestCloud()
        let ada = try await adaWithZone(cloud)
        var input = ShareInput()
        input.forRecord = ShareInput.Root(recordName: "root")
        input.participants = [ShareParticipantInput(lookup: .emailAddress("c@example.org")), ShareParticipantInput()]
        let results = try await cloud.modify(
            [
                .make(.create, "root"),
                RecordOperation(
                    .create,
                    RecordInput(recordName: "Share", recordType: SystemRecordType.share, share: Boxed(input))),
            ], zone: "Z", as: ada)
        #expect(try await known(cloud) == Known(links: 2, invitations: 1))
        try await cloud.service.resetDevelopment(of: cloud.context.container)
        #expect(try await known(cloud) == Known())
        let waiting = try await cloud.store.read(.privateDatabase(of: ada.authorRecordName, in: cloud.context)) {
            try $0.entries(in: Keyspace.directoryChanges, limit: 1).count
        }
        #expect(waiting == 0)
        try await expectUnknown([results.last?.saved?.shortGUID ?? ""], cloud)
    }

    // MARK: - Saves

    private func saving(
        _ name: String, of root: String?, tag: String? = nil, _ change: (inout ShareInput) -> Void = { _ in }
    ) -> RecordOperation {
        var input = ShareInput()
        input.forRecord = root.map { ShareInput.Root(recordName: $0) }
        change(&input)
        return RecordOperation(
            .create, RecordInput(recordName: name, recordType: SystemRecordType.share, share: Boxed(input)))
    }

    @Test("Saves that are refused leave nothing in the directory, alone, with others and with one-time links")
    func refusedSaves() async throws {
        let cloud = try await TestCloud()
        for zone in ["Z", "Whole"] { try await cloud.makeZone(zone) }
        _ = try await cloud.modify([.make(.create, "there")], zone: "Z")
        try await cloud.share(nil, in: "Whole")
        let before = try await known(cloud)
        #expect(before == Known(links: 1))
        let people = [ShareParticipantInput(), ShareParticipantInput(lookup: .emailAddress("c@example.org"))]
        let root = RecordOperation.make(.create, "root")
        let refused: [(zone: String, isAtomic: Bool, operations: [RecordOperation])] = [
            ("Z", true, [saving("S", of: "root") { $0.participants = people }]),
            ("Z", false, [saving("S", of: "root") { $0.participants = people }, .make(.forceUpdate, "fine")]),
            // Fine by itself, but not what goes with it.
            ("Z", true, [root, saving("S", of: "root") { $0.participants = people }, .make(.create, "there")]),
            ("Z", false, [.make(.create, "there"), saving("S", of: "there") { $0.participants = people }]),
            // People are not invited to what is open to everybody.
            (
                "Z", true,
                [
                    root,
                    saving("S", of: "root") { input in
                        (input.publicPermission, input.participants) = (.readOnly, people)
                    },
                ]
            ),
            ("Whole", true, [saving(SystemRecordType.zoneShareName, of: nil) { $0.participants = people }]),
            ("None", true, [root, saving("S", of: "root") { $0.participants = people }]),
        ]
        for (zone, isAtomic, operations) in refused {
            let results = try await cloud.modify(operations, zone: zone, atomic: isAtomic)
            let share = try #require(operations.firstIndex { $0.record.share != nil })
            #expect(results[share].error != nil, "\(results)")
            #expect(try await known(cloud) == before, "\(zone): \(results)")
        }
        await #expect(throws: CloudError.self) {
            _ = try await cloud.modify([root, saving("S", of: "root")], zone: nil, atomic: true)
        }
        _ = try await cloud.modify([root, saving("S", of: "root")])
        #expect(try await known(cloud) == before)
        // What is not refused is noted when the answer comes.
        _ = try await cloud.modify([root, saving("S", of: "root") { $0.participants = people }], zone: "Z")
        #expect(try await known(cloud) == Known(links: 3, invitations: 1))
        // A second save makes no second link.
        _ = try await cloud.update("S", in: "Z") { $0.denyAccessRequests = false }
        #expect(try await known(cloud) == Known(links: 3, invitations: 1))
    }

    @Test("A record that only has a short GUID has no link; shared, it has that")
    func shortGUIDAlone() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        var operation = RecordOperation.make(.create, "root")
        operation.record.createShortGUID = true
        let made = try #require(try await cloud.modify([operation], zone: "Z").first?.saved)
        let guid = try #require(made.shortGUID)
        #expect(try await known(cloud) == Known())
        try await expectUnknown([guid], cloud)
        let share = try await cloud.share("root", in: "Z", open: .readOnly)
        #expect(share.shortGUID == guid)
        #expect(try await known(cloud) == Known(links: 1))
        #expect(try await use(guid, cloud.user("b"), cloud) == nil)
    }

    @Test("A share that ends is forgotten when the answer comes, also one into which nobody came")
    func stopped() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        for end in ["Share-root", "root"] {
            let share = try await cloud.share("root", in: "Z")
            _ = try await cloud.update(share.recordName, in: "Z") { input in
                input.participants = [ShareParticipantInput(lookup: .emailAddress("c@example.org"))]
            }
            #expect(try await known(cloud) == Known(links: 1, invitations: 1))
            _ = try await cloud.modify([.make(.forceDelete, end, type: nil)], zone: "Z")
            #expect(try await known(cloud) == Known())
            try await expectUnknown([share.shortGUID ?? ""], cloud)
        }
    }
}
