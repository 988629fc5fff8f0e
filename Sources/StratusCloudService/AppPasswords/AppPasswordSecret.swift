import StratusCloudCrypto

/// The text of an app password: 28 letters and digits in groups of four, 140 random bits.
///
/// Nobody guesses that many bits, however fast the hash is that they can try. It is therefore stored under a keyed SHA-256,
/// which a program that sends the password with every request can afford, and not under argon2id as passwords that people
/// choose.
enum AppPasswordSecret {
    /// Without `l`, `o`, `0` and `1`, which people mix up. There are 32, so that every byte picks one fairly.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
    private static let groups = 7
    private static let groupLength = 4

    /// Characters of the text without its hyphens.
    static let length = groups * groupLength

    /// A new one.
    static func make(_ random: RandomSource) -> String {
        let characters = random.bytes(length).map { alphabet[Int($0) % alphabet.count] }
        let texts = (0..<groups).map { group in
            String(decoding: characters[group * groupLength..<(group + 1) * groupLength], as: UTF8.self)
        }
        return texts.joined(separator: "-")
    }

    /// The characters that count, whatever the case and the hyphens and spaces between them; nil for what cannot be an app
    /// password.
    static func characters(of text: String) -> [UInt8]? {
        guard text.utf8.count <= 2 * length else { return nil }
        let characters = Array(text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") })
        return characters.count == length && characters.allSatisfy(alphabet.contains) ? characters : nil
    }
}
