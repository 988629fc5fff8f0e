/// The inside of JSON strings: finding where one ends, checking it, and resolving its escapes.
enum JSONText {
    /// What some programs write in front of UTF-8.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The lowest set bit lies in the first byte that is a quotation mark, a backslash, a control character or not
    /// ASCII; zero if there is none.
    @inline(__always)
    static func firstSpecial(_ word: UInt64) -> UInt64 { firstToEscape(word) | word & highBits }

    /// The lowest set bit lies in the first byte that is a quotation mark, a backslash or a control character; zero if
    /// there is none.
    @inline(__always)
    static func firstToEscape(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
        return found & highBits
    }

    /// Checks a string from its first byte to its closing quotation mark, whose position is `end`.
    static func scan(
        _ input: Span<UInt8>, from start: Int
    ) throws(JSONSyntaxError) -> (end: Int, isEscaped: Bool) {
        var index = start
        var isEscaped = false
        while true {
            while index &+ 8 <= input.count {
                let word = UInt64(
                    littleEndian: input.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
                let special = firstSpecial(word)
                guard special == 0 else {
                    index &+= special.trailingZeroBitCount >> 3
                    break
                }
                index &+= 8
            }
            guard index < input.count else {
                throw JSONSyntaxError(message: "the end inside a string", offset: input.count)
            }
            switch input[index] {
            case UInt8(ascii: "\""):
                return (index, isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                index = try endOfEscape(input, at: index)
            case 0..<0x20:
                throw JSONSyntaxError(message: "a control character inside a string", offset: index)
            case 0x20..<0x80:
                index += 1
            default:
                index = try endOfScalar(input, at: index)
            }
        }
    }

    /// The end of an escape whose backslash is at `index`; a surrogate pair is one escape.
    private static func endOfEscape(_ input: Span<UInt8>, at index: Int) throws(JSONSyntaxError) -> Int {
        guard index + 1 < input.count else {
            throw JSONSyntaxError(message: "the end inside a string", offset: input.count)
        }
        switch input[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            break
        default:
            throw JSONSyntaxError(message: "an unknown escape", offset: index)
        }
        let unit = try codeUnit(input, at: index)
        switch unit {
        case 0xD800..<0xDC00:
            guard index + 7 < input.count, input[index + 6] == UInt8(ascii: "\\"),
                input[index + 7] == UInt8(ascii: "u"),
                case 0xDC00..<0xE000 = try codeUnit(input, at: index + 6)
            else { throw JSONSyntaxError(message: "an unpaired surrogate", offset: index) }
            return index + 12
        case 0xDC00..<0xE000:
            throw JSONSyntaxError(message: "an unpaired surrogate", offset: index)
        default:
            return index + 6
        }
    }

    /// The four hexadecimal digits of the `\u` escape whose backslash is at `index`.
    private static func codeUnit(_ input: Span<UInt8>, at index: Int) throws(JSONSyntaxError) -> UInt32 {
        guard index + 5 < input.count else {
            throw JSONSyntaxError(message: "the end inside a string", offset: input.count)
        }
        var unit: UInt32 = 0
        for position in index + 2..<index + 6 {
            guard let digit = hexadecimal(input[position]) else {
                throw JSONSyntaxError(message: "an unknown escape", offset: index)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// The end of the UTF-8 sequence at `index`, whose first byte is not ASCII. Overlong forms, surrogates and
    /// scalars beyond U+10FFFF are refused.
    private static func endOfScalar(_ input: Span<UInt8>, at index: Int) throws(JSONSyntaxError) -> Int {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch input[index] {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (1, 0x80...0xBF)
            }
        guard length > 1, index + length <= input.count, second.contains(input[index + 1]) else {
            throw JSONSyntaxError(message: "bytes that are not UTF-8", offset: index)
        }
        for offset in 2..<max(2, length) where input[index + offset] & 0xC0 != 0x80 {
            throw JSONSyntaxError(message: "bytes that are not UTF-8", offset: index)
        }
        return index + length
    }

    /// The text a checked string stands for, as UTF-8.
    static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                result.append(raw[index])
                index += 1
                continue
            }
            let letter = raw[index + 1]
            guard letter == UInt8(ascii: "u") else {
                result.append(controlCharacter(letter))
                index += 2
                continue
            }
            var scalar = unit(raw, at: index)
            index += 6
            if 0xD800..<0xDC00 ~= scalar {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(raw, at: index) - 0xDC00)
                index += 6
            }
            append(scalar, to: &result)
        }
        return result
    }

    private static func unit(_ raw: ArraySlice<UInt8>, at index: Int) -> UInt32 {
        raw[index + 2..<index + 6].reduce(0) { $0 << 4 | (hexadecimal($1) ?? 0) }
    }

    private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private static func controlCharacter(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
