import Testing

@testable import StratusCloudService

@Suite struct ClientTokensTests {
    private let token = "101__1__" + String(repeating: "a", count: 96)

    /// Answers number their tokens, and the number proves nothing.
    @Test func numbersMakeNoDifference() {
        let tokens = ClientTokens(apiToken: "x", webAuthToken: token)
        let numbered = ClientTokens(apiToken: "x", webAuthToken: WebAuthToken.numbered(token, 9))
        #expect(tokens == numbered && tokens.hashValue == numbered.hashValue)
        #expect(numbered.webAuthToken == token + "_9" && numbered.provenWebAuthToken == token)
    }

    @Test func whatProvesSomethingElseDiffers() {
        let tokens = ClientTokens(apiToken: "x", webAuthToken: token)
        for other in [
            ClientTokens(apiToken: "y", webAuthToken: token), ClientTokens(apiToken: "x", webAuthToken: token + "b"),
            ClientTokens(apiToken: "x"), ClientTokens(webAuthToken: token), ClientTokens(),
        ] {
            #expect(tokens != other)
        }
    }
}
