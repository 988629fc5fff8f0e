import CloudKit
import StratusWorkers
import Testing

/// Predicates that the service cannot take: refused before any network, by the name of the part.
@Suite struct RefusedPredicateTests {
    /// What a query with a predicate is refused with.
    private func refusal(_ predicate: NSPredicate) async throws -> String {
        let asked = Lock(0)
        let transport = NoTransport { asked.withLock { $0 += 1 } }
        let database = CKContainer(identifier: "iCloud.x", transport: transport).privateCloudDatabase
        let refusal = await #expect(throws: CKError.self) {
            _ = try await database.records(matching: CKQuery(recordType: "T", predicate: predicate))
        }
        #expect(refusal?.code == .invalidArguments)
        #expect(asked.withLock { $0 } == 0)
        return refusal?.localizedDescription ?? ""
    }

    @Test(
        "the words that cannot be sent",
        arguments: [
            ("a == 1 OR b == 2", "OR"), ("a ENDSWITH 'x'", "a ENDSWITH"), ("a LIKE 'x'", "a LIKE"),
            ("a MATCHES 'x'", "a MATCHES"), ("ALL a == 1", "ALL a"), ("ANY a < 1", "ANY a <"),
            ("a ==[c] 'x'", "== with options in brackets"), ("a.b == 1", "'a.b'"), ("a.@count > 2", "'a.@count'"),
            ("a == nil", "nil cannot be compared with, field 'a'"), ("NOT (a == 1 AND b == 2)", "NOT"),
            ("NOT a BETWEEN {1, 2}", "NOT before BETWEEN"), ("a IN 'xyz'", "IN needs a list of values, field 'a'"),
            ("a BEGINSWITH 7", "BEGINSWITH needs a text, field 'a'"), ("1 == 2", "'? == ?'"),
            ("tokenize('x', 'Cdl') IN allTokens", "ALL or ANY"),
            ("ALL tokenize(7, 'Cdl') IN allTokens", "needs a text"),
            ("NOT ALL tokenize('x', 'Cdl') IN a", "NOT before IN"), ("ALL tokenize('x', 'Cdl') IN {'x'}", "tokenize"),
        ])
    func words(_ format: String, _ named: String) async throws {
        let reason = try await refusal(NSPredicate(format: format))
        #expect(reason.contains(named), "\(reason)")
    }

    @Test(
        "the operand that is neither a field nor a value",
        arguments: [
            ("a == b", "'b'"), ("a IN b", "'b'"), ("a + 1 == 3", "'a + ?'"), ("3 < a * b", "'a * b'"),
            ("FUNCTION(a, 'sum:', 'secret') == 3", "'FUNCTION(a, \"sum:\", ?)'"),
            ("TERNARY(a == 1, b, c) == 2", "'TERNARY(a == ?, b, c)'"), ("lowercase(a) == 'x'", "'lowercase(a)'"),
            ("a == $x", "'$x'"), ("a[0] == 1", "'a[?]'"), ("a UNION b == c", "'a UNION b'"),
            ("a IN {b, 1}", "'{b, ?}'"),
            ("SUBQUERY(a, $x, $x == 1).@count > 0", "'SUBQUERY(a, $x, $x == ?).@count'"),
            ("distanceToLocation:fromLocation:(a, b) < 5", "'distanceToLocation:fromLocation:(a, b)'"),
            ("b == 1 AND a == c", "'c'"), ("NOT a == b", "'b'"),
        ])
    func operands(_ format: String, _ named: String) async throws {
        let reason = try await refusal(NSPredicate(format: format))
        #expect(reason.contains(named), "\(reason)")
    }

    /// Messages go into logs.
    @Test(arguments: ["a == 'secret' + b", "lowercase('secret') == a", "TERNARY(a == 'secret', b, 'secret') == 1"])
    func valuesAreNotTold(_ format: String) async throws {
        let reason = try await refusal(NSPredicate(format: format))
        #expect(!reason.contains("secret"), "\(reason)")
    }
}
