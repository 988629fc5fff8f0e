import Testing

@testable import StratusTool

@Suite struct QuotedTextTests {
    @Test(arguments: [
        (#""a""#, "a"), (#""""#, ""), (#""a \"b\"""#, #"a "b""#), (#""a,b""#, "a,b"), (#""\\""#, #"\"#),
        ("'a'", "a"), ("''", ""), (#"'a "b"'"#, #"a "b""#), (#"'it\'s'"#, "it's"), (#""it's""#, "it's"),
    ])
    func unquoted(text: String, expected: String) {
        #expect(QuotedText.unquoted(text) == expected)
    }

    @Test(arguments: ["", "a", #"""#, #""a"b""#, #""a\""#, "'", "'s-Hertogenbosch", #"'a""#, "'n' Roll'"])
    func otherTextIsNotQuoted(text: String) {
        #expect(QuotedText.unquoted(text) == nil)
    }

    @Test func commasInsideQuotationMarksDoNotSeparate() {
        #expect(QuotedText.parts(#"a, "b,c",d"#) == ["a", #" "b,c""#, "d"])
        #expect(QuotedText.parts("'b,c', d") == ["'b,c'", " d"])
        #expect(QuotedText.parts(#"'say "a,b"',c"#) == [#"'say "a,b"'"#, "c"])
        #expect(QuotedText.parts("O'Brien, D'Arcy") == ["O'Brien", " D'Arcy"])
        #expect(QuotedText.parts(" ") == [])
    }
}
