/// HKDF with SHA-256 (RFC 5869): keys from a secret that is not evenly random.
public enum HKDFSHA256 {
    /// Bytes that can be derived at most: 255 blocks.
    public static let longestOutput = 255 * SHA256.digestLength

    /// Derives `length` bytes, at most ``longestOutput``.
    /// - Parameters:
    ///   - secret: what the keys are made from.
    ///   - salt: random bytes that need not be secret; may be empty.
    ///   - info: what the keys are for: other bytes give other keys.
    public static func derive(from secret: [UInt8], salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        precondition((0...longestOutput).contains(length), "HKDF cannot give so many bytes")
        let key = HMACSHA256(key: HMACSHA256(key: salt).authenticate(secret))
        var output: [UInt8] = []
        var block: [UInt8] = []
        var number: UInt8 = 0
        while output.count < length {
            number += 1
            block = key.authenticate(block + info + [number])
            output += block
        }
        return Array(output.prefix(length))
    }
}
