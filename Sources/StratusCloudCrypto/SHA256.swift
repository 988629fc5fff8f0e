import StratusCOpenSSL

/// SHA-256 (FIPS 180-4), of bytes that arrive in pieces. A value: a copy continues on its own.
public struct SHA256: Sendable {
    /// Bytes in a digest.
    public static let digestLength = 32

    private var state: State

    /// The hash of nothing so far.
    public init() { state = State() }

    /// The digest of `bytes`.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { hash($0) } }

    /// The digest of the UTF-8 of `text`.
    public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }

    /// The digest of `bytes`.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: digestLength) { buffer, count in
            require(
                EVP_Digest(bytes.baseAddress, bytes.count, buffer.baseAddress, nil, Algorithms.sha256, nil),
                "EVP_Digest")
            count = digestLength
        }
    }

    /// Appends `bytes` to what is hashed.
    public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// Appends `bytes` to what is hashed.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
        require(EVP_DigestUpdate(state.context, bytes.baseAddress, bytes.count), "EVP_DigestUpdate")
    }

    /// The digest of everything so far. More can be appended afterwards.
    public func digest() -> [UInt8] {
        let last = State(copying: state)
        return [UInt8](unsafeUninitializedCapacity: Self.digestLength) { buffer, count in
            require(EVP_DigestFinal_ex(last.context, buffer.baseAddress, nil), "EVP_DigestFinal_ex")
            count = Self.digestLength
        }
    }

    /// `@unchecked Sendable`: the context is changed only by the one `SHA256` that refers to it (see `update`).
    private final class State: @unchecked Sendable {
        let context = require(EVP_MD_CTX_new(), "EVP_MD_CTX_new")

        init() { require(EVP_DigestInit_ex2(context, Algorithms.sha256, nil), "EVP_DigestInit_ex2") }

        init(copying other: State) { require(EVP_MD_CTX_copy_ex(context, other.context), "EVP_MD_CTX_copy_ex") }

        deinit { EVP_MD_CTX_free(context) }
    }
}
