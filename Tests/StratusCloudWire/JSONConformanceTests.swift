import StratusCloudModel
import StratusCloudWire
import Testing

struct JSONConformanceTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "0.0", "-0.0", "0e0", "0E+1", "1e5", "1E-5", "1.5e+10",
        "123456789012345678901234567890", "5e-324", "1e-400", "1.7976931348623157e308", #""""#, #""a""#,
        #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u0041""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uFFFF""#,
        #""é日本😀""#, "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "[]", "[ ]", "[1]", "[1,2]", "[[],{}]", "{}", "{ }",
        #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"":0}"#, #"{"a":{"a":1}}"#, #"[{"a":1},{"a":1}]"#, " \t\r\n1\t\r\n ",
        #"{ "a" : [ 1 , 2 ] }"#, #""12345678\n12345678""#,
    ])
    func accepted(text: String) throws {
        _ = try JSONReader(text.bytes)
    }

    @Test(arguments: [
        (" ", "the end instead of a value at byte 1"), ("nul", "an invalid value at byte 0"),
        ("True", "an invalid value at byte 0"), ("nan", "an invalid value at byte 0"),
        ("Infinity", "an invalid value at byte 0"), ("'a'", "an invalid value at byte 0"),
        ("// x", "an invalid value at byte 0"), ("+1", "an invalid value at byte 0"),
        (".5", "an invalid value at byte 0"), ("1 2", "text after the value at byte 2"),
        ("truex", "text after the value at byte 4"), ("[1]]", "text after the value at byte 3"),
        ("1.2.3", "text after the value at byte 3"), ("0x10", "text after the value at byte 1"),
        ("1_000", "text after the value at byte 1"), ("-", "a number without digits at byte 0"),
        ("--1", "a number without digits at byte 0"), ("-a", "a number without digits at byte 0"),
        ("1.", "a number without digits at byte 0"), ("1.e5", "a number without digits at byte 0"),
        ("1e", "a number without digits at byte 2"), ("1e+", "a number without digits at byte 3"),
        ("01", "a number with a leading zero at byte 0"), ("-01", "a number with a leading zero at byte 0"),
        ("1e400", "a number beyond the range of a double at byte 0"),
        ("-1e99999999999999999999", "a number beyond the range of a double at byte 0"),
        ("1.8e308", "a number beyond the range of a double at byte 0"),
        ("[1", "the end inside an object or array at byte 2"), ("[1,", "the end instead of a value at byte 3"),
        ("[1,]", "an invalid value at byte 3"), ("[,1]", "an invalid value at byte 1"),
        ("[1 2]", "a missing comma between two values at byte 3"),
        ("[1}", "a missing comma between two values at byte 2"),
        ("{", "a missing key at byte 1"), ("{a:1}", "a missing key at byte 1"),
        ("{1:1}", "a missing key at byte 1"), (#"{"a" 1}"#, "a missing colon after a key at byte 5"),
        (#"{"a":1,}"#, "a missing key at byte 7"), (#"{"a":}"#, "an invalid value at byte 5"),
        (#"{"a":1 "b":2}"#, "a missing comma between two values at byte 7"),
        (#""a"#, "the end inside a string at byte 2"),
        (#""\"#, "the end inside a string at byte 2"), (#""\x""#, "an unknown escape at byte 1"),
        (#""\u00g0""#, "an unknown escape at byte 1"), (#""\u00""#, "the end inside a string at byte 6"),
        (#""\ud800""#, "an unpaired surrogate at byte 1"), (#""\udc00""#, "an unpaired surrogate at byte 1"),
        (#""\ud800\"#, "an unpaired surrogate at byte 1"),
        (#""\ud800\u"#, "the end inside a string at byte 9"),
        (#""\ud800\u0041""#, "an unpaired surrogate at byte 1"),
        (#""\ud800x12345""#, "an unpaired surrogate at byte 1"),
        ("\"a\nb\"", "a control character inside a string at byte 2"),
        ("\"\u{0}\"", "a control character inside a string at byte 1"),
        ("\"\t12345678\"", "a control character inside a string at byte 1"),
        (#"{"a":1,"a":1}"#, "a key that appears twice at byte 8"),
        (#"{"a":1,"\u0061":1}"#, "a key that appears twice at byte 8"),
        (#"[{"b":{"a":1,"c":2,"a":3}}]"#, "a key that appears twice at byte 20"),
        ("{\u{FEFF}}", "a missing key at byte 1"),
        ("\u{FEFF}\u{FEFF}{}", "an invalid value at byte 3"),
        (" \u{FEFF}{}", "an invalid value at byte 1"),
    ])
    func refused(text: String, expected: String) {
        #expect(
            reason(text) { (bytes) throws(CloudError) in try JSONReader(bytes) }
                == "The body is not valid JSON: \(expected).")
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xFF],
        ] as [[UInt8]])
    func invalidUTF8(sequence: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for prefix in 0..<9 {
            let text = [quote] + [UInt8](repeating: UInt8(ascii: "a"), count: prefix) + sequence + [quote]
            let error = #expect(throws: CloudError.self) { try JSONReader(text) }
            #expect(error?.reason == "The body is not valid JSON: bytes that are not UTF-8 at byte \(prefix + 1).")
        }
    }

    @Test func everyScalarIsRead() throws {
        for value: UInt32 in [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF] {
            let text = String(try #require(Unicode.Scalar(value)))
            #expect(try JSONReader("\"\(text)\"".bytes).string() == text)
        }
    }

    @Test func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONReader(nested(JSONLimits.depth).bytes)
        for depth in [JSONLimits.depth + 1, 100_000] {
            #expect(
                reason(nested(depth)) { (bytes) throws(CloudError) in try JSONReader(bytes) }
                    == "The body is not valid JSON: nesting deeper than 64 levels at byte 64.")
        }
        #expect(
            reason(String(repeating: #"{"a":"#, count: 100_000)) { (bytes) throws(CloudError) in try JSONReader(bytes) }
                == "The body is not valid JSON: nesting deeper than 64 levels at byte 320.")
    }

    @Test func size() throws {
        _ = try JSONReader("[1]".bytes, limit: 3)
        #expect(
            reason("[1] ") { (bytes) throws(CloudError) in try JSONReader(bytes, limit: 3) }
                == "The body has 4 bytes; the limit is 3.")
    }

    @Test func emptyTextIsAnEmptyObject() throws {
        let reader = try JSONReader([])
        #expect(reader.kind == .object)
        #expect(reader.count == 0)
    }

    @Test func lengthOfNumbers() throws {
        let longest = "0." + String(repeating: "1", count: JSONLimits.numberLength - 2)
        #expect(try JSONReader(longest.bytes).double() == 0.1111111111111111)
        #expect(
            reason(longest + "1") { (bytes) throws(CloudError) in try JSONReader(bytes) }
                == "The body is not valid JSON: a number of more than 1024 characters at byte 0.")
    }

    @Test func repeatedKeysInLargeObjects() throws {
        func object(_ keys: some Sequence<String>) -> String {
            "{" + keys.map { #""\#($0)":0"# }.joined(separator: ",") + "}"
        }
        for count in [15, 16, 17, 18, 100, 100_000] {
            let keys = (0..<count).map { "key\($0)" }
            #expect(try JSONReader(object(keys).bytes).count == count)
            for repeated in ["key0", #"\u006bey0"#, "key\(count - 1)"] {
                let body = object(keys + [repeated])
                #expect(
                    reason(body) { (bytes) throws(CloudError) in try JSONReader(bytes) }
                        .contains("a key that appears twice"))
            }
        }
    }
}
