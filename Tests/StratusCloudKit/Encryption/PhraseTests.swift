import StratusCloudCrypto
import StratusSeeds
import Testing

@testable import StratusCloudKit

@Suite struct PhraseTests {
    @Test("the examples of the proquint proposal: IPv4 addresses") func words() {
        let examples: [([UInt8], String)] = [
            ([127, 0, 0, 1], "lusab-babad"), ([63, 84, 220, 193], "gutih-tugad"), ([216, 68, 232, 21], "todah-vobij"),
            ([216, 35, 68, 215], "tobog-higil"),
            ([198, 81, 129, 136], "sinid-makam"), ([0, 0, 255, 255], "babab-zuzuz"),
        ]
        for (bytes, words) in examples {
            #expect(PronounceableWords.encode(bytes) == words)
            #expect(PronounceableWords.decode(words, words: 2) == bytes)
        }
    }

    @Test("a phrase is read as people type it") func typing() throws {
        let phrase = RecoveryPhrase(RandomSource.seeded(5).bytes(RecoveryPhrase.secretLength))
        #expect(RecoveryPhrase(phrase.words) == phrase)
        #expect(RecoveryPhrase("  " + phrase.words.uppercased().replacing("-", with: "\n ")) == phrase)
        #expect(phrase.words.split(separator: "-").count == RecoveryPhrase.wordCount)
        #expect(!phrase.description.contains(phrase.words.prefix(5)), "logs do not have it")
        #expect(RecoveryPhrase("") == nil)
        #expect(RecoveryPhrase(String(phrase.words.dropLast(6))) == nil, "a word is missing")
        #expect(RecoveryPhrase(phrase.words + "-babab") == nil)
        #expect(RecoveryPhrase("x" + phrase.words.dropFirst()) == nil, "no letter of these words")
    }

    @Test("a mistyped letter is noticed", arguments: [Seed.draw()]) func typos(_ seed: UInt64) {
        let random = RandomSource.seeded(seed)
        var noticed = 0
        for _ in 0..<500 {
            let phrase = RecoveryPhrase(random.bytes(RecoveryPhrase.secretLength))
            var letters = Array(phrase.words)
            let place = Int(random.integer() % 12) * 6
            letters[place] = letters[place] == "b" ? "d" : "b"
            if RecoveryPhrase(String(letters)) == nil { noticed += 1 }
        }
        // Of 65,536 mistakes one is not; two among 500 would be a wonder.
        #expect(noticed >= 499, "seed \(seed)")
    }
}
