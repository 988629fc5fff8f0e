/// The two numbers of a P-256 signature, read from strict DER.
///
/// Anyone can turn a valid signature (r, s) into a second valid one (r, n − s) of the same message. A detector of
/// replays must therefore remember `r`, not the whole encoding.
public struct ECDSASignature: Sendable, Hashable {
    /// Bytes of each number.
    public static let numberLength = 32

    /// The first number, 32 bytes, most significant first.
    public let r: [UInt8]
    /// The second number, 32 bytes, most significant first.
    public let s: [UInt8]

    /// Reads `SEQUENCE { INTEGER r, INTEGER s }`.
    ///
    /// Refuses, with `malformedSignature`, everything that is not the one DER encoding of two positive numbers of at
    /// most 256 bits: long lengths, superfluous zeros, negative numbers, bytes that follow.
    public init(der: [UInt8]) throws(CryptoError) {
        guard der.count <= CryptoLimits.signatureLength, der.count > 2, der[0] == 0x30, Int(der[1]) == der.count - 2
        else { throw CryptoError(.malformedSignature, "no DER sequence of the right length") }
        var rest = der[2...]
        r = try Self.number(&rest)
        s = try Self.number(&rest)
        guard rest.isEmpty else { throw CryptoError(.malformedSignature, "bytes after the second number") }
    }

    static func isWellFormed(_ der: [UInt8]) -> Bool {
        do throws(CryptoError) {
            _ = try ECDSASignature(der: der)
            return true
        } catch {
            return false
        }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard rest.popFirst() == 0x02, let length = rest.popFirst().map(Int.init), 0 < length, length <= rest.count
        else { throw CryptoError(.malformedSignature, "no DER integer") }
        var digits = rest.prefix(length)
        rest.removeFirst(length)
        let first = digits[digits.startIndex]
        guard first < 0x80 else { throw CryptoError(.malformedSignature, "a negative number") }
        if first == 0 {
            digits.removeFirst()
            guard let next = digits.first, next >= 0x80 else {
                throw CryptoError(.malformedSignature, "zero, or a superfluous leading zero")
            }
        }
        guard digits.count <= numberLength else { throw CryptoError(.malformedSignature, "a number over 256 bits") }
        return [UInt8](repeating: 0, count: numberLength - digits.count) + digits
    }
}
