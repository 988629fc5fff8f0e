import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct TokenizerTests {
    private func text(_ string: String) throws -> TokenizedText { try Tokenizer.text(of: .scalar(.string(string))) }

    private func words(_ string: String) throws -> Set<String> {
        Set(try text(string).tokens.map { String(decoding: $0, as: UTF8.self) })
    }

    private func finds(_ search: String, in string: String) throws -> Bool {
        let text = try text(string)
        let terms = try Tokenizer.terms(ofSearch: search)
        return !terms.isEmpty && terms.allSatisfy { $0.isIn(text) }
    }

    @Test(
        arguments: [
            ("", []), (" .,;!-  ", []), ("The Quick-Brown fox", ["the", "quick", "brown", "fox"]),
            ("Straße STRASSE", ["strasse"]), ("Crème BRÛLÉE e\u{301}", ["creme", "brulee", "e"]),
            ("İstanbul ISTANBUL ıstanbul", ["istanbul", "ıstanbul"]), ("don’t DON'T", ["don't"]),
            ("3.14 v2", ["3.14", "v2"]), ("ﬁne Ⅷ", ["fine", "viii"]), ("สวัสดี", ["สวัสดี"]), ("안녕 하세요", ["안녕", "하세요"]),
            ("שָׁלוֹם", ["שלום"]), ("a\u{AD}b", ["ab"]),
        ] as [(String, Set<String>)])
    func splitsIntoFoldedWords(_ string: String, _ expected: Set<String>) throws {
        #expect(try words(string) == Set(expected.map { String($0) }))
    }

    @Test func ideographsAreSinglesAndPairs() throws {
        #expect(try words("iPhone手机壳") == ["iphone", "手", "机", "壳", "手机", "机壳"])
        #expect(try words("ｶﾞﾗｽ") == ["ガ", "ラ", "ス", "ガラ", "ラス"])
    }

    @Test(arguments: [
        ("中国", "我是中国人", true), ("国", "我是中国人", true), ("国中", "我是中国人", false), ("中国人民", "中国人 民", false),
        // Both pairs are there, the run is not.
        ("中国人", "中国 国人", false), ("cafe", "CAFÉ", true), ("caf", "café", false), ("🎉", "party 🎉 time", true),
        ("👍🏽", "👍🏽", true), ("❤️", "❤", true), ("the cat", "a cat", true), ("the", "a cat", false),
        ("the", "the cat", true),
        ("テスト", "日本語テキスト", false), ("キスト", "日本語テキスト", true), ("か", "が", false),
    ])
    func findsWholeWordsAndPartsOfRuns(_ search: String, _ string: String, _ expected: Bool) throws {
        #expect(try finds(search, in: string) == expected)
    }

    @Test func longWordsAreCutAtACharacter() throws {
        let long = String(repeating: "ж", count: 1_000)
        let tokens = try text(long).tokens
        #expect(tokens.map(\.count) == [QueryLimits.tokenSize])
        #expect(try finds(long + "x", in: long))
        let odd = "x" + String(repeating: "ж", count: 100)
        #expect(try text(odd).tokens.map(\.count) == [QueryLimits.tokenSize - 1])
    }

    @Test func wordsOfAValueAreBounded() throws {
        let many = (0..<10_000).map { "word\($0)" }.joined(separator: " ")
        #expect(try text(many).tokens.count == QueryLimits.tokensPerValue)
        let characters = String(String.UnicodeScalarView((0x4E00..<0x4E00 + 8_000).compactMap(Unicode.Scalar.init)))
        #expect(try text(characters).tokens.count <= QueryLimits.tokensPerValue + 1)
    }

    @Test func isTheSameEveryTimeOnRandomText() throws {
        let seed = Seed.draw()
        print("TokenizerTests seed: \(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0...0x10FFFF, using: &generator) >> UInt32.random(in: 0...14, using: &generator))
            }
            let string = String(String.UnicodeScalarView(scalars))
            let once = try text(string)
            #expect(try text(string).tokens == once.tokens)
            // Every word can be looked for, and every text contains itself.
            for term in try Tokenizer.terms(ofSearch: string) { #expect(term.isIn(once), "\(scalars)") }
            #expect(once.tokens.allSatisfy { !$0.isEmpty && $0.count <= QueryLimits.tokenSize })
        }
    }
}
