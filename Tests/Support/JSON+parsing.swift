extension JSON {
    /// Why a text is no JSON.
    public struct SyntaxError: Error, Sendable, CustomStringConvertible {
        /// What was expected or found.
        public let message: String
        /// Offset in bytes.
        public let offset: Int
        /// Both.
        public var description: String { "\(message) at byte \(offset)" }
    }

    /// Reads a strict JSON text (RFC 8259): anything else, and an object with a repeated member, is an error.
    public init(parsing bytes: [UInt8]) throws(SyntaxError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw SyntaxError(message: "malformed UTF-8", offset: 0)
        }
        var parser = Parser(bytes: bytes)
        self = try parser.document()
    }

    /// Reads a strict JSON text.
    public init(parsing text: String) throws(SyntaxError) { try self.init(parsing: Array(text.utf8)) }
}

private struct Parser {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSON.SyntaxError) -> JSON {
        let value = try value()
        skipSpace()
        guard offset == bytes.count else { throw error("text after the value") }
        return value
    }

    private func error(_ message: String) -> JSON.SyntaxError { JSON.SyntaxError(message: message, offset: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[offset...].starts(with: text.utf8) else { return false }
        offset += text.utf8.count
        return true
    }

    private mutating func value() throws(JSON.SyntaxError) -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t") where take("true"): return .bool(true)
        case UInt8(ascii: "f") where take("false"): return .bool(false)
        case UInt8(ascii: "n") where take("null"): return .null
        default: return .number(try number())
        }
    }

    private mutating func array() throws(JSON.SyntaxError) -> JSON {
        offset += 1
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            elements.append(try value())
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw error("',' or ']' expected") }
        }
    }

    private mutating func object() throws(JSON.SyntaxError) -> JSON {
        offset += 1
        var members: [String: JSON] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            let key = try string()
            skipSpace()
            guard take(":") else { throw error("':' expected") }
            guard members.updateValue(try value(), forKey: key) == nil else { throw error("member '\(key)' repeated") }
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw error("',' or '}' expected") }
        }
    }

    private mutating func number() throws(JSON.SyntaxError) -> String {
        let start = offset
        _ = take("-")
        let isZero = take("0")
        if !isZero, digits() == 0 { throw error("value expected") }
        if take("."), digits() == 0 { throw error("digit expected") }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if digits() == 0 { throw error("digit expected") }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = offset
        while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
        return offset - start
    }

    private mutating func string() throws(JSON.SyntaxError) -> String {
        guard take("\"") else { throw error("string expected") }
        var units: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units.append(contentsOf: Array(String(try escaped()).utf8))
            case 0..<0x20: throw error("control character in a string")
            default: units.append(byte)
            }
        }
        throw error("'\"' expected")
    }

    private mutating func escaped() throws(JSON.SyntaxError) -> Unicode.Scalar {
        let plain: [UInt8: Unicode.Scalar] = [
            0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
        ]
        guard let byte = next else { throw error("escape expected") }
        offset += 1
        if let scalar = plain[byte] { return scalar }
        guard byte == UInt8(ascii: "u") else { throw error("unknown escape") }
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xDC00, take("\\u") else { throw error("lone surrogate") }
        let low = try codeUnit()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + UInt32(low) - 0xDC00)
        else { throw error("lone surrogate") }
        return scalar
    }

    private mutating func codeUnit() throws(JSON.SyntaxError) -> UInt16 {
        guard offset + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw error("four hexadecimal digits expected") }
        offset += 4
        return unit
    }
}
