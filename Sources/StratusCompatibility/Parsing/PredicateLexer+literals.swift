extension PredicateLexer {
    /// A text in either kind of quotes. What a backslash stands before is kept without it, unless it has a meaning.
    mutating func text() throws(PredicateFormatError) -> String {
        let start = index
        let quote = peek
        index += 1
        var units: [UInt16] = []
        while let scalar = peek {
            index += 1
            if scalar == quote { return try decoded(units, from: start) }
            if scalar == "\\" {
                units += try escape()
            } else {
                units.append(contentsOf: scalar.utf16)
            }
        }
        throw error("the text that begins here has no closing \(quote.map { String($0) } ?? "quote")", at: start)
    }

    private func decoded(_ units: [UInt16], from start: Int) throws(PredicateFormatError) -> String {
        guard let text = String(validating: units, as: UTF16.self) else {
            throw error("the text holds half of a surrogate pair", at: start)
        }
        return text
    }

    /// What stands behind a backslash, as UTF-16, so that two `\u` can make a pair.
    private mutating func escape() throws(PredicateFormatError) -> [UInt16] {
        let start = index - 1
        guard let scalar = peek else { throw error("nothing follows the backslash", at: start) }
        index += 1
        switch scalar {
        case "a": return [7]
        case "b": return [8]
        case "t": return [9]
        case "n": return [10]
        case "v": return [11]
        case "f": return [12]
        case "r": return [13]
        case "x": return [UInt16(try digits(radix: 16, count: 1...2, from: start))]
        case "u": return [UInt16(try digits(radix: 16, count: 4...4, from: start))]
        case "U":
            guard let scalar = Unicode.Scalar(try digits(radix: 16, count: 8...8, from: start)) else {
                throw error("the number is no character", at: start)
            }
            return Array(String(scalar).utf16)
        case "0"..."7":
            index -= 1
            return [UInt16(try digits(radix: 8, count: 1...3, from: start))]
        default: return Array(String(scalar).utf16)
        }
    }

    private mutating func digits(
        radix: UInt32, count: ClosedRange<Int>, from start: Int
    ) throws(PredicateFormatError) -> UInt32 {
        var value: UInt32 = 0
        var found = 0
        while found < count.upperBound, let digit = peek.flatMap({ Self.value(of: $0, radix: radix) }) {
            (value, found, index) = (value &* radix &+ digit, found + 1, index + 1)
        }
        guard found >= count.lowerBound else {
            throw error("\(count.lowerBound) digits must follow in this escape", at: start)
        }
        return value
    }

    private static func value(of scalar: Unicode.Scalar, radix: UInt32) -> UInt32? {
        let value: UInt32 =
            switch scalar {
            case "0"..."9": scalar.value - 48
            case "a"..."f": scalar.value - 87
            case "A"..."F": scalar.value - 55
            default: radix
            }
        return value < radix ? value : nil
    }

    /// `12`, `1.5`, `.5e-3`, `0x1F`, `0o17`, `0b101`. Whole numbers too large for 64 bits become floating point.
    mutating func number() throws(PredicateFormatError) -> PredicateToken {
        let start = index
        if peek == "0", let radix = Self.radix(peek(1)) {
            index += 2
            let digits = take { Self.value(of: $0, radix: UInt32(radix)) != nil }
            guard let value = UInt64(digits, radix: radix) else {
                throw error(digits.isEmpty ? "digits must follow" : "the number has more than 64 bits", at: start)
            }
            try endNumber(from: start)
            return .number(Self.whole(value))
        }
        var text = take(Self.isDigit)
        var isWhole = true
        if peek == ".", peek(1).map(Self.isDigit) == true {
            isWhole = false
            index += 1
            text += "." + take(Self.isDigit)
        }
        if let exponent = try exponent(from: start) {
            isWhole = false
            text += exponent
        }
        try endNumber(from: start)
        if isWhole, let value = UInt64(text) { return .number(Self.whole(value)) }
        guard let value = Double(text.hasPrefix(".") ? "0" + text : text) else {
            throw error("this is no number", at: start)
        }
        return .number(.double(value))
    }

    private mutating func exponent(from start: Int) throws(PredicateFormatError) -> String? {
        guard peek == "e" || peek == "E" else { return nil }
        var text = "e"
        index += 1
        if let sign = peek, sign == "+" || sign == "-" {
            text += String(sign)
            index += 1
        }
        let digits = take(Self.isDigit)
        guard !digits.isEmpty else { throw error("the exponent has no digits", at: start) }
        return text + digits
    }

    private func endNumber(from start: Int) throws(PredicateFormatError) {
        if let scalar = peek, Self.beginsName(scalar) || Self.isDigit(scalar) {
            throw error("'\(scalar)' cannot follow a number", at: index)
        }
    }

    private mutating func take(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = peek, belongs(scalar) {
            text.append(scalar)
            index += 1
        }
        return String(text)
    }

    private static func whole(_ value: UInt64) -> PredicateValue {
        Int64(exactly: value).map(PredicateValue.integer) ?? .unsigned(value)
    }

    private static func radix(_ scalar: Unicode.Scalar?) -> Int? {
        switch scalar {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }

    /// `%@`, `%K`, and what printf has for numbers, characters and texts.
    mutating func conversion() throws(PredicateFormatError) -> PredicateToken.Conversion {
        let start = index
        index += 1
        _ = take { "-+0#.'".unicodeScalars.contains($0) || Self.isDigit($0) }
        let length = take { "hlqLjzt".unicodeScalars.contains($0) }
        guard let scalar = peek else { throw error("a conversion such as @, K or d must follow '%'", at: start) }
        index += 1
        switch scalar {
        case "@": return .value
        case "K" where length.isEmpty: return .keyPath
        case "d", "i", "u", "D", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G", "a", "A", "c", "C", "s", "S",
            "p":
            return .value
        default: throw error("'%\(length)\(scalar)' is no conversion", at: start)
        }
    }
}
