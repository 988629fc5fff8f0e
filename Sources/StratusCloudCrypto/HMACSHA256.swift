import StratusCOpenSSL

/// HMAC with SHA-256 (RFC 2104) under one key, prepared once.
public struct HMACSHA256: Sendable {
    private let key: Key

    /// Prepares `key`. Any length is allowed; 32 random bytes are right.
    public init(key: [UInt8]) { self.key = Key(key) }

    /// The authentication code of `message`, 32 bytes.
    public func authenticate(_ message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { authenticate($0) } }

    /// The authentication code of `message`, 32 bytes.
    public func authenticate(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        let context = require(EVP_MAC_CTX_dup(key.context), "EVP_MAC_CTX_dup")
        defer { EVP_MAC_CTX_free(context) }
        let bytes = message.bindMemory(to: UInt8.self)
        require(EVP_MAC_update(context, bytes.baseAddress, bytes.count), "EVP_MAC_update")
        return [UInt8](unsafeUninitializedCapacity: SHA256.digestLength) { buffer, count in
            require(EVP_MAC_final(context, buffer.baseAddress, &count, buffer.count), "EVP_MAC_final")
        }
    }

    /// Whether `code` is the code of `message`, compared in constant time.
    public func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        constantTimeEqual(code, authenticate(message))
    }

    /// `@unchecked Sendable`: the context is only read (duplicated) after `init`.
    private final class Key: @unchecked Sendable {
        let context = require(EVP_MAC_CTX_new(Algorithms.hmac), "EVP_MAC_CTX_new")

        init(_ key: [UInt8]) {
            var digest = Array("SHA256".utf8CString)
            // libcrypto takes an absent key for "keep the old one", so an empty key needs an address too.
            let bytes = key.isEmpty ? [0] : key
            digest.withUnsafeMutableBufferPointer { digest in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string("digest", digest.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                require(EVP_MAC_init(context, bytes, key.count, parameters), "EVP_MAC_init")
            }
        }

        deinit { EVP_MAC_CTX_free(context) }
    }
}
