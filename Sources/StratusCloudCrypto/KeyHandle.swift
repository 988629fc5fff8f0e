import StratusCOpenSSL

/// A key of libcrypto on the curve P-256, and its way to and from PEM.
///
/// `@unchecked Sendable`: the key is not changed after `init`, and libcrypto allows concurrent use of such a key.
final class KeyHandle: @unchecked Sendable {
    enum Kind { case publicKey, privateKey }

    let key: OpaquePointer

    /// Takes over `key`.
    private init(_ key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    static func generate() throws(CryptoError) -> KeyHandle {
        guard let key = stratus_p256_generate() else { throw CryptoError(.failed, "no key could be generated") }
        return KeyHandle(key)
    }

    /// Reads an uncompressed point: 4, then x and y of 32 bytes each.
    convenience init(point: [UInt8]) throws(CryptoError) {
        defer { ERR_clear_error() }
        guard point.count == P256PublicKey.pointLength, point.first == 4,
            let key = stratus_p256_public(point, point.count)
        else { throw CryptoError(.invalidPoint, "no uncompressed point on the curve P-256") }
        self.init(key)
    }

    /// The public half as an uncompressed point.
    func point() throws(CryptoError) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: P256PublicKey.pointLength)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1,
            length == point.count, point.first == 4
        else {
            ERR_clear_error()
            throw CryptoError(.failed, "the key cannot be written as an uncompressed point")
        }
        return point
    }

    convenience init(pem: String, kind: Kind) throws(CryptoError) {
        // Reads on failure leave entries in this thread's error queue, which nobody else should meet.
        defer { ERR_clear_error() }
        let bytes = Array(pem.utf8)
        guard bytes.count <= CryptoLimits.pemLength else { throw CryptoError(.invalidPEM, "the PEM is too long") }
        // What libcrypto reads from keeps the address of the bytes, which must stay until it has been read.
        let found = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
            guard let input = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { BIO_free(input) }
            return Self.read(input, kind)
        }
        guard let key = found else {
            throw CryptoError(.invalidPEM, kind == .publicKey ? "no PEM of a public key" : "no PEM of a private key")
        }
        self.init(key)
        guard Self.isP256(key) else { throw CryptoError(.wrongKeyType, "the key is not on the curve P-256") }
    }

    func pem(_ kind: Kind) throws(CryptoError) -> String {
        guard let output = BIO_new(BIO_s_secmem()) else { throw CryptoError(.failed, "no memory to write the PEM") }
        defer { BIO_free(output) }
        let written =
            switch kind {
            case .publicKey: PEM_write_bio_PUBKEY(output, key)
            case .privateKey: PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil)
            }
        var start: UnsafeMutablePointer<CChar>?
        let count = Int(stratus_bio_memory(output, &start))
        guard written == 1, let start, count > 0 else { throw CryptoError(.failed, "the key cannot be written as PEM") }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private static func read(_ input: OpaquePointer, _ kind: Kind) -> OpaquePointer? {
        // An empty pass phrase; without one libcrypto would ask for it at the terminal when a key is encrypted.
        var passPhrase: [UInt8] = [0]
        return switch kind {
        case .publicKey: PEM_read_bio_PUBKEY(input, nil, nil, &passPhrase)
        case .privateKey: PEM_read_bio_PrivateKey(input, nil, nil, &passPhrase)
        }
    }

    private static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
        return name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }
}
