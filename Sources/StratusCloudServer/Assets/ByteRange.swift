/// What a request wants of some bytes (RFC 9110, section 14).
enum ByteRange: Hashable {
    /// All of them: no range, one that is not understood, or several at once, which nobody needs here.
    case whole
    case part(Range<Int64>)
    /// None of what there is.
    case unsatisfiable

    /// - Parameters:
    ///   - header: the value of `Range`.
    ///   - size: bytes there are.
    init(_ header: String?, size: Int64) {
        self = .whole
        let prefix = "bytes="
        guard let header, header.prefix(prefix.count).lowercased() == prefix else { return }
        let text = header.utf8.dropFirst(prefix.count)
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")), !text.contains(UInt8(ascii: ",")) else { return }
        let (first, last) = (Digits.number(text[..<dash]), Digits.number(text[text.index(after: dash)...]))
        switch (first, last) {
        case (.number(let first), .number(let last)) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (.number(let first), .none): self = first < size ? .part(first..<size) : .unsatisfiable
        case (.none, .number(let count)):
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
        default: break
        }
    }
}

/// Where the bytes of a request belong (RFC 9110, section 14.4).
struct ContentRange: Hashable {
    let first: Int64
    let length: Int64
    /// Bytes of the whole; nil where the client does not know yet.
    let total: Int64?

    /// Reads `bytes FIRST-LAST/TOTAL`, where `*` is an unknown total; nil for anything else.
    init?(_ header: String) {
        let prefix = "bytes "
        guard header.prefix(prefix.count).lowercased() == prefix else { return nil }
        let parts = header.utf8.dropFirst(prefix.count).split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let range = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard range.count == 2, case .number(let first) = Digits.number(range[0]),
            case .number(let last) = Digits.number(range[1]), first <= last, last < Int64.max
        else { return nil }
        if parts[1].elementsEqual("*".utf8) {
            total = nil
        } else {
            guard case .number(let number) = Digits.number(parts[1]), last < number else { return nil }
            total = number
        }
        self.first = first
        length = last - first + 1
    }
}

/// Numbers of headers.
private enum Digits {
    case none
    case number(Int64)
    case malformed

    /// Digits only; a number beyond 64 bits counts as the greatest, since it is beyond every file.
    static func number(_ text: Substring.UTF8View) -> Digits {
        guard !text.isEmpty else { return .none }
        var value: Int64 = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return .malformed }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            value = overflow || carry ? .max : sum
        }
        return .number(value)
    }
}
