import Glibc

/// One line of the log: a JSON object and a line feed, whatever the texts hold.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    init(time: LogTime, level: LogLevel, message: String, fields: [LogFields] = []) {
        bytes.reserveCapacity(256)
        bytes += "{\"time\":\"".utf8
        time.append(to: &bytes)
        bytes += "\",\"level\":\"\(level.name)\",\"message\":".utf8
        append(message)
        var room = TelemetryLimits.logFields
        for group in fields {
            for field in group.list.prefix(room) {
                bytes.append(UInt8(ascii: ","))
                append(field.name)
                bytes.append(UInt8(ascii: ":"))
                append(field.value)
            }
            room -= min(group.list.count, room)
        }
        bytes += "}\n".utf8
    }

    private mutating func append(_ value: LogValue) {
        switch value {
        case .string(let text): append(text)
        case .integer(let number): bytes += String(number).utf8
        case .double(let number) where number.isFinite: bytes += number.description.utf8
        case .double(let number): append(number.description)
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.isPlain(text) { bytes += text.utf8 } else { appendEscaped(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a text stands in a line as it is: short enough, and nothing but ASCII that needs no escape.
    private static func isPlain(_ text: String) -> Bool {
        guard text.utf8.count <= TelemetryLimits.logText else { return false }
        return text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }
        } ?? false
    }

    private mutating func appendEscaped(_ text: String) {
        let end = bytes.count + TelemetryLimits.logText
        for scalar in text.unicodeScalars {
            guard bytes.count < end else {
                bytes += "…".utf8
                break
            }
            append(scalar)
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22, 0x5C: bytes += [0x5C, UInt8(scalar.value)]
        case 0x0A: bytes += "\\n".utf8
        // Besides C0 also DEL, C1 and the two line separators: a log is read in terminals and split into lines.
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
            let digits = String(scalar.value, radix: 16)
            bytes += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8
        default: bytes += UTF8.encode(scalar).map(Array.init) ?? []
        }
    }
}
