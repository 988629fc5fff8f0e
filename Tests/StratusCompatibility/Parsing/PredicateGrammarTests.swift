import StratusCompatibility
import Testing

/// One test for each production of the grammar.
@Suite struct PredicateGrammarTests {
    private func tree(_ format: String, _ arguments: Any...) throws -> PredicateTree {
        try NSPredicate(validating: format, argumentArray: arguments).predicateTree
    }

    private func right(_ format: String, _ arguments: Any...) throws -> PredicateOperand? {
        guard
            case .comparison(let comparison) = try NSPredicate(
                validating: "a == " + format, argumentArray: arguments
            ).predicateTree
        else { return nil }
        return comparison.right
    }

    private func compare(_ key: String, _ relation: PredicateComparison.Relation, _ value: Int64) -> PredicateTree {
        .comparison(PredicateComparison(.keyPath(key), relation, .value(.integer(value))))
    }

    @Test(arguments: [
        ("=", PredicateComparison.Relation.equalTo), ("==", .equalTo), ("!=", .notEqualTo), ("<>", .notEqualTo),
        ("<", .lessThan), ("<=", .lessThanOrEqualTo), ("=<", .lessThanOrEqualTo), (">", .greaterThan),
        (">=", .greaterThanOrEqualTo), ("=>", .greaterThanOrEqualTo), (" BETWEEN ", .between), (" in ", .in),
        (" Contains ", .contains), (" BEGINSWITH ", .beginsWith), (" ENDSWITH ", .endsWith), (" LIKE ", .like),
        (" MATCHES ", .matches), (" TOKENMATCHES ", .tokenMatches),
    ])
    func relations(text: String, relation: PredicateComparison.Relation) throws {
        #expect(try tree("a\(text)5") == compare("a", relation, 5))
    }

    @Test(arguments: [
        ("c", 1 as UInt), ("d", 2), ("n", 4), ("l", 8), ("cd", 3), ("DC", 3), ("cdl", 11), ("cdnl", 15),
    ])
    func options(letters: String, bits: UInt) throws {
        for relation in ["==", "BEGINSWITH", "LIKE", "IN", "TOKENMATCHES"] {
            guard case .comparison(let comparison) = try tree("a \(relation)[ \(letters) ] 'x'") else {
                Issue.record("no comparison")
                continue
            }
            #expect(comparison.options.rawValue == bits)
        }
    }

