/// Where a request stands in a trace that spans several services: the W3C Trace Context, as far as it is passed on.
///
/// Whatever comes from outside is checked and bounded here; what is not as the recommendation has it counts as absent.
public struct TraceContext: Hashable, Sendable {
    /// The whole trace: 32 lower-case hexadecimal digits, not all of them 0.
    public let traceID: String
    /// The step in it that this is about: 16 such digits.
    public let spanID: String
    /// Whether the caller records the trace (bit 0), and whether its identifier is random (bit 1).
    public let flags: UInt8
    /// What tracing systems pass along with it, as `tracestate` has it; empty if there is none.
    public let state: String

    /// Bytes of a `tracestate` that are passed on; of a longer one nothing is.
    public static let stateLength = 512
    /// Members of a `tracestate`.
    public static let stateMembers = 32
    private static let knownFlags: UInt8 = 0b11

    private init(traceID: String, spanID: String, flags: UInt8, state: String) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
        self.state = state
    }

    /// Reads the header fields of a request; nil unless there is one `traceparent`, of a known form. A `tracestate` that is
    /// wrong is left out.
    public init?(traceparent: [String], tracestate: [String]) {
        guard traceparent.count == 1, let parent = traceparent.first else { return nil }
        let bytes = Array(parent.utf8)
        let dash = UInt8(ascii: "-")
        // Version, trace, span, flags. A later version may have more behind another dash.
        guard bytes.count >= 55, bytes.count <= 2 * Self.stateLength, bytes[2] == dash, bytes[35] == dash,
            bytes[52] == dash
        else { return nil }
        let version = bytes[0..<2]
        guard Self.isHexadecimal(version), !version.elementsEqual("ff".utf8),
            bytes.count == 55 || (!version.elementsEqual("00".utf8) && bytes[55] == dash),
            Self.isIdentifier(bytes[3..<35]), Self.isIdentifier(bytes[36..<52]), Self.isHexadecimal(bytes[53..<55]),
            let flags = UInt8(String(decoding: bytes[53..<55], as: UTF8.self), radix: 16)
        else { return nil }
        self.init(
            traceID: String(decoding: bytes[3..<35], as: UTF8.self),
            spanID: String(decoding: bytes[36..<52], as: UTF8.self), flags: flags & Self.knownFlags,
            state: Self.checked(tracestate.joined(separator: ",")))
    }

    /// A step of the same trace.
    /// - Parameter span: any number; 0, which stands for none, counts as 1.
    public func step(_ span: UInt64) -> TraceContext {
        let digits = String(max(1, span), radix: 16)
        return TraceContext(
            traceID: traceID, spanID: String(repeating: "0", count: 16 - digits.count) + digits, flags: flags,
            state: state)
    }

    /// The header field for what is caused by this step, in version 00.
    public var traceparent: String {
        let digits = String(flags, radix: 16)
        return "00-\(traceID)-\(spanID)-\(digits.count == 1 ? "0" : "")\(digits)"
    }

    private static func isHexadecimal(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isIdentifier(_ bytes: some Sequence<UInt8>) -> Bool {
        isHexadecimal(bytes) && !bytes.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    // MARK: - tracestate

    /// The members with single commas between them; empty if one of them is wrong, or there are too many.
    private static func checked(_ text: String) -> String {
        guard text.utf8.count <= stateLength else { return "" }
        var seen: Set<Substring> = []
        var members: [Substring] = []
        for member in text.split(separator: ",", omittingEmptySubsequences: true) {
            let member = trimmed(member)
            if member.isEmpty { continue }
            let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, isKey(parts[0]), isValue(parts[1]), seen.insert(parts[0]).inserted else {
                return ""
            }
            members.append(member)
        }
        return members.count <= stateMembers ? members.joined(separator: ",") : ""
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
        return text[...last].drop(while: isBlank)
    }

    /// A name, or a tenant and a system with `@` between them.
    private static func isKey(_ key: Substring) -> Bool {
        let parts = key.split(separator: "@", omittingEmptySubsequences: false)
        func isPart(_ part: Substring, _ length: Int, startsWithDigit: Bool) -> Bool {
            guard let first = part.utf8.first, part.utf8.count <= length,
                (0x61...0x7A).contains(first) || startsWithDigit && (0x30...0x39).contains(first)
            else { return false }
            return part.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "_-*/".utf8.contains(byte)
            }
        }
        switch parts.count {
        case 1: return isPart(parts[0], 256, startsWithDigit: false)
        case 2:
            return isPart(parts[0], 241, startsWithDigit: true) && isPart(parts[1], 14, startsWithDigit: false)
        default: return false
        }
    }

    private static func isValue(_ value: Substring) -> Bool {
        !value.isEmpty && value.utf8.count <= 256
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
