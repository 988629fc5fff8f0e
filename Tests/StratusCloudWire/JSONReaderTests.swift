import StratusCloudModel
import StratusCloudWire
import Testing

struct JSONReaderTests {
    @Test(arguments: [
        ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9007199254740993", 9_007_199_254_740_993),
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ("999999999999999999", 999_999_999_999_999_999),
    ])
    func integers(text: String, value: Int64) throws {
        let reader = try JSONReader(text.bytes)
        #expect(try reader.integer() == value)
        #expect(reader.integerIfExact == value)
        #expect(try reader.double() == Double(value))
    }

    @Test(arguments: [
        ("9223372036854775808", "The body is an integer of more than 64 bits."),
        ("-9223372036854775809", "The body is an integer of more than 64 bits."),
        ("1.0", "The body must be an integer."), ("1e2", "The body must be an integer."),
        (#""1""#, "The body must be an integer."), ("null", "The body must be an integer."),
    ])
    func noIntegers(text: String, expected: String) throws {
        let reader = try JSONReader(text.bytes)
        #expect(reader.integerIfExact == nil)
        #expect(reason("") { (_) throws(CloudError) in try reader.integer() } == expected)
    }

    @Test func doubles() throws {
        let texts = [
            "0.1", "-2.5", "123456789.123456", "9007199254740993.0", "4503599627370497.5", "1e23", "8.5e-5",
            "2.2250738585072011e-308", "179769313486231570000000000000000000000.0", "0.000000000000001",
            "99999999999999.9", "-0.00000000000000001", "9223372036854775808",
        ]
        for text in texts {
            #expect(try JSONReader(text.bytes).double() == Double(text), "\(text)")
        }
        #expect(try JSONReader("-0.0".bytes).double().sign == .minus)
        #expect(try JSONReader("1e-400".bytes).double() == 0)
    }

    @Test func booleans() throws {
        #expect(try JSONReader("true".bytes).boolean())
        #expect(try JSONReader("1".bytes).boolean())
        #expect(try !JSONReader("false".bytes).boolean())
        #expect(try !JSONReader("0".bytes).boolean())
        for text in ["2", "-1", "null", #""true""#, "1.0"] {
            let reader = try JSONReader(text.bytes)
            #expect(throws: CloudError.self) { try reader.boolean() }
        }
    }

    @Test func membersAndElements() throws {
        let reader = try JSONReader(#"{"a":[1,[2,3],{"x":null}],"b":null,"c\u0064":"t"}"#.bytes)
        #expect(reader.count == 3)
        #expect(try reader.members().map(\.name) == ["a", "b", "cd"])
        #expect(reader.member("b") == nil)
        #expect(reader.memberOrNull("b")?.isNull == true)
        #expect(reader.memberOrNull("z") == nil)
        #expect(try reader.member("cd")?.string() == "t")
        let list = try Array(#require(reader.member("a")).elements())
        #expect(list.map(\.kind) == [.number, .array, .object])
        #expect(try list[1].elements().map { try $0.integer() } == [2, 3])
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000\u001F""#, "\u{0}\u{1F}"),
        (#""\u0041\u00e9\u20AC\uFFFF""#, "Aé€\u{FFFF}"), (#""x\ud83d\uDE00y""#, "x😀y"),
        (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"), (#""1234567é\n日本""#, "1234567é\n日本"),
    ])
    func escapes(json: String, expected: String) throws {
        #expect(try Array(JSONReader(json.bytes).string().utf8) == Array(expected.utf8))
    }

    @Test func paths() throws {
        let reader = try JSONReader(#"{"z":{"y":0},"a":[[1],[2,{"x":3}]],"b\u0007":4}"#.bytes)
        #expect(reader.path == "The body")
        let list = try Array(#require(reader.member("a")).elements())
        let inner = try Array(list[1].elements())
        #expect(list[0].path == "a[0]")
        #expect(inner[0].path == "a[1][0]")
        #expect(inner[1].member("x")?.path == "a[1][1].x")
        #expect(reader.member("b\u{7}")?.path == "b\u{FFFD}")
    }

    @Test func longKeysAreShortenedInPaths() throws {
        let reader = try JSONReader(#"{"\#(String(repeating: "k", count: 10_000))":1}"#.bytes)
        let value = try #require(try reader.members().first { _ in true }).value
        #expect(value.path == String(repeating: "k", count: 64) + "…")
    }

    @Test func stringsDifferByBytesNotByMeaning() throws {
        // Composed and decomposed forms are two keys.
        let reader = try JSONReader("{\"\u{E9}\":1,\"e\u{301}\":2}".bytes)
        #expect(try reader.members().map { try $0.value.integer() } == [1, 2])
    }
}

/// What some programs write in front of UTF-8.
@Suite struct ByteOrderMarkTests {
    @Test func aByteOrderMarkIsSkipped() throws {
        let reader = try JSONReader("\u{FEFF}{\"a\":1}".bytes)
        #expect(try reader.required("a").integer() == 1)
        #expect(try JSONReader("\u{FEFF}".bytes).kind == .object)
        #expect(try JSONReader("\u{FEFF} [\"\u{FEFF}\"]".bytes).elements().map { try $0.string() } == ["\u{FEFF}"])
    }
}
