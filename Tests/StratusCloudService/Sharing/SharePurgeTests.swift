import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import Testing

@testable import StratusCloudService

/// What of sharing nobody needs any more is forgotten when its time is over, and tokens that would need it expire.
@Suite("Purge of what was shared")
struct SharePurgeTests {
    private static let year = ServiceLimits.tombstoneRetention
    private static let tags: [Keyspace.Tag] = [
        .share, .participant, .access, .member, .shareFeed, .shareGone, .shareDeparture, .shareLink, .sharedNews,
        .directoryChange,
    ]

    /// Entries of sharing in the owner's partition.
    private func left(_ cloud: TestCloud) async throws -> [Keyspace.Tag: Int] {
        try await cloud.store.read(cloud.database) { transaction in
            var counts: [Keyspace.Tag: Int] = [:]
            for tag in Self.tags {
                let entries = try transaction.entries(in: KeyRange(prefix: Key([tag.rawValue])), limit: .max)
                if !entries.isEmpty { counts[tag] = entries.count }
            }
            return counts
        }
    }

    private func expectExpired(_ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("the token is still good")
        } catch {
            #expect((error as? CloudError)?.extensionCode == .changeTokenExpired, "\(error)")
        }
    }

    @Test("Of a stopped share nothing is left after a year", arguments: Engine.allCases)
    func stopped(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        let other = try await cloud.share("other", in: "Z", with: [bob])
        let share = try await cloud.share("root", in: "Z", with: [bob])
        let children = ServiceLimits.purgedTombstonesPerStep + 50
        for start in stride(from: 0, to: children, by: 200) {
            _ = try await cloud.modify(
                (start..<min(start + 200, children)).map { cloud.child("c\($0)", of: "root") }, zone: "Z")
        }
        _ = try await cloud.modify([cloud.child("c0", of: nil)], zone: "Z")
        var stale = try await cloud.shared("Z", as: bob)
        var turns = PageTurns()
        while stale.moreComing {
            try turns.turn(to: stale.syncToken)
            stale = try await cloud.shared("Z", since: stale.syncToken, as: bob)
        }
        _ = try await cloud.modify([.make(.forceDelete, share.recordName, type: nil)], zone: "Z")
        cloud.clock.withLock { $0 += Self.year - 1 }
        // What left the share before it was stopped goes with it.
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
        let told = try await cloud.shared("Z", since: stale.syncToken, as: bob)
        #expect(told.changes.contains { if case .deleted(let name, _, _) = $0 { name == "c1" } else { false } })
        cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) > children)
        await expectExpired { _ = try await cloud.shared("Z", since: stale.syncToken, as: bob) }
        #expect(try await cloud.shared("Z", as: bob).changes.count == 2)
        // The other share and its root, share record, participant, link and grant.
        let rest = try await left(cloud)
        #expect(rest[.share] == 1 && rest[.participant] == 1 && rest[.access] == 1 && rest[.shareLink] == 1, "\(rest)")
        #expect(rest[.member] == 2 && rest[.shareFeed] == 2 && rest[.shareGone] == nil, "\(rest)")
        #expect(try await cloud.lookup(["c1"], zone: "Z").first?.saved != nil)
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 0)
        #expect(other.recordName == "Share-other")
    }

    /// Links that the directory knows.
    private func links(_ cloud: TestCloud) async throws -> Int {
        // All that is to be told was told, and what goes with it is done.
        try await cloud.service.tellNews(
            of: SharedNewsDesk.Owner(context: cloud.context, userRecordName: cloud.user().authorRecordName))
        return try await cloud.store.read(.directory) { try $0.entries(in: DirectoryKey.shareGUIDs, limit: .max).count }
    }

    /// Shares a root with two people, each by a link of their own that they used.
    private func shareByLinks(_ cloud: TestCloud, _ root: String?) async throws -> (share: Record, once: [String]) {
        let share = try await cloud.share(root, in: "Z")
        let saved = try await cloud.update(share.recordName, in: "Z") {
            $0.participants = [ShareParticipantInput(permission: .readOnly), ShareParticipantInput()]
        }.saved
        let once = saved?.shareDetails?.value.participants.compactMap(\.oneTimeShortGUID) ?? []
        try #require(once.count == 2)
        for (guid, digit) in zip(once, ["b", "c"] as [Character]) {
            #expect(try await use(guid, cloud.user(digit), cloud) == nil)
        }
        return (share, once)
    }

    private func use(_ guid: String, _ person: Caller, _ cloud: TestCloud) async throws -> CloudError? {
        try await cloud.service.acceptShareLinks([ShareLinkRequest(shortGUID: guid)], as: person).first?.error
    }

    @Test("A one-time link that was used leads back who used it, and goes with them", arguments: Engine.allCases)
    func oneTimeLinks(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        let before = try await links(cloud)
        let (share, once) = try await shareByLinks(cloud, "root")
        #expect(try await left(cloud)[.shareLink] == 3)
        // The share's link, and the two.
        #expect(try await links(cloud) == before + 3)
        // Who used it finds back, and nobody else comes in; the owner gives it to nobody any more.
        #expect(try await use(once[0], cloud.user("b"), cloud) == nil)
        #expect(try await use(once[0], cloud.user("d"), cloud)?.code == .accessDenied)
        let found = try #require(
            try await cloud.lookup([share.recordName], zone: "Z").first?.saved?.shareDetails?.value)
        #expect(found.participants.allSatisfy { $0.oneTimeShortGUID == nil })
        // One leaves, the other is taken out.
        let gone = try await cloud.service.modifyRecords(
            ModifyRecordsRequest(
                operations: [.make(.forceDelete, share.recordName, type: nil)], zoneID: cloud.place("Z")),
            in: .shared, as: cloud.user("b"))
        #expect(gone.first?.isDeleted == true)
        #expect(try await left(cloud)[.shareLink] == 2)
        #expect(try await links(cloud) == before + 2)
        _ = try await cloud.update(share.recordName, in: "Z") { $0.participants = [] }
        #expect(try await links(cloud) == before + 1)
        let rest = try await left(cloud)
        #expect(rest[.shareLink] == 1 && rest[.directoryChange] == nil && rest[.participant] == nil, "\(rest)")
        for guid in once { #expect(try await use(guid, cloud.user("b"), cloud)?.code == .notFound) }
        // Saves make no links that nobody gets.
        for _ in 0..<3 { _ = try await cloud.update(share.recordName, in: "Z") { $0.denyAccessRequests = false } }
        #expect(try await links(cloud) == before + 1)
    }

    @Test("With a share all its links go; a root that stays has the same when it is shared again")
    func linksOfStoppedShares() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let (share, _) = try await shareByLinks(cloud, "root")
        _ = try await cloud.modify([.make(.forceDelete, share.recordName, type: nil)], zone: "Z")
        #expect(try await left(cloud)[.shareLink] == nil)
        #expect(try await links(cloud) == 0)
        let (again, _) = try await shareByLinks(cloud, "root")
        #expect(again.shortGUID == share.shortGUID)
        #expect(try await cloud.accept(again, as: cloud.user("b")).error == nil)
        // With the root its link goes, too.
        _ = try await cloud.modify([.make(.forceDelete, "root", type: nil)], zone: "Z")
        #expect(try await left(cloud)[.shareLink] == nil)
        #expect(try await links(cloud) == 0)
        _ = try await shareByLinks(cloud, nil)
        #expect(try await links(cloud) == 3)
        _ = try await cloud.modify([.make(.forceDelete, SystemRecordType.zoneShareName, type: nil)], zone: "Z")
        #expect(try await links(cloud) == 0)
        #expect(try await left(cloud)[.directoryChange] == nil)
    }

    @Test("What left a share is told for a year; older tokens expire, and later ones miss nothing")
    func left() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z", with: [bob])
        _ = try await cloud.modify((0..<3).map { cloud.child("c\($0)", of: "root") }, zone: "Z")
        let before = try await cloud.shared("Z", as: bob)
        _ = try await cloud.modify([cloud.child("c0", of: nil)], zone: "Z")
        let after = try await cloud.shared("Z", since: before.syncToken, as: bob)
        #expect(after.changes.count == 1)
        cloud.clock.withLock { $0 += Self.year }
        _ = try await cloud.modify([cloud.child("c1", of: nil)], zone: "Z")
        #expect(try await cloud.service.purgeTombstones(in: cloud.database) == 1)
        await expectExpired { _ = try await cloud.shared("Z", since: before.syncToken, as: bob) }
        let last = try await cloud.shared("Z", since: after.syncToken, as: bob)
        #expect(last.changes.count == 1)
        #expect(try await left(cloud)[.shareGone] == 1)
    }

    @Test("A shared database forgets zones that it saw go, and lets them in again")
    func sharedDatabase() async throws {
        let cloud = try await TestCloud()
        let bob = cloud.user("b")
        let partition = Partition.sharedDatabase(of: bob.authorRecordName, in: cloud.context)
        func zones() async throws -> Int {
            try await cloud.store.read(partition) { try $0.entries(in: Keyspace.zones, limit: .max).count }
        }
        try await cloud.makeZone("Z")
        let share = try await cloud.share(nil, in: "Z", open: .readOnly)
        try await cloud.accept(share, as: bob)
        let before = try await cloud.databaseChanges(in: .shared, as: bob)
        #expect(before.zones.count == 1)
        _ = try await cloud.modify([.make(.forceDelete, share.recordName, type: nil)], zone: "Z")
        let after = try await cloud.databaseChanges(since: before.syncToken, in: .shared, as: bob)
        #expect(after.zones.count == 1)
        cloud.clock.withLock { $0 += Self.year - 1 }
        #expect(try await cloud.service.purgeSharedTombstones(in: partition) == 0)
        #expect(try await zones() == 1)
        cloud.clock.withLock { $0 += 1 }
        #expect(try await cloud.service.purgeSharedTombstones(in: partition) == 1)
        #expect(try await zones() == 0)
        await expectExpired { _ = try await cloud.databaseChanges(since: before.syncToken, in: .shared, as: bob) }
        #expect(try await cloud.databaseChanges(since: after.syncToken, in: .shared, as: bob).zones.isEmpty)
        let again = try await cloud.share(nil, in: "Z", open: .readOnly)
        try await cloud.accept(again, as: bob)
        #expect(try await cloud.databaseChanges(since: after.syncToken, in: .shared, as: bob).zones.count == 1)
    }
}
