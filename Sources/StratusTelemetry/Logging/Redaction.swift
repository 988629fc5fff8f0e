/// Takes secrets out of what is to be logged.
public enum Redaction {
    /// Query parameters whose values are secrets, in lower case.
    private static let secretNames = ["ckwebauthtoken", "cksession", "ckapitoken"].map { Array($0.utf8) }
    private static let separators = Array("?&;#".utf8)
    /// What stands in the place of a secret.
    public static let replacement = "redacted"

    /// `target` (path and query as sent) with the values of token parameters replaced.
    ///
    /// Names are recognized in any case and however percent-encoded, and an encoded `=` hides nothing either.
    public static func requestTarget(_ target: String) -> String {
        let bytes = Array(target.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(where: separators.contains) ?? bytes.count
            let part = bytes[start..<end]
            if let name = secretName(beginning: part) {
                output += name
                output += "=\(replacement)".utf8
            } else {
                output += part
            }
            if end < bytes.count { output.append(bytes[end]) }
            start = end + 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The first bytes of `part` as sent, if they name a secret.
    private static func secretName(beginning part: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for name in secretNames {
            if let length = length(of: name, beginning: part) { return part.prefix(length) }
        }
        return nil
    }

    private static func length(of name: [UInt8], beginning part: ArraySlice<UInt8>) -> Int? {
        var rest = part
        for expected in name {
            guard let byte = nextDecoded(&rest), byte | 0x20 == expected else { return nil }
        }
        return part.count - rest.count
    }

    private static func nextDecoded(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let byte = rest.popFirst() else { return nil }
        guard byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return byte }
        rest = rest.dropFirst(2)
        return value
    }
}
