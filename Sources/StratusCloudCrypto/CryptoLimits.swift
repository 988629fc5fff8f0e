/// Every limit of the room.
public enum CryptoLimits {
    /// Longest accepted PEM, in bytes. A P-256 key takes about 240.
    public static let pemLength = 8_192
    /// Longest accepted password, in bytes of UTF-8.
    public static let passwordLength = 1_024
    /// Longest accepted encoded password hash, in bytes.
    public static let passwordHashLength = 127
    /// Longest DER encoding of a P-256 signature: a sequence of two integers of 33 bytes.
    public static let signatureLength = 72
}
