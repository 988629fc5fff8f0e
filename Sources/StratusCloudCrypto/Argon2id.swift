import StratusCSodium

/// libsodium's argon2id. Blocks for as long as the cost says; only for the hasher's threads.
enum Argon2id {
    static func hash(_ password: [UInt8], cost: PasswordHasher.Cost) -> Result<String, CryptoError> {
        var encoded = [CChar](repeating: 0, count: CryptoLimits.passwordHashLength + 1)
        let status = crypto_pwhash_str_alg(
            &encoded, characters(password), UInt64(password.count), UInt64(cost.passes), cost.memory,
            crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else {
            return .failure(CryptoError(.failed, "no \(cost.memory) bytes of memory to hash a password"))
        }
        return .success(String(decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    static func verify(_ password: [UInt8], hash: String) -> Bool {
        crypto_pwhash_str_verify(hash, characters(password), UInt64(password.count)) == 0
    }

    static func isEncodedHash(_ hash: String) -> Bool {
        hash.hasPrefix("$argon2id$") && hash.utf8.count <= CryptoLimits.passwordHashLength
            && crypto_pwhash_str_needs_rehash(hash, 1, 8_192) >= 0
    }

    /// A well-formed hash at `cost` that no known password has: its salt and its digest are all zeros.
    static func unmatchableHash(cost: PasswordHasher.Cost) -> String {
        let salt = String(repeating: "A", count: 22)
        let digest = String(repeating: "A", count: 43)
        return "$argon2id$v=19$m=\(cost.memory / 1_024),t=\(cost.passes),p=1$\(salt)$\(digest)"
    }

    /// C strings, because an empty password needs an address too. Passwords may hold zeros: the length counts.
    private static func characters(_ password: [UInt8]) -> [CChar] { password.map { CChar(bitPattern: $0) } + [0] }
}
