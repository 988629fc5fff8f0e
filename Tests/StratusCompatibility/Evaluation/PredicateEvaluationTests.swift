import StratusCompatibility
import Testing

@Suite struct PredicateEvaluationTests {
    private static var object: [String: Any] {
        [
            "name": "Ada", "city": "Århus", "age": 36, "height": 1.65,
            "born": Date(timeIntervalSinceReferenceDate: 100),
            "tags": ["red", "Green", "blue"], "scores": [1, 2, 3], "nobody": [String](), "flag": true, "empty": "",
            "decimal": Decimal(string: "0.1") ?? 0, "big": UInt64.max, "precise": 9_007_199_254_740_993 as Int64,
            "place": CLLocation(latitude: 52.52, longitude: 13.405), "null": NSNull(), "flags": 6,
            "items": [["price": 2, "kind": "a"], ["price": 3, "kind": "b"], ["price": 3, "kind": "b"]],
            "nested": ["k": ["x": 5]],
        ]
    }

    private func holds(_ format: String, _ arguments: Any...) throws -> Bool {
        try NSPredicate(validating: format, argumentArray: arguments).evaluate(with: Self.object)
    }

    @Test(arguments: [
        // Numbers of different types compare exactly.
        "age == 36", "age == 36.0", "age != 37", "age < 36.5", "age <= 36", "age >= 36", "NOT age > 36", "height > 1",
        "flag == TRUE", "flag == 1", "flag != NO", "decimal == 0.1", "decimal < 1", "big > 9223372036854775807",
        "big == 18446744073709551615", "precise != 9007199254740992.0", "precise > 9007199254740992.0", "age > -1e300",
        "age < 1e300", "big < 1e20", "NOT age == CAST('nan', 'NSNumber')", "NOT age < CAST('nan', 'NSNumber')",
        // Texts.
        "name == 'Ada'", "NOT name == 'ada'", "name ==[c] 'aDA'", "city ==[cd] 'arhus'", "NOT city ==[c] 'arhus'",
        "name < 'Bob'",
        "name BEGINSWITH 'A'", "NOT name BEGINSWITH 'a'", "name BEGINSWITH[c] 'aD'", "city BEGINSWITH[d] 'A'",
        "name ENDSWITH 'da'",
        "name CONTAINS 'd'", "NOT name CONTAINS 'D'", "name CONTAINS[c] 'D'", "'d' IN name", "name CONTAINS ''",
        "empty == ''",
        "'e\u{301}' == 'é'", "NOT 'e\u{301}' ==[n] 'é'", "'STRASSE' BEGINSWITH[c] 'stra'",
        // Order of other kinds.
        "born == CAST(100, 'NSDate')", "born < CAST(100.5, 'NSDate')", "born > CAST(99, 'NSDate')",
        // Ranges include their bounds.
        "age BETWEEN {36, 40}", "age BETWEEN {30, 36}", "NOT age BETWEEN {37, 40}", "height BETWEEN {1, 2}",
        "name BETWEEN {'A', 'B'}",
        "NOT age BETWEEN {36}", "NOT age BETWEEN 36", "NOT age BETWEEN {1, 2, 3}",
        // Lists.
        "name IN {'Ada', 'Bob'}", "NOT name IN {'ada'}", "name IN[c] {'ADA'}", "36.0 IN {36}", "tags CONTAINS 'red'",
        "NOT tags CONTAINS 'r'",
        "tags CONTAINS[c] 'green'", "ANY tags == 'red'", "ANY tags BEGINSWITH 'bl'", "NONE tags == 'pink'",
        "ALL scores > 0", "NOT ALL scores > 1",
        "ANY scores IN {3, 9}", "ANY {1, 36} == age", "SOME tags LIKE '?reen'", "scores == {1, 2, 3}",
        "NOT scores == {3, 2, 1}",
        // All of none, and none of none.
        "ALL nobody == 'x'", "NOT ANY nobody == 'x'", "NONE nobody == 'x'", "ALL missing == 'x'",
        "NOT ANY missing == 'x'",
        // One value stands for a list of it.
        "ANY name == 'Ada'", "ALL name == 'Ada'", "NOT ANY name == 'Bob'", "NOT ALL name == 'Bob'",
        // Nothing equals nothing and has no order.
        "missing == nil", "null == nil", "NOT name == nil", "name != nil", "missing != 'x'", "NOT missing == 'x'",
        "NOT missing < 5", "NOT missing >= 5",
        "NOT missing <= nil", "NOT missing BEGINSWITH 'x'", "NOT missing LIKE '*'", "NOT missing IN {1}",
        "missing IN {1, nil}", "NOT 'x' IN missing",
        // Different kinds are neither equal nor ordered.
        "NOT name == 5", "name != 5", "NOT name < 5", "NOT name > 5", "NOT age BEGINSWITH '3'", "NOT age CONTAINS 3",
        "NOT born > 5",
        // Logic.
        "age == 36 AND name == 'Ada'", "age == 1 OR name == 'Ada'", "NOT (age == 1 OR name == 'x')", "TRUEPREDICATE",
        "NOT FALSEPREDICATE",
    ])
    func holds(format: String) throws {
        #expect(try NSPredicate(validating: format).evaluate(with: Self.object))
    }

