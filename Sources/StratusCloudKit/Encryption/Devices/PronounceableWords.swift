/// Bytes as words that can be read aloud in any language: each word stands for 16 bits, alternating consonants and vowels
/// (D. Wilkerson's proquints). Nobody needs a list of words for it.
enum PronounceableWords {
    private static let consonants = Array("bdfghjklmnprstvz".utf8)
    private static let vowels = Array("aiou".utf8)

    /// Writes an even number of bytes, a word for every two.
    static func encode(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let number = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            let letters = [
                consonants[number >> 12 & 15], vowels[number >> 10 & 3], consonants[number >> 6 & 15],
                vowels[number >> 4 & 3], consonants[number & 15],
            ]
            return String(decoding: letters, as: UTF8.self)
        }.joined(separator: "-")
    }

    /// Reads words, whatever their case and whatever stands between them; nil if one is no such word, or there are not so
    /// many.
    static func decode(_ text: String, words count: Int) -> [UInt8]? {
        let words = text.lowercased().split { !$0.isLetter }
        guard words.count == count else { return nil }
        var bytes: [UInt8] = []
        for word in words {
            let letters = Array(word.utf8)
            guard letters.count == 5 else { return nil }
            var number = 0
            for (place, letter) in letters.enumerated() {
                let (alphabet, bits) = place % 2 == 0 ? (consonants, 4) : (vowels, 2)
                guard let digit = alphabet.firstIndex(of: letter) else { return nil }
                number = number << bits | digit
            }
            bytes += [UInt8(number >> 8), UInt8(number & 255)]
        }
        return bytes
    }
}
