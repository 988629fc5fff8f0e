import StratusCloudModel
import Testing

@testable import StratusCloudService

/// Whom `changes/records` shows what.
@Suite struct PublicFeedAccessTests {
    private let cloud: TestCloud

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.service.applySchema(
            """
            DEFINE SCHEMA CREATE ROLE editor;
            RECORD TYPE Open (a INT64, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            RECORD TYPE People (a INT64, GRANT READ TO "_icloud", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            RECORD TYPE Own (a INT64, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            RECORD TYPE Draft (a INT64, GRANT READ TO editor, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            """, to: cloud.context)
    }

    private static let types = ["Open", "People", "Own", "Draft"]

    private func change(_ kind: RecordOperation.Kind, of digit: Character) async throws {
        try await cloud.publish(
            Self.types.map { .make(kind, "\($0)-\(digit)", type: $0) }, as: cloud.user(digit))
    }

    private func grant(_ digit: Character, _ isMember: Bool = true) async throws {
        let name = try #require(cloud.user(digit).userRecordName)
        try await cloud.service.setMembership(of: name, inRole: "editor", isMember, in: cloud.context)
    }

    private func names(_ all: String...) -> Set<String> { Set(all) }

    @Test("Everybody sees the records and deletions of what their roles let them read")
    func roles() async throws {
        try await grant("b")
        let operatorCaller = Caller(context: cloud.context, principal: .administrator(actingAs: nil))
        let everything = Set(Self.types.flatMap { ["\($0)-a", "\($0)-b"] })
        let expected: [(Caller, Set<String>)] = [
            (cloud.anonymous, names("Open-a", "Open-b")),
            (cloud.user("a"), names("Open-a", "Open-b", "People-a", "People-b", "Own-a", "Draft-a")),
            (cloud.user("b"), everything.subtracting(["Own-a"])),
            (cloud.user("c"), names("Open-a", "Open-b", "People-a", "People-b")),
            (
                Caller(context: cloud.context, principal: .serverToServer(cloud.user("d").userRecordName ?? "")),
                names("Open-a", "Open-b", "People-a", "People-b")
            ),
            (operatorCaller, everything),
        ]
        try await change(.create, of: "a")
        try await change(.create, of: "b")
        var tokens: [String] = []
        for (caller, visible) in expected {
            let all = try await cloud.publicChanges(limit: 1, as: caller)
            #expect(Set(all.names) == visible, "\(caller.principal)")
            tokens.append(all.token)
        }
        try await change(.forceDelete, of: "a")
        try await change(.forceDelete, of: "b")
        for ((caller, visible), token) in zip(expected, tokens) {
            let all = try await cloud.publicChanges(since: token, limit: 1, as: caller)
            #expect(Set(all.names) == Set(visible.map { "-" + $0 }), "\(caller.principal)")
        }
    }

    @Test("A record that a stranger makes under the name of a deleted one is a deletion to its former creator")
    func recreatedByAnother() async throws {
        try await cloud.publish([.make(.create, "n", type: "Own")], as: cloud.user("a"))
        let token = try await cloud.publicChanges(as: cloud.user("a")).token
        let strangersToken = try await cloud.publicChanges(as: cloud.user("b")).token
        try await cloud.publish([.make(.forceDelete, "n", type: "Own")], as: cloud.user("a"))
        try await cloud.publish([.make(.create, "n", type: "Own")], as: cloud.user("b"))
        #expect(try await cloud.publicChanges(since: token, as: cloud.user("a")).names == ["-n"])
        #expect(try await cloud.publicChanges(since: strangersToken, as: cloud.user("b")).names == ["n"])
    }

    @Test("A token expires when its caller may read something else, not when others do")
    func changedRoles() async throws {
        try await change(.create, of: "a")
        let (outsider, member) = (cloud.user("c"), cloud.user("b"))
        let outsidersToken = try await cloud.publicPage(as: outsider).syncToken
        // In the middle of a walk.
        let membersPage = try await cloud.publicPage(limit: 1, as: member)
        #expect(membersPage.moreComing)
        try await grant("b")
        await expectExpired("what you may read has changed") {
            try await cloud.publicPage(since: membersPage.syncToken, as: member)
        }
        #expect(try await cloud.publicChanges(as: member).names.contains("Draft-a"))
        let token = try await cloud.publicChanges(as: member).token
        #expect(try await cloud.publicPage(since: outsidersToken, as: outsider).names == [])
        try await grant("b", false)
        await expectExpired { try await cloud.publicPage(since: token, as: member) }
        #expect(try await !cloud.publicChanges(as: member).names.contains("Draft-a"))
    }

    @Test("A token is for the person it was given to, as far as that matters")
    func tokensOfOthers() async throws {
        try await change(.create, of: "a")
        let token = try await cloud.publicChanges(as: cloud.user("a")).token
        await expectExpired { try await cloud.publicPage(since: token, as: cloud.user("b")) }
        await expectExpired { try await cloud.publicPage(since: token) }
        // It stays valid after signing in and out if nothing is restricted.
        let open = try await TestCloud()
        try await open.publish([.make(.create, "x")])
        let shared = try await open.publicPage(as: open.user("a")).syncToken
        try await open.publish([.make(.create, "y"), .make(.create, "new", type: "NewType")])
        for caller in [open.anonymous, open.user("a"), open.user("b")] {
            #expect(try await open.publicPage(since: shared, as: caller).names == ["y", "new"])
        }
    }

    @Test("Nobody learns who has an account")
    func people() async throws {
        let ada = cloud.user("a")
        try await cloud.service.makeUserRecords(try #require(ada.userRecordName), in: cloud.context)
        let operatorCaller = Caller(context: cloud.context, principal: .administrator(actingAs: nil))
        for caller in [cloud.anonymous, ada, cloud.user("b"), operatorCaller] {
            #expect(try await cloud.publicChanges(as: caller).names == [])
        }
    }

    @Test("A tombstone does not name the creator")
    func creatorsAreNotNamed() async throws {
        try await change(.create, of: "a")
        try await change(.forceDelete, of: "a")
        let name = try #require(cloud.user("a").userRecordName)
        let tombstones = try await cloud.store.read(cloud.publicDatabase) { transaction in
            try transaction.entries(in: .init(prefix: Keyspace.prefix(.tombstone).key), limit: .max)
        }
        #expect(tombstones.count == Self.types.count)
        for entry in tombstones { #expect(!String(decoding: entry.value, as: UTF8.self).contains(name)) }
    }
}
