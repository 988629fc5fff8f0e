import StratusCOpenSSL

/// Whether two byte strings are equal, in a time that depends only on their lengths.
///
/// For secrets: digests of tokens, authentication codes. Lengths are not secret.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
