import StratusCloudCrypto
import Testing

@testable import StratusCloudService

@Suite struct TokenTests {
    private let seals = Seals(secret: Array(repeating: 7, count: 32))

    @Test func aSealedPayloadOpensForItsPurposeAndBindingOnly() {
        let payload = Array("payload".utf8)
        let sealed = seals.seal(payload, for: .syncToken, boundTo: [1])
        #expect(seals.open(sealed, for: .syncToken, boundTo: [1]) == payload)
        #expect(seals.open(sealed, for: .syncToken, boundTo: [2]) == nil)
        #expect(seals.open(sealed, for: .continuationMarker, boundTo: [1]) == nil)
        #expect(Seals(secret: Array(repeating: 8, count: 32)).open(sealed, for: .syncToken, boundTo: [1]) == nil)
        for index in sealed.indices {
            for bit in 0..<8 {
                var damaged = sealed
                damaged[index] ^= 1 << bit
                #expect(seals.open(damaged, for: .syncToken, boundTo: [1]) == nil)
            }
            #expect(seals.open(Array(sealed.prefix(index)), for: .syncToken, boundTo: [1]) == nil)
        }
    }

    @Test func webAuthTokensSurviveCookiesAndAddresses() throws {
        let token = WebAuthToken(sessionID: Array(0..<16), expires: 1_800_000_000_000)
        let text = token.text(seals, .seeded(1))
        #expect(WebAuthToken(text, seals) == token)
        #expect(text.count >= 100)
        #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        let numbered = WebAuthToken.numbered(text, 12_345)
        #expect(numbered != text && WebAuthToken(numbered, seals) == token)
        #expect(WebAuthToken.withoutNumber(numbered) == text && WebAuthToken.withoutNumber(text) == text)
        #expect(numbered.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    }

    @Test func aNumberBehindATokenHasAtMost64Bits() {
        let text = WebAuthToken(sessionID: Array(0..<16), expires: 1_800_000_000_000).text(seals, .seeded(1))
        for number: UInt64 in [0, 35, 36, .max] {
            #expect(WebAuthToken.withoutNumber(WebAuthToken.numbered(text, number)) == text)
        }
        let longer = text + "_" + String(repeating: "z", count: 14)
        #expect(WebAuthToken.withoutNumber(longer) == longer && WebAuthToken(longer, seals) == nil)
    }

    @Test(arguments: ["", "101__1__", "101__1__zz", "158__54__AAAA", "101__1__" + String(repeating: "0", count: 120)])
    func foreignTokensAreNone(text: String) {
        #expect(WebAuthToken(text, seals) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696_000),
        ("2026-11-20T18:30:00Z", 1_795_199_400_000),
    ])
    func datesOfSignaturesAreRead(text: String, milliseconds: Int64) {
        #expect(ISO8601Date.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-20 18:30:00Z", "2026-11-20T18:30:00", "2026-11-20T18:30:00.000Z", "2026-13-20T18:30:00Z",
        "2026-11-20T24:30:00Z", "2026-11-20T18:30:00+00:00", "二026-11-20T18:30:00",
    ])
    func otherDatesAreRefused(text: String) {
        #expect(ISO8601Date.milliseconds(text) == nil)
    }

    @Test func aSignatureIsAcceptedOnceAsLongAsItsDateIs() {
        let memory = SignatureMemory()
        #expect(memory.isFirst([1], at: 0))
        #expect(!memory.isFirst([1], at: 2 * ServiceLimits.signatureWindow))
        #expect(memory.isFirst([2], at: 1))
        #expect(memory.isFirst([1], at: 2 * ServiceLimits.signatureWindow + 1))
    }
}
