import StratusCloudModel
import Testing

/// Text of others, cut to what people read.
@Suite struct ShownTextTests {
    @Test func asManyCharactersAsThereMayBe() {
        let text = String(repeating: "é", count: 80)
        #expect(ShownText.cut(text, to: 80) == text)
        #expect(ShownText.cut(text + "x", to: 80) == text + "…")
        #expect(ShownText.cut("", to: 80) == "")
        let family = "👨‍👩‍👧‍👦"
        #expect(ShownText.cut(family + "abc", to: 3) == family + "ab…")
    }

    @Test("Marks without end on one letter are cut, too")
    func marks() {
        let most = 3 * ShownText.scalarsPerCharacter
        let marks = { (count: Int) in "a" + String(repeating: "\u{301}", count: count) }
        #expect(ShownText.cut(marks(most - 1), to: 3) == marks(most - 1))
        #expect(ShownText.cut(marks(most), to: 3).unicodeScalars.count == most + 1)
        #expect(ShownText.cut(marks(1_000_000), to: 3).unicodeScalars.count == most + 1)
    }
}