    @Test func aggregates() throws {
        let any = PredicateTree.comparison(
            PredicateComparison(.keyPath("t"), .equalTo, .value(.integer(1)), modifier: .any))
        #expect(try tree("ANY t == 1") == any)
        #expect(try tree("some t = 1") == any)
        #expect(try tree("NONE t == 1") == .not(any))
        #expect(
            try tree("ALL t.x IN {1}")
                == .comparison(
                    PredicateComparison(.keyPath("t.x"), .in, .value(.list([.integer(1)])), modifier: .all)))
        #expect(
            try tree("ANY {1, 2} == f")
                == .comparison(
                    PredicateComparison(
                        .value(.list([.integer(1), .integer(2)])), .equalTo, .keyPath("f"), modifier: .any)))
    }

    @Test func logic() throws {
        let (a, b, c) = (compare("a", .equalTo, 1), compare("b", .equalTo, 2), compare("c", .equalTo, 3))
        for format in ["a == 1 AND b == 2 && c == 3", "a==1&&b==2 and c==3"] {
            #expect(try tree(format) == .and([a, b, c]))
        }
        #expect(try tree("a == 1 OR b == 2 || c == 3") == .or([a, b, c]))
        #expect(try tree("a == 1 OR b == 2 AND c == 3") == .or([a, .and([b, c])]))
        #expect(try tree("a == 1 AND b == 2 OR c == 3") == .or([.and([a, b]), c]))
        #expect(try tree("(a == 1 OR b == 2) AND c == 3") == .and([.or([a, b]), c]))
        #expect(try tree("a == 1 AND (b == 2 AND c == 3)") == .and([a, .and([b, c])]))
        #expect(try tree("NOT a == 1 AND b == 2") == .and([.not(a), b]))
        #expect(try tree("!(a == 1 AND b == 2)") == .not(.and([a, b])))
        #expect(try tree("not not a == 1") == .not(.not(a)))
        #expect(try tree("truepredicate OR FALSEPREDICATE") == .or([.constant(true), .constant(false)]))
    }

    @Test func arithmeticBindsAsUsual() throws {
        func call(_ name: String, _ a: PredicateOperand, _ b: PredicateOperand) -> PredicateOperand {
            .function(name, [a, b])
        }
        let (x, y, z) = (PredicateOperand.keyPath("x"), PredicateOperand.keyPath("y"), PredicateOperand.keyPath("z"))
        #expect(try right("x + y * z") == call("add:to:", x, call("multiply:by:", y, z)))
        #expect(try right("(x + y) * z") == call("multiply:by:", call("add:to:", x, y), z))
        #expect(try right("x - y - z") == call("from:subtract:", call("from:subtract:", x, y), z))
        #expect(try right("x / y %% z") == call("modulus:by:", call("divide:by:", x, y), z))
        #expect(try right("x ** y ** z") == call("raise:toPower:", x, call("raise:toPower:", y, z)))
        #expect(try right("x | y & z") == call("bitwiseOr:with:", x, call("bitwiseAnd:with:", y, z)))
        #expect(try right("x ^ y << z") == call("bitwiseXor:with:", x, call("leftshift:by:", y, z)))
        #expect(try right("x >> y + z") == call("rightshift:by:", x, call("add:to:", y, z)))
        #expect(try right("-x") == call("multiply:by:", .value(.integer(-1)), x))
        #expect(try right("~x") == .function("onesComplement:", [x]))
        #expect(try right("x - -5") == call("from:subtract:", x, .value(.integer(-5))))
        // Arithmetic binds more tightly than comparisons, which do not chain.
        #expect(
            try tree("x + 1 > y AND (x & 4) != 0")
                == .and([
                    .comparison(PredicateComparison(call("add:to:", x, .value(.integer(1))), .greaterThan, y)),
                    .comparison(
                        PredicateComparison(
                            call("bitwiseAnd:with:", x, .value(.integer(4))), .notEqualTo, .value(.integer(0)))),
                ]))
        #expect(throws: PredicateFormatError.self) { try tree("x < y < z") }
    }

    @Test func sets() throws {
        #expect(
            try right("x UNION y MINUS z") == .set(.minus, .set(.union, .keyPath("x"), .keyPath("y")), .keyPath("z")))
        #expect(
            try right("x INTERSECT {1}") == .set(.intersect, .keyPath("x"), .value(.list([.integer(1)]))))
    }

    @Test func keys() throws {
        #expect(try right("b.c.d") == .keyPath("b.c.d"))
        #expect(try right("SELF") == .evaluatedObject)
        #expect(try right("self.b") == .keyPath("b"))
        #expect(try right("b.@count") == .keyPath("b.@count"))
        #expect(try right("b.@sum.price") == .keyPath("b.@sum.price"))
        #expect(try right("#and.in.#all") == .keyPath("and.in.all"))
        // Words with a meaning only in their place are keys everywhere else.
        #expect(try right("size + first") == .function("add:to:", [.keyPath("size"), .keyPath("first")]))
        #expect(try right("größe") == .keyPath("größe"))
        #expect(try right("$v") == .variable("v"))
        #expect(try right("$v.b.c") == .member(.variable("v"), keyPath: "b.c"))
        #expect(try right("FUNCTION(SELF, 'valueForKeyPath:', 'odd key')") == .keyPath("odd key"))
    }

    @Test func elements() throws {
        #expect(try right("b[0]") == .element(.keyPath("b"), .index(.value(.integer(0)))))
        #expect(try right("b['k'].c") == .member(.element(.keyPath("b"), .index(.value(.string("k")))), keyPath: "c"))
        #expect(try right("b[FIRST]") == .element(.keyPath("b"), .first))
        #expect(try right("b[last]") == .element(.keyPath("b"), .last))
        #expect(try right("b[SIZE]") == .element(.keyPath("b"), .size))
        #expect(try right("b[#first]") == .element(.keyPath("b"), .index(.keyPath("first"))))
        #expect(
            try right("{1, b}[i + 1]")
                == .element(
                    .aggregate([.value(.integer(1)), .keyPath("b")]),
                    .index(.function("add:to:", [.keyPath("i"), .value(.integer(1))]))))
    }

    @Test func lists() throws {
        #expect(try right("{}") == .value(.list([])))
        #expect(
            try right("{1, 'x', nil, {2}}") == .value(.list([.integer(1), .string("x"), .null, .list([.integer(2)])])))
        #expect(try right("{b, 1}") == .aggregate([.keyPath("b"), .value(.integer(1))]))
    }

    @Test func functions() throws {
        let place = CLLocation(latitude: 1, longitude: 2)
        #expect(
            try right("distanceToLocation:fromLocation:(place, %@)", place)
                == .function("distanceToLocation:fromLocation:", [.keyPath("place"), .value(.location(place))]))
        #expect(try right("sum(b)") == .function("sum:", [.keyPath("b")]))
        #expect(try right("sum:(b)") == .function("sum:", [.keyPath("b")]))
        #expect(try right("NOW()") == .function("now", []))
        #expect(try right("tokenize(b)") == .function("tokenize:", [.keyPath("b")]))
        #expect(try right("tokenize(b, 'cd')") == .function("tokenize:using:", [.keyPath("b"), .value(.string("cd"))]))
        #expect(
            try right("FUNCTION(b, 'do:with:', 1, c)")
                == .method(.keyPath("b"), selector: "do:with:", [.value(.integer(1)), .keyPath("c")]))
        #expect(
            try right("CAST(b, 'NSDate')")
                == .function("castObject:toType:", [.keyPath("b"), .value(.string("NSDate"))]))
        #expect(try right("CAST(12.5, 'NSDate')") == .value(.date(Date(timeIntervalSinceReferenceDate: 12.5))))
        #expect(
            try right("SUBQUERY(b, $x, $x.c == 1 AND $x.d == $y).@count")
                == .member(
                    .subquery(
                        .keyPath("b"), variable: "x",
                        .and([
                            .comparison(
                                PredicateComparison(
                                    .member(.variable("x"), keyPath: "c"), .equalTo, .value(.integer(1)))),
                            .comparison(
                                PredicateComparison(.member(.variable("x"), keyPath: "d"), .equalTo, .variable("y"))),
                        ])), keyPath: "@count"))
        #expect(
            try right("TERNARY(b == 1, 2, 3)")
                == .conditional(compare("b", .equalTo, 1), .value(.integer(2)), .value(.integer(3))))
        for function in PredicateFunction.allCases where function != .cast {
            let arguments = Array(repeating: "b", count: function.arity).joined(separator: ", ")
            #expect(
                try right("\(function.rawValue)(\(arguments))")
                    == .function(function.rawValue, Array(repeating: .keyPath("b"), count: function.arity)))
        }
    }

    @Test func cloudKitsWords() throws {
        #expect(
            try tree("self contains 'x'")
                == .comparison(PredicateComparison(.evaluatedObject, .contains, .value(.string("x")))))
        #expect(
            try tree("allTokens TOKENMATCHES[cdl] %@", "after")
                == .comparison(
                    PredicateComparison(
                        .keyPath("allTokens"), .tokenMatches, .value(.string("after")),
                        options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive])))
    }
}
