import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Followers of a public database end with exactly what their callers may look up, whatever happens meanwhile.
@Suite struct PublicFeedPropertyTests {
    private static let schema = """
        DEFINE SCHEMA CREATE ROLE editor;
        RECORD TYPE Open (a INT64, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud");
        RECORD TYPE People (a INT64, GRANT READ TO "_icloud", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud");
        RECORD TYPE Own (a INT64, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
        RECORD TYPE Draft (a INT64, GRANT READ TO editor, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
        """
    private static let types = ["Open", "People", "Own", "Draft"]
    private static let names = (0..<10).map { "r\($0)" }
    private static let people: [Character] = ["a", "b", "c"]
    private static let steps = 600

    @Test("Random histories with roles, purges, restarts and restored backups", arguments: 0..<3)
    func randomHistories(run: Int) async throws {
        let seed = Seed.draw()
        print("public feeds: run \(run), seed \(seed)")
        try await play(seed, on: try await TestCloud(.memory), canRestore: true)
    }

    @Test("The same on every engine", arguments: Engine.allCases)
    func engines(engine: Engine) async throws {
        let seed = Seed.draw()
        print("public feeds: \(engine), seed \(seed)")
        try await play(seed, on: try await TestCloud(engine), canRestore: false)
    }

    private func play(_ seed: UInt64, on start: TestCloud, canRestore: Bool) async throws {
        var random = RandomValues(seed: seed)
        var cloud = start
        try await cloud.service.applySchema(Self.schema, to: cloud.context)
        var backup = try await cloud.withCopyOfPublicDatabase()
        let callers = Self.people.map { cloud.user($0) } + [cloud.anonymous]
        var followers = callers.flatMap { caller in
            [1, 3, nil].map { PublicFollower(caller: caller, limit: $0) } + [
                PublicFollower(caller: caller, limit: 2, types: ["Own", "Draft"])
            ]
        }
        for step in 0..<Self.steps {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<3: cloud = cloud.restarted()
            case 3..<5:
                cloud.clock.withLock { $0 += ServiceLimits.tombstoneRetention / 2 }
                _ = try await cloud.service.purgeTombstones(in: cloud.publicDatabase)
            case 5..<8: try await changeRole(cloud, using: &random)
            case 8..<10 where canRestore: backup = try await cloud.withCopyOfPublicDatabase()
            case 10..<12 where canRestore: cloud = try await backup.withCopyOfPublicDatabase()
            case 12..<50: try await changeRecords(cloud, using: &random)
            default:
                let index = Int.random(in: 0..<followers.count, using: &random)
                _ = try await followers[index].step(cloud)
            }
            guard step % 60 == 59 else { continue }
            for index in followers.indices {
                try await followers[index].catchUp(cloud)
                try await expectCopy(followers[index], cloud, "seed \(seed), step \(step)")
            }
        }
    }

    private func changeRole(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        let digit = try #require(Self.people.randomElement(using: &random))
        let name = try #require(cloud.user(digit).userRecordName)
        try await cloud.service.setMembership(
            of: name, inRole: "editor", Bool.random(using: &random), in: cloud.context)
    }

    private func changeRecords(_ cloud: TestCloud, using random: inout RandomValues) async throws {
        let digit = try #require(Self.people.randomElement(using: &random))
        let count = Int.random(in: 1...4, using: &random)
        let operations = Self.names.shuffled(using: &random).prefix(count).map { name -> RecordOperation in
            let kinds = [RecordOperation.Kind.create, .forceUpdate, .forceDelete]
            let kind = kinds.randomElement(using: &random) ?? .create
            let type = Self.types.randomElement(using: &random)
            guard kind != .forceDelete else { return .make(kind, name, type: nil) }
            return .make(kind, name, type: type, ["a": .integer(Int64.random(in: 0..<9, using: &random))])
        }
        // Refusals are part of the history: of others' records, of names in use and of other types.
        _ = try await cloud.modify(operations, in: .public, as: cloud.user(digit))
    }

    /// Holds a copy against what lookups show its caller.
    private func expectCopy(_ follower: PublicFollower, _ cloud: TestCloud, _ hint: Comment) async throws {
        let found = try await cloud.lookup(Self.names, in: .public, as: follower.caller).compactMap(\.saved)
        let expected = found.filter { follower.types?.contains($0.recordType) ?? true }
        let tags = Dictionary(uniqueKeysWithValues: expected.map { ($0.recordName, $0.recordChangeTag) })
        #expect(follower.records.mapValues(\.recordChangeTag) == tags, hint)
        #expect(
            follower.records.mapValues(\.recordType)
                == Dictionary(uniqueKeysWithValues: expected.map { ($0.recordName, $0.recordType) }), hint)
    }
}

/// A client that keeps a copy of what its caller may read of a public database, a page at a time.
private struct PublicFollower {
    let caller: Caller
    /// The most that a page may have; nil asks for no number in particular.
    let limit: Int?
    /// Only records of these types; nil wants all.
    var types: [String]?
    private(set) var records: [String: Record] = [:]
    private var token: String?
    /// Names listed since it began anew; nil when it did not. The rest is removed when the walk ends.
    private var namesAnew: Set<String>? = []

    init(caller: Caller, limit: Int?, types: [String]? = nil) {
        self.caller = caller
        self.limit = limit
        self.types = types
    }

    /// Fetches one page, or begins anew where the token has expired.
    /// - Returns: Whether there is more.
    mutating func step(_ cloud: TestCloud) async throws -> Bool {
        let page: ZoneChangesPage
        do {
            page = try await cloud.publicPage(since: token, limit: limit, types: types, as: caller)
        } catch let error as CloudError where error.extensionCode == .changeTokenExpired && token != nil {
            (token, namesAnew) = (nil, [])
            return true
        }
        for change in page.changes {
            switch change {
            case .saved(let record):
                records[record.recordName] = record
                namesAnew?.insert(record.recordName)
            case .deleted(let name, _, _):
                records[name] = nil
            }
        }
        token = page.syncToken
        if !page.moreComing, let names = namesAnew {
            records = records.filter { names.contains($0.key) }
            namesAnew = nil
        }
        return page.moreComing
    }

    mutating func catchUp(_ cloud: TestCloud) async throws {
        for _ in 0..<1_000 where try await !step(cloud) { return }
        throw Unexpected(description: "1,000 pages, and no end")
    }
}
