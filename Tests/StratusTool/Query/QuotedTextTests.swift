import Testing

@testable import StratusTool

@Suite struct QuotedTextTests {
    @Test(arguments: [
        (#""a""#, "a"), (#""""#, ""), (#""a \"b\"""#, #"a "b""#), (#""a,b""#, "a,b"), (#""\\""#, #"\"#),
    ])
    func unquoted(text: String, expected: String) {
        #expect(QuotedText.unquoted(text) == expected)
    }

    @Test(arguments: ["", "a", #"""#, #""a"b""#, #""a\""#])
    func otherTextIsNotQuoted(text: String) {
        #expect(QuotedText.unquoted(text) == nil)
    }

    @Test func commasInsideQuotationMarksDoNotSeparate() {
        #expect(QuotedText.parts(#"a, "b,c",d"#) == ["a", #" "b,c""#, "d"])
        #expect(QuotedText.parts(" ") == [])
    }
}
