import StratusTestSupport
import Testing

/// Judges what a server holds after a workload was interrupted.
struct Verdict {
    let round: Int
    let attempts: [Workload.Attempt]

    /// Expects every acknowledged record with its tag, no torn batch, and an index that agrees with the records.
    /// - Parameter unacknowledged: Whether records may be stored whose acknowledgement never came.
    func check(server: String, unacknowledged: Bool, at location: SourceLocation = #_sourceLocation) async throws {
        for (_, group) in Dictionary(grouping: attempts, by: \.zone) {
            guard var database = group.first?.database else { continue }
            database.server = server
            let zone = group[0].zone
            let stored = try await lookUp(group.flatMap(\.names), in: database, zone)
            for attempt in group { check(attempt, stored, unacknowledged, location) }
            try await checkIndex(in: database, zone, stored, location)
        }
    }

    private func check(
        _ attempt: Workload.Attempt, _ stored: [String: JSON], _ unacknowledged: Bool, _ location: SourceLocation
    ) {
        #expect(attempt.refusal == nil, sourceLocation: location)
        let present = attempt.names.filter { stored[$0] != nil }
        guard let tags = attempt.tags else {
            #expect(present.isEmpty || present.count == attempt.names.count, "torn batch", sourceLocation: location)
            if !unacknowledged { #expect(present.isEmpty, "stored without an answer", sourceLocation: location) }
            return
        }
        for name in attempt.names {
            #expect(stored[name]?.tag == tags[name], "acknowledged \(name)", sourceLocation: location)
        }
    }

    private func lookUp(_ names: [String], in database: Database, _ zone: String?) async throws -> [String: JSON] {
        var stored: [String: JSON] = [:]
        for start in stride(from: 0, to: names.count, by: 200) {
            let answer = try await database.lookup(Array(names[start..<min(names.count, start + 200)]), zone: zone)
            guard answer.status == 200 else { throw UnexpectedAnswer(answer) }
            for item in answer.records {
                if item["serverErrorCode"] == .absent {
                    stored[item.name] = item
                } else {
                    expectFailed(item, "NOT_FOUND")
                }
            }
        }
        return stored
    }

    /// Each record is reached through each of its indexes exactly if it exists.
    private func checkIndex(
        in database: Database, _ zone: String?, _ stored: [String: JSON], _ location: SourceLocation
    ) async throws {
        let filter = Condition.filter("round", "EQUALS", .int(round))
        for sorts in [[], [Condition.sort("own")], [Condition.sort("writer")]] {
            let found = try await database.queryAll(Workload.recordType, filters: [filter], sorts: sorts, zone: zone)
            #expect(found.count == stored.count, sourceLocation: location)
            #expect(Set(found.map(\.name)) == Set(stored.keys), sourceLocation: location)
            for record in found { #expect(record.tag == stored[record.name]?.tag, sourceLocation: location) }
        }
    }
}
