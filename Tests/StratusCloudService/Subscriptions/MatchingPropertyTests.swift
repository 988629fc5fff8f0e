import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Random subscriptions and random commits: who is told is what looking at every subscription for every change says.
@Suite struct MatchingPropertyTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func matchesLikeTheNaiveWay(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let cloud = try await TestCloud()
        _ = try await cloud.modify([.make(.create, "seed", fields(&random))], in: .public)
        let schema = try await cloud.service.schema(of: cloud.context)
        let type = try #require(schema.recordTypes["Note"])
        let users = "abcdef".map { cloud.user($0) }
        var subscriptions: [(user: Caller, name: String, query: QuerySubscription)] = []
        for number in 0..<60 {
            guard let user = users.randomElement(using: &random) else { continue }
            let query = QuerySubscription(
                query: Query(recordType: "Note", filters: filters(&random)), firesOn: events(&random))
            let name = "s\(number)"
            let result = try await cloud.subscribe(
                name, .query(query), NotificationInfo(body: .init("!")), in: .public, as: user)
            if result.subscription != nil { subscriptions.append((user, name, query)) }
        }
        var listeners: [Caller: PushListener] = [:]
        for user in users {
            let device = try await cloud.device(of: user)
            let listener = try await cloud.service.listen(
                courierSecret: device.registration.courierSecret, isStream: true)
            _ = try await listener.next(patience: 0)
            listeners[user] = listener
        }
        var stored: [String: Record] = [:]
        for step in 0..<60 {
            var changes: [(name: String, event: QuerySubscription.Event, record: Record)] = []
            var operations: [RecordOperation] = []
            for name in ["a", "b", "c", "d"] where random.chance(60) {
                operations.append(
                    stored[name] != nil && random.chance(30)
                        ? .make(.forceDelete, name) : .make(.forceReplace, name, fields(&random)))
            }
            let results = try await cloud.modify(operations, in: .public)
            for (operation, result) in zip(operations, results) {
                let name = operation.record.recordName ?? ""
                if let record = result.saved {
                    changes.append((name, stored[name] == nil ? .create : .update, record))
                    stored[name] = record
                } else if let former = stored.removeValue(forKey: name) {
                    changes.append((name, .delete, former))
                }
            }
            for (user, listener) in listeners {
                var heard: [String] = []
                while case .delivery(let delivery) = try await listener.next(patience: 0) {
                    let notification = delivery.notification
                    heard.append("\(notification.subscriptionID) \(notification.recordName ?? "")")
                }
                var expected: [String] = []
                for change in changes {
                    for subscription in subscriptions
                    where subscription.user == user && subscription.query.firesOn.contains(change.event) {
                        let resolved = try QueryResolution.resolveFilters(subscription.query.query.filters, in: type)
                        let evaluator = FilterEvaluator(filters: resolved, zone: .default)
                        if try evaluator.matches(change.record.stored) {
                            expected.append("\(subscription.name) \(change.name)")
                        }
                    }
                }
                #expect(heard.sorted() == expected.sorted(), "seed \(seed), step \(step)")
            }
        }
        for listener in listeners.values { listener.close() }
    }

    private func events(_ random: inout SeededRandom) -> Set<QuerySubscription.Event> {
        let chosen = QuerySubscription.Event.allCases.filter { _ in random.chance(60) }
        return chosen.isEmpty ? [.create] : Set(chosen)
    }

    private func fields(_ random: inout SeededRandom) -> KeyValuePairs<String, InputValue> {
        [
            "n": .integer(Int64.random(in: 0...4, using: &random)),
            "t": .text(["x", "y", "xy", ""].randomElement(using: &random) ?? ""),
            "l": .list((0..<3).map { _ in .text(["p", "q", "r"].randomElement(using: &random) ?? "") }),
        ]
    }

    private func filters(_ random: inout SeededRandom) -> [Filter] {
        let number = InputValue.integer(Int64.random(in: 0...4, using: &random))
        let text = InputValue.text(["x", "y", "xy"].randomElement(using: &random) ?? "")
        let member = InputValue.text(["p", "q", "s"].randomElement(using: &random) ?? "")
        let all = [
            Filter(.equals, .named("n"), FieldInput(number)), Filter(.notEquals, .named("n"), FieldInput(number)),
            Filter(.lessThan, .named("n"), FieldInput(number)), Filter(.equals, .named("t"), FieldInput(text)),
            Filter(.beginsWith, .named("t"), FieldInput(text)),
            Filter(.in, .named("n"), FieldInput(.list([number, .integer(1)]))),
            Filter(.listContains, .named("l"), FieldInput(member)),
            Filter(.listContainsAny, .named("l"), FieldInput(.list([member, .text("r")]))),
        ]
        return all.filter { _ in random.chance(20) }
    }
}

extension Record {
    fileprivate var stored: StoredRecord {
        StoredRecord(
            recordName: recordName, recordType: recordType, version: 1, fields: fields, created: created,
            modified: modified)
    }
}