    @Test(arguments: [
        // Arithmetic: whole numbers stay whole.
        "age + 1 == 37", "age - 1 * 2 == 34", "age / 5 == 7", "age / 5.0 == 7.2", "age %% 5 == 1", "2 ** 3 ** 2 == 512",
        "-age == -36", "(flags & 4) != 0",
        "(flags | 1) == 7", "(flags ^ 2) == 4", "flags << 1 == 12", "flags >> 1 == 3", "~flags == -7",
        "decimal + decimal == CAST('0.2', 'NSDecimalNumber')",
        "9223372036854775807 + 1 == 9223372036854775808.0", "age / 0 == nil", "age %% 0 == nil", "age / 0.0 > 1e300",
        "name + 1 == nil", "born + 5 == CAST(105, 'NSDate')",
        "born - born == 0", "1 << 64 == 0", "1 << -1 == 0", "abs(-9223372036854775808) == 9223372036854775808",
        // Functions.
        "sum(scores) == 6", "count(scores) == 3", "min(scores) == 1", "max(scores) == 3", "average(scores) == 2",
        "median({1, 9, 2}) == 2", "median({1, 2}) == 1.5",
        "mode({1, 2, 2}) == {2}", "stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", "sqrt(9) == 3", "ln(1) == 0",
        "log(1000) == 3", "exp(0) == 1", "floor(1.7) == 1", "ceiling(1.2) == 2",
        "abs(-5) == 5", "trunc(-1.7) == -1", "uppercase(name) == 'ADA'", "lowercase(name) == 'ada'",
        "canonical(city) == 'arhus'", "length(name) == 3", "distinct({1, 2, 1}) == {1, 2}",
        "noindex(age) == 36", "random() >= 0", "randomn(5) < 5", "now() > CAST(0, 'NSDate')",
        "tokenize('Ein, zwei') == {'ein', 'zwei'}",
        "distanceToLocation:fromLocation:(place, place) == 0", "distanceToLocation:fromLocation:(place, name) == nil",
        "sqrt(name) == nil", "sum(name) == nil",
        // Casts.
        "CAST(born, 'NSNumber') == 100", "CAST('5', 'NSNumber') == age - 31", "CAST(age, 'NSString') == '36'",
        "CAST(name, 'NSDate') == nil",
        "CAST('2001-01-01T00:01:40Z', 'NSDate') == born", "CAST(age, 'Unknown') == nil",
        // Keys, operators over collections, elements.
        "items.price == {2, 3, 3}", "ANY items.kind == 'a'", "items.@count == 3", "items.@sum.price == 8",
        "items.@avg.price > 2.6", "items.@min.price == 2", "items.@max.price == 3",
        "items.@distinctUnionOfObjects.kind == {'a', 'b'}", "items.@unionOfObjects.kind == {'a', 'b', 'b'}",
        "nested.k.x == 5", "nested['k'].x == 5", "nested.k['x'] == 5", "scores[0] == 1", "scores[FIRST] == 1",
        "scores[LAST] == 3", "scores[SIZE] == 3", "scores[7] == nil", "scores[-1] == nil", "name.length == 3",
        "name.uppercaseString == 'ADA'", "name.unknown == nil", "place.coordinate.latitude == 52.52",
        "FUNCTION(born, 'dateByAddingTimeInterval:', 5) == CAST(105, 'NSDate')",
        "FUNCTION(name, 'stringByAppendingString:', 'x') == 'Adax'", "FUNCTION(name, 'noSuch:', 1) == nil",
        "FUNCTION(name, 'lowercaseString') == 'ada'",
        // Subqueries, conditions, sets.
        "SUBQUERY(items, $i, $i.price == 3 AND $i.kind == 'b').@count == 2", "SUBQUERY(scores, $s, $s > 1) == {2, 3}",
        "SUBQUERY(items, $i, SUBQUERY(scores, $s, $s == $i.price).@count > 0).@count == 3",
        "TERNARY(age > 30, 'old', 'young') == 'old'", "scores UNION {3, 4} == {1, 2, 3, 4}",
        "scores INTERSECT {3, 1} == {1, 3}", "scores MINUS {1} == {2, 3}",
    ])
    func computes(format: String) throws {
        #expect(try NSPredicate(validating: format).evaluate(with: Self.object))
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "a*", true), ("abc", "*c", true), ("abc", "a?c", true), ("abc", "?", false),
        ("abc", "*", true), ("", "*", true), ("", "?", false),
        ("abc", "ab", false), ("abc", "bc", false), ("a*c", #"a\\*c"#, true), ("abc", #"a\\*c"#, false),
        ("aXbXc", "a*X?", true), ("mississippi", "m*iss*ip*", true), ("mississippi", "m*iss*x*", false),
        ("👨‍👩‍👧x", "?x", true), ("a.c", "a.c", true), ("abc", "a.c", false), ("a\nb", "a*b", true),
    ])
    func wildcards(text: String, pattern: String, fits: Bool) throws {
        #expect(try NSPredicate(validating: "SELF LIKE '\(pattern)'").evaluate(with: text) == fits)
    }

    @Test func wildcardsTakeNoExponentialTime() throws {
        let pattern = String(repeating: "a*", count: 200) + "b"
        #expect(
            try !NSPredicate(validating: "SELF LIKE %@", argumentArray: [pattern]).evaluate(
                with: String(repeating: "a", count: 5_000)))
    }

    @Test(arguments: [
        ("abc", "a.c", "", true), ("abcd", "a.c", "", false), ("xabc", "a.c", "", false), ("ABC", "abc", "", false),
        ("ABC", "abc", "[c]", true), ("é1", #"\\w\\d"#, "", true), ("été", "ete", "[d]", true),
        ("a", "a|ab", "", true), ("ab", "a|ab", "", true), ("a\n", "a", "", false), ("x", "(", "", false),
        ("ab", "a)(b", "", false),
        ("", "", "", true),
    ])
    func regularExpressions(text: String, pattern: String, options: String, fits: Bool) throws {
        #expect(try NSPredicate(validating: "SELF MATCHES\(options) '\(pattern)'").evaluate(with: text) == fits)
    }

    @Test func words() throws {
        let predicate = try NSPredicate(validating: "SELF TOKENMATCHES[cdl] 'après fin'")
        #expect(predicate.evaluate(with: "The hour APRES midnight"))
        #expect(predicate.evaluate(with: ["nothing", "the fin."]))
        #expect(!predicate.evaluate(with: "finally"))
        #expect(!predicate.evaluate(with: 5))
    }

    @Test func distances() throws {
        let berlin = CLLocation(latitude: 52.52, longitude: 13.405)
        #expect(try holds("distanceToLocation:fromLocation:(place, %@) < 1", berlin))
        let paris = CLLocation(latitude: 48.8566, longitude: 2.3522)
        #expect(try holds("distanceToLocation:fromLocation:(place, %@) BETWEEN {870000, 885000}", paris))
    }

    @Test func variablesComeFromBindings() throws {
        let predicate = try NSPredicate(validating: "age == $AGE AND name IN $NAMES")
        let bindings: [String: Any] = ["AGE": 36, "NAMES": ["Ada"]]
        #expect(predicate.evaluate(with: Self.object, substitutionVariables: bindings))
        #expect(!predicate.evaluate(with: Self.object))
        let substituted = predicate.withSubstitutionVariables(["AGE": 36])
        #expect(substituted.description == "age == 36 AND name IN $NAMES")
        #expect(substituted.evaluate(with: Self.object, substitutionVariables: bindings))
        // The variable of a subquery hides another of its name.
        let inner = try NSPredicate(validating: "SUBQUERY(scores, $AGE, $AGE > 1).@count == 2")
        #expect(inner.withSubstitutionVariables(["AGE": 0]).evaluate(with: Self.object))
    }

    @Test func objectsOfManyKindsAreRead() throws {
        final class Stored: NSObject {
            var title = "x"
            var inner: Inner? = Inner()
        }
        struct Inner { var number = 5 }
        struct Keyed: KeyValueReadable {
            func value(forKey key: String) -> Any? { key == "title" ? "x" : key == "inner" ? ["number": 5] : nil }
        }
        let predicate = try NSPredicate(validating: "title == 'x' AND inner.number == 5 AND other == nil")
        #expect(predicate.evaluate(with: Stored()))
        #expect(predicate.evaluate(with: Keyed()))
        #expect(predicate.evaluate(with: ["title": "x", "inner": Inner()]))
        #expect(predicate.evaluate(with: ["title": "x", "inner": ["number": 5]] as NSDictionary))
        #expect(!predicate.evaluate(with: nil))
        #expect(try NSPredicate(validating: "SELF == 5").evaluate(with: 5))
        #expect(try NSPredicate(validating: "SELF.self.length == 3").evaluate(with: "abc"))
        #expect(try NSPredicate(validating: "ANY SELF.title == 'x'").evaluate(with: [Stored(), Stored()]))
    }

    @Test func filtersFoundationsCollections() throws {
        let numbers: NSArray = [1, 2, 3, 4]
        #expect(numbers.filtered(using: try NSPredicate(validating: "SELF > 2")) as? [Int] == [3, 4])
        #expect(NSSet(array: ["a", "b"]).filtered(using: try NSPredicate(validating: "SELF == 'b'")) == ["b"])
        let mutable = NSMutableArray(array: ["a", "ab", "b"])
        mutable.filter(using: try NSPredicate(validating: "SELF BEGINSWITH 'a'"))
        #expect(mutable == ["a", "ab"])
    }
}
