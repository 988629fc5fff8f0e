import FoundationEssentials
import StratusSeeds
import Testing

@testable import StratusCloudWire

struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return text(writer.bytes)
    }

    @Test func structure() {
        let result = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.integer(1)
            writer.beginArray()
            writer.endArray()
            writer.boolean(true)
            writer.null()
            writer.endArray()
            writer.key(named: "b\"")
            writer.constant("c")
            writer.endObject()
        }
        #expect(result == #"{"a":[1,[],true,null],"b\"":"c"}"#)
    }

    @Test func escapes() {
        #expect(
            written { $0.string("\"\\/\n\r\t\u{0}\u{1F}\u{7F}é😀") } == #""\"\\/\n\r\t\u0000\u001f"#
                + "\u{7F}é😀\"")
        #expect(written { $0.string("1234567\"1234567\n12345678\\") } == #""1234567\"1234567\n12345678\\""#)
    }

    /// Long texts are looked at in several ways, by how many bytes are left.
    @Test func aByteIsEscapedWhereverItStands() {
        for length in 1...70 {
            for place in 0..<length {
                for (byte, escape) in [(0x22, #"\""#), (0x5C, #"\\"#), (0x1F, #"\u001f"#), (0x0A, #"\n"#)] {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes[place] = UInt8(byte)
                    let plain = (
                        String(repeating: "a", count: place), String(repeating: "a", count: length - place - 1)
                    )
                    let result = written { writer in
                        bytes.withUnsafeBufferPointer { writer.string(utf8: $0) }
                    }
                    #expect(result == "\"\(plain.0)\(escape)\(plain.1)\"")
                }
            }
        }
        // What stands beside those that are escaped is not, nor what looks like them with its highest bit.
        let neighbours: [UInt8] = [
            0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0xC2, 0xA2, 0xC3, 0x9C, 0xC2, 0x9F, 0x61, 0x62, 0x63, 0x64,
        ]
        let result = written { writer in neighbours.withUnsafeBufferPointer { writer.string(utf8: $0) } }
        #expect(Array(result.utf8) == [0x22] + neighbours + [0x22])
    }

    @Test func numbers() {
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(Int64.max) } == "9223372036854775807")
        #expect(written { $0.integer(0) } == "0")
        #expect(written { $0.double(5) } == "5.0")
        #expect(written { $0.double(-0.0) } == "-0.0")
        #expect(written { $0.double(.nan) } == "null")
        #expect(written { $0.double(-.infinity) } == "null")
    }

    @Test func everyDoubleReadsBackWithAllItsBits() throws {
        var random = SeededRandom(seed: Seed.draw())
        var values: [Double] = [
            .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .ulpOfOne, .pi, 1e20, 1e21, 1e22,
            1e23, 0.1, 9_007_199_254_740_992, 123_456_789.125,
        ]
        for _ in 0..<20_000 { values.append(Double(bitPattern: random.next())) }
        for _ in 0..<20_000 { values.append((Double.random(in: -1e9...1e9, using: &random) * 1_000).rounded() / 1_000) }
        for value in values where value.isFinite {
            let text = written { $0.double(value) }
            let read = try JSONReader(text.bytes).double()
            #expect(read.bitPattern == value.bitPattern, "\(text), \(random)")
        }
    }

    @Test func shortDecimalsAreAsLongOnesWouldBe() {
        var random = SeededRandom(seed: Seed.draw())
        var values: [Double] = [
            0.0001, 0.00005, -0.5, 0, -0.0, 1, 4.25, 99_999_999_999.9999, 1e11, 1e15, 1e16, 0.1 + 0.2,
        ]
        for digits in 0...6 {
            for _ in 0..<500 {
                let units = Double(Int64.random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &random))
                values.append(units / [1.0, 10, 100, 1_000, 1e4, 1e5, 1e6][digits])
                values.append((units / 1e9).rounded() / [1.0, 10, 100, 1_000, 1e4, 1e5, 1e6][digits])
            }
        }
        for value in values {
            #expect(written { $0.double(value) } == value.description, "\(random)")
        }
    }

    @Test func integersOfEveryLength() {
        var bounds: [Int64] = [0, .max, .min]
        var power: Int64 = 1
        for _ in 0..<19 {
            bounds += [power - 1, power, power + 1, -power, 1 - power, 9 * (power / 10) + 7]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for value in bounds {
            #expect(written { $0.integer(value) } == "\(value)")
            #expect(written { $0.quotedInteger(value) } == "\"\(value)\"")
        }
    }

    /// At each place of texts of each length, since they are looked at in pieces of several sizes.
    @Test func escapesAreFoundEverywhere() {
        for length in 1...80 {
            for place in 0..<length {
                for (special, escaped) in [("\"", "\\\""), ("\\", "\\\\"), ("\u{1F}", "\\u001f"), ("\u{7F}", "\u{7F}")]
                {
                    let (before, after) = (
                        String(repeating: "é", count: place), String(repeating: " ", count: length - place)
                    )
                    let text = written { $0.string(before + special + after) }
                    #expect(text == "\"" + before + escaped + after + "\"")
                }
            }
        }
    }

    /// What is looked for eight bytes at a time is found at each of them, whatever the bytes beside it.
    @Test func foundationReadsEveryText() throws {
        var random = SeededRandom(seed: Seed.draw())
        let special =
            Array("\u{0}\u{1}\u{1F} !\"#[\\]\u{7F}".utf8).map { String(decoding: [$0], as: UTF8.self) } + [
                "é", "\u{800}", "😀",
            ]
        var texts = special
        for length in 0..<40 {
            for place in 0...length {
                let others = (0..<length).map { _ in random.below(4) == 0 ? special[random.below(special.count)] : "a" }
                let (before, after) = (others[..<place].joined(), others[place...].joined())
                texts.append(before + special[random.below(special.count)] + after)
                texts.append(String(repeating: "x", count: place) + special[random.below(special.count)] + after)
            }
        }
        var writer = JSONWriter()
        writer.beginArray()
        for var text in texts {
            writer.string(text)
            text.withUTF8 { writer.string(utf8: $0) }
        }
        writer.endArray()
        let read = try JSONDecoder().decode([String].self, from: Data(writer.bytes))
        #expect(read.map { Array($0.utf8) } == texts.flatMap { [Array($0.utf8), Array($0.utf8)] }, "\(random)")
    }

    @Test func foundationReadsEveryInteger() throws {
        var random = SeededRandom(seed: Seed.draw())
        var values: [Int64] = [0, .min, .max]
        var power: Int64 = 1
        for _ in 0..<19 {
            values += [power - 1, power, -power, 1 - power]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for _ in 0..<5_000 { values.append(Int64(bitPattern: random.next()) >> Int64(random.below(64))) }
        var writer = JSONWriter()
        writer.beginArray()
        for value in values { writer.integer(value) }
        writer.endArray()
        #expect(try JSONDecoder().decode([Int64].self, from: Data(writer.bytes)) == values, "\(random)")
    }

    @Test func everyTextReadsBack() throws {
        var random = SeededRandom(seed: Seed.draw())
        for _ in 0..<5_000 {
            let value = random.text()
            let read = try JSONReader(written { $0.string(value) }.bytes).string()
            #expect(Array(read.utf8) == Array(value.utf8), "\(random)")
        }
    }
}
