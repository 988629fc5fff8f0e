import StratusCompatibility
import Testing

@Suite struct PredicateLiteralTests {
    private func value(_ literal: String, _ arguments: [Any] = []) throws -> PredicateValue? {
        let predicate = try NSPredicate(validating: "a == " + literal, argumentArray: arguments)
        guard case .comparison(let comparison) = predicate.predicateTree,
            case .value(let value) = comparison.right
        else { return nil }
        return value
    }

    @Test(arguments: [
        ("0", PredicateValue.integer(0)), ("42", .integer(42)), ("-42", .integer(-42)), ("0x1F", .integer(31)),
        ("0X1f", .integer(31)), ("0o17", .integer(15)), ("0b101", .integer(5)), ("1.5", .double(1.5)),
        (".5", .double(0.5)), ("1e3", .double(1_000)), ("1.5E-3", .double(0.0015)), ("-2.5e+2", .double(-250)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)), ("18446744073709551615", .unsigned(.max)),
        ("0xFFFFFFFFFFFFFFFF", .unsigned(.max)), ("18446744073709551616", .double(0x1p64)), ("TRUE", .bool(true)),
        ("yes", .bool(true)), ("False", .bool(false)), ("NO", .bool(false)), ("NULL", .null), ("nil", .null),
    ])
    func numbersAndWords(literal: String, expected: PredicateValue) throws {
        #expect(try value(literal) == expected)
    }

    @Test(arguments: [
        ("'x'", "x"), (#""x""#, "x"), (#"'"'"#, "\""), (#""'""#, "'"), (#"'\''"#, "'"), (#"'a\\b'"#, #"a\b"#),
        (#"'\n\t\r\a\b\f\v'"#, "\n\t\r\u{7}\u{8}\u{C}\u{B}"), (#"'\x41\x9'"#, "A\t"), (#"'\u00e9'"#, "é"),
        (#"'\ud83d\ude00'"#, "😀"), (#"'\U0001F600'"#, "😀"), (#"'\101\0'"#, "A\0"), (#"'\d\.'"#, "d."),
        ("'%@ $x %K'", "%@ $x %K"),
        ("'\u{301}'", "\u{301}"), ("''", ""),
    ])
    func texts(literal: String, expected: String) throws {
        #expect(try value(literal) == .string(expected))
    }

    @Test func argumentsKeepTheirTypes() throws {
        let (date, uuid, data) = (Date(timeIntervalSinceReferenceDate: 0.1), UUID(), Data([1, 2]))
        let object = NSObject()
        let cases: [(Any, PredicateValue)] = [
            ("x", .string("x")), ("x" as NSString, .string("x")), (5, .integer(5)), (Int8(-5), .integer(-5)),
            (UInt64.max, .unsigned(.max)), (Int64.min, .integer(.min)), (5 as NSNumber, .integer(5)),
            (2.5, .double(2.5)),
            (Float(0.5), .double(0.5)), (CGFloat(2), .double(2)), (true, .bool(true)), (true as NSNumber, .bool(true)),
            (1 as NSNumber, .integer(1)), (date, .date(date)), (date as NSDate, .date(date)), (uuid, .uuid(uuid)),
            (uuid as NSUUID, .uuid(uuid)), (data, .data(data)), (data as NSData, .data(data)), (NSNull(), .null),
            (Optional<Int>.none as Any, .null), (Optional("x") as Any, .string("x")),
            (["a", "b"], .list([.string("a"), .string("b")])),
            ([1, "x"] as NSArray, .list([.integer(1), .string("x")])),
            (NSMutableArray(array: [1]), .list([.integer(1)])), (Set([7]), .list([.integer(7)])),
            (NSSet(object: 7), .list([.integer(7)])),
            (["k": 1], .dictionary(["k": .integer(1)])),
            (Decimal(string: "1.5") ?? 0, .decimal(Decimal(string: "1.5") ?? 0)),
            (NSDecimalNumber(string: "1.5"), .decimal(Decimal(string: "1.5") ?? 0)),
            (object, .object(PredicateObject(object))),
        ]
        for (argument, expected) in cases {
            #expect(try value("%@", [argument]) == expected, "\(type(of: argument))")
        }
    }

    @Test(arguments: [
        "%d", "%i", "%u", "%lu", "%ld", "%lld", "%llu", "%qd", "%hhd", "%x", "%zd", "%f", "%lf", "%5.2f", "%g", "%e",
        "%c", "%@",
    ])
    func conversionsTakeTheArgumentAsItIs(conversion: String) throws {
        #expect(try value(conversion, [7]) == .integer(7))
        #expect(try value(conversion, [7.25]) == .double(7.25))
        // The wrong kind of argument does not stop the program.
        #expect(try value(conversion, ["x"]) == .string("x"))
    }

    @Test func keysAsArguments() throws {
        func left(_ format: String, _ arguments: Any...) throws -> PredicateOperand? {
            guard
                case .comparison(let comparison) = try NSPredicate(validating: format, argumentArray: arguments)
                    .predicateTree
            else { return nil }
            return comparison.left
        }
        #expect(try left("%K == 1", "a.b") == .keyPath("a.b"))
        #expect(try left("%K.c == 1", "a.b") == .keyPath("a.b.c"))
        #expect(try left("a.%K == 1", "b.c") == .keyPath("a.b.c"))
        #expect(try left("%K == 1", "self") == .evaluatedObject)
        #expect(try left("%K == 1", "SELF.a") == .keyPath("a"))
        // Keys from outside can hold anything and stay keys.
        #expect(try left("%K == 1", "x' OR 1 == 1 OR '") == .keyPath("x' OR 1 == 1 OR '"))
        #expect(throws: PredicateFormatError.self) { try left("%K == 1", 5) }
        #expect(throws: PredicateFormatError.self) { try left("%K == 1", "") }
    }

    @Test func argumentsBeyondTheFormatAreIgnored() throws {
        #expect(try value("%@", [1, 2, 3]) == .integer(1))
    }
}
