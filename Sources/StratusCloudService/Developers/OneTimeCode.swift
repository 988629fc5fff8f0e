import StratusCloudCrypto

/// A code that somebody types or follows once: letters and digits that cannot be mistaken for each other, in groups.
struct OneTimeCode: Hashable, Sendable {
    private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
    private static let groupLength = 5

    /// Without hyphens.
    private let letters: [UInt8]

    init(_ random: RandomSource) {
        var letters: [UInt8] = []
        // Bytes beyond the last multiple are dropped, so that every letter is as likely.
        let bound = 256 / Self.alphabet.count * Self.alphabet.count
        while letters.count < DeveloperLimits.codeLength {
            for byte in random.bytes(32) where Int(byte) < bound && letters.count < DeveloperLimits.codeLength {
                letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
            }
        }
        self.letters = letters
    }

    /// A code as it was typed: in any case, with or without hyphens and blanks. Nil for what can be none.
    init?(_ text: String) {
        guard text.utf8.count <= 4 * DeveloperLimits.codeLength else { return nil }
        letters = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard letters.count == DeveloperLimits.codeLength, letters.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
    }

    var text: String {
        stride(from: 0, to: letters.count, by: Self.groupLength)
            .map { String(decoding: letters[$0..<min($0 + Self.groupLength, letters.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    var hash: [UInt8] { SHA256.hash(letters) }
}
