import StratusCOpenSSL

/// Stops the process when a call that can fail only for want of memory or through a broken libcrypto failed:
/// to go on without the hash or key would be unsafe.
@inline(__always)
func require(_ result: Int32, _ call: StaticString) {
    precondition(result == 1, "libcrypto: \(call) failed")
}

/// The same for calls that return an object.
@inline(__always)
func require(_ object: OpaquePointer?, _ call: StaticString) -> OpaquePointer {
    guard let object else { preconditionFailure("libcrypto: \(call) failed") }
    return object
}

/// Algorithms looked up once; a lookup per use costs more than hashing a short message.
enum Algorithms {
    // Reference-counted, immutable and documented as shareable between threads, and never freed.
    nonisolated(unsafe) static let sha256 = require(EVP_MD_fetch(nil, "SHA256", nil), "EVP_MD_fetch")
    // Reference-counted, immutable and documented as shareable between threads, and never freed, as that one.
    nonisolated(unsafe) static let hmac = require(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
}
