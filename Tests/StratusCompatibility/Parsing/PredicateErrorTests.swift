import StratusCompatibility
import Testing

/// Every error, and where it says that it is.
@Suite struct PredicateErrorTests {
    @Test(arguments: [
        ("", 0, "must stand here, not the end"), ("   ", 3, "not the end"), ("a", 1, "an operator such as =="),
        ("a ==", 4, "a value or a predicate must stand here, not the end"), ("a == 1 b", 7, "'b' cannot follow here"),
        ("a == 1 AND", 10, "not the end"), ("a == AND", 5, "a key of that name is written #and"),
        ("a foo 'x'", 2, "an operator such as =="), ("(a == 1", 7, "')' must stand here, not the end"),
        ("a == 1)", 6, "')' cannot follow here"), ("a == {1, 2", 10, "',' or '}' must stand here"),
        ("a == 'x", 5, "has no closing '"), (#"a == "x"#, 5, "has no closing \""),
        (#"a == '\"#, 6, "nothing follows the backslash"),
        (#"a == '\x'"#, 6, "1 digits must follow"), (#"a == '\u12'"#, 6, "4 digits must follow"),
        (#"a == '\UFFFFFFFF'"#, 6, "is no character"), (#"a == '\ud800'"#, 5, "half of a surrogate pair"),
        ("a == 0x", 5, "digits must follow"), ("a == 0x1FFFFFFFFFFFFFFFF", 5, "more than 64 bits"),
        ("a == -18446744073709551615", 6, "more than 64 bits"),
        ("a == 1e", 5, "the exponent has no digits"), ("a == 12ab", 7, "'a' cannot follow a number"),
        ("a == 0b12", 8, "'2' cannot follow"),
        ("a == %", 5, "a conversion such as @"), ("a == %y", 5, "'%y' is no conversion"),
        ("a == %lK", 5, "'%lK' is no conversion"),
        ("a == $", 5, "a name must follow '$'"), ("a == #5", 5, "a name must follow '#'"),
        ("a == ?", 5, "'?' means nothing here"),
        ("a.b. == 1", 5, "a key must follow the dot"), ("a[1 == 2", 4, "']' must stand here, not '=='"),
        ("a LIKE[x] 'b'", 7, "'x' is no option"),
        ("a LIKE[] 'b'", 7, "options such as c"), ("a LIKE[c 'b'", 9, "']' must stand here"),
        ("foo(a) == 1", 0, "there is no function 'foo'"),
        ("foo:bar:(a, b) == 1", 0, "there is no function"), ("sum(a, b) == 1", 0, "'sum' does not take 2 arguments"),
        ("foo:bar: == 1", 9, "'(' must follow the name of a function"),
        ("SUBQUERY(a, b, c == 1) == 1", 12, "a variable such as $x"),
        ("SUBQUERY(a, $b, c) == 1", 17, "an operator such as =="), ("FUNCTION(a, b) == 1", 12, "the name of a method"),
        ("a == (b == 1)", 5, "this is a predicate; a value"), ("(a == 1) + 1 == 2", 0, "this is a predicate"),
        ("NOT a", 5, "an operator such as =="),
        ("a AND b == 1", 2, "an operator such as =="), ("ANY a", 5, "an operator such as =="),
        ("ANY a AND b", 6, "an operator such as =="), ("a == 1 == 2", 0, "this is a predicate"),
        ("a == %@", 5, "there are none"), ("é == ?", 5, "means nothing"),
    ])
    func namesThePlace(format: String, position: Int, reason: String) {
        #expect {
            try NSPredicate(validating: format)
        } throws: { error in
            guard let error = error as? PredicateFormatError else { return false }
            #expect(error.position == position, "\(error)")
            #expect(error.reason.contains(reason), "\(error)")
            #expect(error.format == format)
            return true
        }
    }

    @Test func tooFewArgumentsAreCounted() {
        #expect {
            try NSPredicate(validating: "a == %@ AND b == %@", argumentArray: [1])
        } throws: { error in
            (error as? PredicateFormatError)?.position == 17
                && "\(error)".contains("the format wants argument 2 here, and there are only 1")
        }
    }

    @Test func theMessageShowsThePlace() {
        #expect {
            try NSPredicate(validating: "name foo 'x'")
        } throws: { error in
            "\(error)" == """
                Unable to parse the predicate format at character 5: an operator such as == or IN must stand here, not 'foo'
                    name foo 'x'
                         ^
                """
        }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a == 1" + String(repeating: ")", count: depth)
        }
        // The value inside is one part more.
        _ = try NSPredicate(validating: nested(PredicateLimits.depth - 1))
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: nested(PredicateLimits.depth)) }
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: nested(100_000)) }
        for prefix in ["NOT ", "!", "-", "~", "{", "abs(", "ANY "] {
            let format = String(repeating: prefix, count: 100_000)
            #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: "a == " + format) }
            #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: format) }
        }
    }

    @Test func operatorsAreBounded() throws {
        func sum(_ operators: Int) -> String { "a == 1" + String(repeating: " + 1", count: operators) }
        let longest = try NSPredicate(validating: sum(PredicateLimits.operators))
        #expect(longest.evaluate(with: ["a": PredicateLimits.operators + 1]))
        #expect(throws: PredicateFormatError.self) { try NSPredicate(validating: sum(PredicateLimits.operators + 1)) }
        // A conjunction is flat and needs no such bound.
        let many = Array(repeating: "a == 1", count: 20_000).joined(separator: " AND ")
        #expect(try NSPredicate(validating: many).evaluate(with: ["a": 1]))
    }

    @Test func formatsAreBounded() throws {
        let rest = PredicateLimits.formatLength - "a == ''".utf8.count
        _ = try NSPredicate(validating: "a == '" + String(repeating: "x", count: rest) + "'")
        #expect(throws: PredicateFormatError.self) {
            try NSPredicate(validating: "a == '" + String(repeating: "x", count: rest + 1) + "'")
        }
    }

    #if compiler(>=6.2)
        @Test func aWrongLiteralStopsTheProgramAndSaysWhere() async throws {
            let result = try #require(
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    _ = NSPredicate(format: "name foo 'x'")
                })
            #expect(
                String(decoding: result.standardErrorContent, as: UTF8.self)
                    .contains("Unable to parse the predicate format at character 5"))
        }
    #endif
}
