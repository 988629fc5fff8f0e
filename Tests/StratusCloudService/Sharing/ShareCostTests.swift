import StratusCloudModel
import StratusCloudStore
import StratusTestSupport
import StratusWaiting
import Testing

@testable import StratusCloudService

/// What sharing costs goes by the people who share, and never by the records that they share.
@Suite("What sharing costs")
struct ShareCostTests {
    /// A zone with a shared hierarchy, or shared as a whole, with people who all subscribe.
    private func cloud(records: Int, people count: Int, whole: Bool) async throws -> (TestCloud, AccessMeter, [Caller])
    {
        let meter = AccessMeter()
        let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
        let people = (0..<count).map { index in
            Caller(
                context: cloud.context,
                principal: .user("_" + String(repeating: "0", count: 28) + String(1_000 + index)))
        }
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([.make(.create, "root")], zone: "Z")
        let share = try await cloud.share(whole ? nil : "root", in: "Z")
        for start in stride(from: 0, to: records, by: 200) {
            _ = try await cloud.modify(
                (start..<min(records, start + 200)).map { cloud.child("c\($0)", of: "root") }, zone: "Z")
        }
        _ = try await cloud.update(share.recordName, in: "Z") { input in
            input.participants = people.map { ShareParticipantInput(lookup: .userRecordName($0.authorRecordName)) }
        }
        for person in people {
            try await cloud.accept(share, as: person)
            try await cloud.subscribe("s", .database(recordType: nil), in: .shared, as: person)
        }
        try await told(cloud)
        return (cloud, meter, people)
    }

    /// Waits until all news are told.
    private func told(_ cloud: TestCloud) async throws {
        try await wait(for: "all news to be told") {
            try await cloud.store.read(cloud.database) { try $0.entries(in: Keyspace.sharedNews, limit: 1) }.isEmpty
        }
    }

    @Test(
        "A record is read at the same cost in every hierarchy, and at little more than by its owner",
        arguments: [false, true])
    func reading(whole: Bool) async throws {
        var costs: Set<String> = []
        for (records, people) in [(10, 1), (10, 20), (1_000, 1), (1_000, 20)] {
            let (cloud, meter, persons) = try await cloud(records: records, people: people, whole: whole)
            let person = try #require(persons.last)
            let owner = try await meter.counting { _ = try await cloud.lookup(["c7"], zone: "Z") }
            let shared = try await meter.counting {
                let results = try await cloud.service.lookupRecords(
                    LookupRecordsRequest(items: [.init(recordName: "c7")], zoneID: cloud.place("Z")), in: .shared,
                    as: person)
                #expect(results.first?.saved != nil)
            }
            // The person's grant, and in a hierarchy to which share the record belongs.
            #expect(shared.keys - owner.keys == (whole ? 0 : 1), "\(owner) \(shared)")
            #expect(shared.entries - owner.entries == 1 && shared.ranges - owner.ranges == 1, "\(owner) \(shared)")
            costs.insert("\(shared)")
        }
        #expect(costs.count == 1, "\(costs)")
    }

    @Test("A save of a share writes what it changes, however many take part")
    func saves() async throws {
        var costs: [String: Set<Int>] = [:]
        for people in [3, 99] {
            let meter = AccessMeter()
            let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
            try await cloud.makeZone("Z")
            let share = try await cloud.share("root", in: "Z")
            var entries = (0..<people - 1).map { index in
                let name = "_" + String(repeating: "0", count: 28) + String(1_000 + index)
                return ShareParticipantInput(lookup: .userRecordName(name), permission: .readOnly)
            }
            func save(_ what: String) async throws {
                let inputs = entries
                let cost = try await meter.counting {
                    let result = try await cloud.update(share.recordName, in: "Z") { $0.participants = inputs }
                    #expect(result.saved?.shareDetails?.value.participants.count == inputs.count + 1, "\(result)")
                    try await told(cloud)
                }
                costs[what, default: []].insert(cost.writes)
            }
            try await save("all \(people)")
            try await save("nothing")
            entries[0].permission = .readWrite
            try await save("one")
            for index in entries.indices.prefix(2) { entries[index].permission = .none }
            try await save("two")
            entries.append(ShareParticipantInput(lookup: .emailAddress("new@example.org"), permission: .readOnly))
            try await save("one more")
            entries.removeFirst()
            try await save("one less")
        }
        let nothing = try #require(costs["nothing"]?.first)
        // Who is new, or goes before they came, is noted in the directory or forgotten there.
        for (what, more) in [("nothing", 0), ("one", 1), ("two", 2), ("one more", 1 + 2), ("one less", 1)] {
            #expect(costs[what] == [nothing + more], "\(what): \(costs)")
        }
        #expect(costs["all 99"] == [nothing + 98 * 3], "\(costs)")
    }

    @Test("A commit reaches 100 people's feeds and devices with work that goes by people", arguments: [false, true])
    func commits(whole: Bool) async throws {
        let names = ["c0", "c1", "c2", "c3", "c4"]
        var commits: [AccessMeter.Counts] = []
        for (records, people) in [(10, 10), (10, 99), (1_000, 99)] {
            let (cloud, meter, persons) = try await cloud(records: records, people: people, whole: whole)
            let tokens = try await cloud.shared("Z", as: persons[0]).syncToken
            let commit = try await meter.counting {
                _ = try await cloud.modify(names.map { .make(.forceUpdate, $0) }, zone: "Z")
                try await told(cloud)
            }
            commits.append(commit)
            // Everybody's shared database says so, and the feed has what changed.
            for person in persons {
                let device = try await cloud.store.read(
                    .privateDatabase(of: person.authorRecordName, in: cloud.context)
                ) { try $0.get(PushKey.queue(of: person.authorRecordName, .shared, subscriptionID: "s")) }
                #expect(device != nil)
            }
            var page = try await cloud.shared("Z", since: tokens, as: persons[0])
            var changed: Set<String> = []
            var turns = PageTurns(from: tokens)
            while true {
                for case .saved(let record) in page.changes { changed.insert(record.recordName) }
                guard page.moreComing else { break }
                try turns.turn(to: page.syncToken)
                page = try await cloud.shared("Z", since: page.syncToken, as: persons[0])
            }
            #expect(changed.isSuperset(of: names))
        }
        // What a person more costs: a queue and its counter, and what is read for them.
        let writes = commits[1].writes - commits[0].writes
        #expect(writes == 89 * 2, "\(commits)")
        // Records more cost nothing.
        #expect(commits[2].writes == commits[1].writes, "\(commits)")
        #expect(commits[2].keys == commits[1].keys, "\(commits)")
    }
}
