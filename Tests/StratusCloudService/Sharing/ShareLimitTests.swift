import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Every limit of sharing, on both sides of its edge. Where reaching it would take long, the store is brought there.
@Suite("Limits of sharing")
struct ShareLimitTests {
    private func number(_ value: Int) -> String { "_" + String(repeating: "0", count: 26) + String(100_000 + value) }

    private func person(_ value: Int, _ cloud: TestCloud) -> Caller {
        Caller(context: cloud.context, principal: .user(number(value)))
    }

    /// Changes what is stored of the zone's only share.
    private func edit(_ cloud: TestCloud, _ change: @escaping @Sendable (inout StoredShare) -> Void) async throws {
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            let key = Keyspace.share(zone: zone, ShareNumber(rawValue: 1))
            var share = try #require(try transaction.value(StoredShare.self, at: key))
            change(&share)
            transaction.set(key, share)
        }
    }

    @Test("100,000 records follow a record into a share, and not one more")
    func recordsPerMove() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z")
        _ = try await cloud.modify([.make(.create, "top")], zone: "Z")
        func hang(_ names: Range<Int>) async throws {
            try await cloud.store.write(cloud.database) { transaction in
                let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
                for index in names {
                    let key = Keyspace.referrer(zone: zone, target: "top", .parent, source: "c\(index)")
                    var version = ByteWriter(capacity: 1)
                    version.write(unsigned: 1)
                    transaction.set(key, version.bytes)
                }
            }
        }
        try await hang(0..<ShareLimits.recordsPerMove + 1)
        let refused = try await cloud.modify([cloud.child("top", of: "root")], zone: "Z")[0].error
        #expect(refused?.code == .badRequest)
        #expect(refused?.reason.contains("more than 100000 records") == true, "\(String(describing: refused))")
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            transaction.clear(Keyspace.referrer(zone: zone, target: "top", .parent, source: "c0"))
        }
        #expect(try await cloud.modify([cloud.child("top", of: "root")], zone: "Z")[0].saved != nil)
    }

    @Test("5,000 hierarchies of a zone are shared")
    func sharesPerZone() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        try await cloud.store.write(cloud.database) { transaction in
            var header = try #require(try ZoneHeader.find("Z", in: transaction))
            header.sharing.hierarchies = UInt64(ShareLimits.sharesPerZone) - 1
            transaction.set(Keyspace.zone("Z"), header)
        }
        try await cloud.share("last", in: "Z")
        var input = ShareInput()
        input.forRecord = ShareInput.Root(recordName: "more")
        let results = try await cloud.modify(
            [
                .make(.create, "more"),
                RecordOperation(
                    .create, RecordInput(recordName: "S", recordType: SystemRecordType.share, share: Boxed(input))),
            ], zone: "Z")
        #expect(results[1].error?.code == .badRequest)
        #expect(results[1].error?.reason.contains("5000 shares") == true, "\(results)")
    }

    @Test("Others share 5,000 zones with somebody")
    func zonesPerSharedDatabase() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.makeZone("More")
        let shares = [
            try await cloud.share(nil, in: "Z", open: .readOnly),
            try await cloud.share(nil, in: "More", open: .readOnly),
        ]
        try await cloud.store.write(.sharedDatabase(of: bob.authorRecordName, in: cloud.context)) { transaction in
            for index in 0..<ShareLimits.zonesPerSharedDatabase - 1 {
                let zone = SharedZone(zoneID: ZoneID(zoneName: "Old\(index)", ownerRecordName: number(1)))
                transaction.set(Keyspace.zone(SharedZone.name(zone.zoneID)), zone)
            }
        }
        #expect(try await cloud.accept(shares[0], as: bob).error == nil)
        let refused = try await cloud.accept(shares[1], as: bob).error
        #expect(
            refused?.code == .badRequest && refused?.reason.contains("5000 zones") == true,
            "\(String(describing: refused))")
        #expect(try await cloud.accept(shares[0], as: bob).error == nil)
    }

    @Test("The latest 100 requests for access wait")
    func requesters() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        _ = try await cloud.update(share.recordName, in: "Z") { $0.denyAccessRequests = false }
        for index in 0...ShareLimits.requesters {
            try await cloud.service.requestShareAccess([share.shortGUID ?? ""], as: person(index, cloud))
        }
        let names = try await cloud.lookup([share.recordName], zone: "Z")[0].saved?.shareDetails?.value.requesters
            .compactMap(\.userRecordName)
        #expect(names == (1...ShareLimits.requesters).map { number($0) })
    }

    @Test("1,000 people are blocked from a share")
    func blocked() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        let people = (0...ShareLimits.blocked).map { StoredPerson(userRecordName: number($0), names: PersonNames()) }
        try await edit(cloud) { $0.blocked = people }
        let refused = try await cloud.update(share.recordName, in: "Z") { $0.blocked = people.map(\.userRecordName) }
        #expect(refused.error?.code == .badRequest)
        #expect(refused.error?.reason.contains("1000 people") == true, "\(refused)")
        let names = people.dropFirst().map(\.userRecordName)
        let saved = try await cloud.update(share.recordName, in: "Z") { $0.blocked = names }.saved
        #expect(saved?.shareDetails?.value.blocked.count == ShareLimits.blocked)
    }

    @Test("200 links in a request, of 64 bytes each at most")
    func links() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z", open: .readOnly)
        let link = ShareLinkRequest(shortGUID: share.shortGUID ?? "")
        let most = Array(repeating: link, count: ShareLimits.linksPerRequest)
        #expect(try await cloud.service.resolveShareLinks(most, as: cloud.user("b")).allSatisfy { $0.error == nil })
        await #expect(throws: CloudError.self) {
            try await cloud.service.resolveShareLinks(most + [link], as: cloud.user("b"))
        }
        await #expect(throws: CloudError.self) {
            try await cloud.service.acceptShareLinks(most + [link], as: cloud.user("b"))
        }
        let guid = String(repeating: "x", count: ShareLimits.shortGUIDLength)
        try await cloud.store.write(.directory) { transaction in
            let target = ShareGUID(context: cloud.context, owner: cloud.user().authorRecordName, zoneName: "Z")
            for guid in [guid, guid + "x"] { transaction.set(DirectoryKey.shareGUID(guid), target) }
        }
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            for guid in [guid, guid + "x"] {
                transaction.set(
                    Keyspace.shareLink(zone: zone, guid), StoredShareLink(share: ShareNumber(rawValue: 1)))
            }
        }
        let found = try await cloud.service.resolveShareLinks(
            [guid, guid + "x"].map { ShareLinkRequest(shortGUID: $0) }, as: cloud.user("b"))
        #expect(found.map { $0.error?.code } == [nil, .notFound])
    }

    @Test("100 people with the owner are invited, and 10,000 come by a public link")
    func participants() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        func invite(_ count: Int) async throws -> RecordResult {
            try await cloud.update(share.recordName, in: "Z") { input in
                input.participants = (0..<count).map { ShareParticipantInput(lookup: .userRecordName(number($0))) }
            }
        }
        let refused = try await invite(ModelLimits.participantsPerShare)
        #expect(refused.error?.extensionCode == .tooManyParticipants)
        #expect(try await invite(ModelLimits.participantsPerShare - 1).saved != nil)

        _ = try await cloud.update(share.recordName, in: "Z") { $0.publicPermission = .readOnly }
        try await cloud.store.write(cloud.database) { transaction in
            let zone = try #require(try ZoneHeader.find("Z", in: transaction)).number
            for index in 0..<ModelLimits.publicParticipantsPerShare - 1 {
                let number = UInt64(1_000_000 + index)
                transaction.set(
                    Keyspace.participant(zone: zone, ShareNumber(rawValue: 1), number),
                    StoredParticipant(
                        number: number, participantID: "p\(index)", lookup: nil, role: .publicUser,
                        permission: .readOnly, added: 0))
            }
        }
        #expect(try await cloud.accept(share, as: cloud.user("b")).error == nil)
        #expect(try await cloud.accept(share, as: cloud.user("c")).error?.extensionCode == .tooManyParticipants)
    }

    @Test("An invitation is good for 90 days, and a one-time link as long")
    func invitations() async throws {
        let cloud = try await TestCloud()
        let (bob, eve) = (cloud.user("b"), cloud.user("e"))
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z")
        let saved = try await cloud.update(share.recordName, in: "Z") { input in
            input.participants = [
                ShareParticipantInput(lookup: .userRecordName(bob.authorRecordName)),
                ShareParticipantInput(lookup: .userRecordName(eve.authorRecordName)), ShareParticipantInput(),
            ]
        }.saved
        let once = try #require(saved?.shareDetails?.value.participants.compactMap(\.oneTimeShortGUID).first)
        cloud.clock.withLock { $0 += ShareLimits.invitationLifetime - 1 }
        #expect(try await cloud.accept(share, as: bob).error == nil)
        cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.accept(share, as: eve).error?.code == .accessDenied)
        let late = try await cloud.service.acceptShareLinks([ShareLinkRequest(shortGUID: once)], as: cloud.user("f"))
        #expect(late.first?.error?.code == .accessDenied)
        // Who came in stays in.
        #expect(try await cloud.shared("Z", as: bob).changes.count == 2)
        // Whoever is taken out and invited again has as long again.
        _ = try await cloud.update(share.recordName, in: "Z") { $0.participants = [] }
        _ = try await cloud.update(share.recordName, in: "Z") {
            $0.participants = [ShareParticipantInput(lookup: .userRecordName(eve.authorRecordName))]
        }
        #expect(try await cloud.accept(share, as: eve).error == nil)
    }
}
