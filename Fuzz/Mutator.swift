/// Changes valid inputs into ones that are nearly valid.
struct Mutator {
    var random: Randomness

    /// Texts that take the place of a whole value.
    private static let values = [
        "null", "true", "false", "0", "-0", "-0.0", "1e400", "-1e400", "1e-400", "5e-324", "1.7976931348623157e308",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "0.1", "1E+2",
        "01", "+1", ".5", "1.", "NaN", "Infinity", #""""#, #""9223372036854775807""#, #""\u0000""#, #""\ud800""#,
        #""\ud83d\ude00""#, #""\ud83d\u0041""#, #""é""#, #""e\u0301""#, "[]", "{}", "[null]", "[[]]", #"{"value":1}"#,
        #"{"latitude":90,"longitude":-180}"#, #"{"recordName":"R"}"#, #"{"fileChecksum":"c","size":-1}"#, #""NONE""#,
        #""none""#, #""INT64_LIST""#, #""ENCRYPTED_BYTES""#, #""UNKNOWN_LIST""#, #""TIMESTAMP""#, #""AAAA""#,
        #""AA=""#, #""___createTime""#, "1422312944104", "1422312944104.5",
    ]
    /// Members put in front of others in an object.
    private static let members = [
        #""value":1,"#, #""type":"LIST","#, #""recordName":"R","#, #""\u0076alue":2,"#, #""isEncrypted":true,"#,
        #""exactReferenceSeconds":444005744.104,"#, #""zoneID":{"zoneName":"Z"},"#, #""numbersAsStrings":true,"#,
        #""parent":null,"#, #""desiredKeys":null,"#, #""distance":5,"#, #""systemFieldName":"recordName","#,
    ]
    private static let bytes: [UInt8] = [
        0x00, 0x1F, 0x22, 0x5C, 0x7B, 0x5B, 0x7D, 0x5D, 0x2C, 0x3A, 0x80, 0xC0, 0xED, 0xFF,
    ]

    /// Changes one input of the corpus; `others` lend pieces. Half of the results keep the shape of the input, so that
    /// many of them get past the reader; the others are damaged anywhere.
    mutating func mutate(_ input: [UInt8], others: [[UInt8]]) -> [UInt8] {
        var result = input
        if random.below(2) == 0 {
            for _ in 0...random.below(2) { changeValue(&result) }
        } else {
            for _ in 0...random.below(4) { damage(&result, others) }
        }
        return result
    }

    private mutating func changeValue(_ text: inout [UInt8]) {
        switch random.below(6) {
        case 0: repeatMember(&text)
        case 1: nest(&text)
        default: replaceValue(&text)
        }
    }

    private mutating func damage(_ text: inout [UInt8], _ others: [[UInt8]]) {
        guard !text.isEmpty else { return }
        switch random.below(8) {
        case 0: text[random.below(text.count)] ^= 1 << UInt8(random.below(8))
        case 1: text[random.below(text.count)] = random.pick(Self.bytes) ?? 0
        case 2: text.removeSubrange(range(of: text, upTo: 16))
        case 3: text.insert(contentsOf: text[range(of: text, upTo: 64)], at: random.below(text.count + 1))
        case 4: splice(&text, others)
        case 5: text.removeLast(random.below(text.count))
        default: changeValue(&text)
        }
    }

    private mutating func range(of text: [UInt8], upTo length: Int) -> Range<Int> {
        let start = random.below(text.count)
        return start..<min(text.count, start + 1 + random.below(length))
    }

    private mutating func splice(_ text: inout [UInt8], _ others: [[UInt8]]) {
        guard let other = random.pick(others), !other.isEmpty else { return }
        text.replaceSubrange(range(of: text, upTo: 32), with: other[range(of: other, upTo: 128)])
    }

    /// Puts an interesting value in the place of a number or a string.
    private mutating func replaceValue(_ text: inout [UInt8]) {
        guard let scalar = random.pick(Self.scalars(in: text)), let value = random.pick(Self.values) else { return }
        text.replaceSubrange(scalar, with: value.utf8)
    }

    /// Adds a member to an object, which may repeat one.
    private mutating func repeatMember(_ text: inout [UInt8]) {
        let objects = text.indices.filter { text[$0] == UInt8(ascii: "{") }
        guard let object = random.pick(objects), let member = random.pick(Self.members) else { return }
        text.insert(contentsOf: member.utf8, at: object + 1)
    }

    /// Wraps a number or a string into containers, often up to and beyond the greatest depth.
    private mutating func nest(_ text: inout [UInt8]) {
        guard let scalar = random.pick(Self.scalars(in: text)) else { return }
        let depth = 1 + random.below(70)
        let wrapped =
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + text[scalar]
            + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        text.replaceSubrange(scalar, with: wrapped)
    }

    /// Where numbers and strings stand in a text, roughly.
    private static func scalars(in text: [UInt8]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var index = 0
        while index < text.count {
            let start = index
            index += 1
            if text[start] == UInt8(ascii: "\"") {
                while index < text.count, text[index] != UInt8(ascii: "\"") { index += 1 }
                index = min(index + 1, text.count)
            } else if UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[start] {
                while index < text.count, UInt8(ascii: "+")...UInt8(ascii: "9") ~= text[index],
                    text[index] != UInt8(ascii: ",")
                {
                    index += 1
                }
            } else {
                continue
            }
            result.append(start..<index)
        }
        return result
    }
}
