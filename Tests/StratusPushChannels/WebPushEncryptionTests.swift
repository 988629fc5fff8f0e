import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusPushChannels

@Suite struct WebPushEncryptionTests {
    /// RFC 8291, appendix A.
    private enum Known {
        static let receiverKey =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let message = "When I grow up, I want to be a watermelon"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
            + "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    @Test func knownAnswer() throws {
        let start = try #require(Hex.decode("30310201010420"))
        let der = start + (try base64URL(Known.senderKey)) + (try #require(Hex.decode("a00a06082a8648ce3d030107")))
        let sender = try P256PrivateKey(
            pem: "-----BEGIN EC PRIVATE KEY-----\n\(Base64.string(der))\n-----END EC PRIVATE KEY-----\n")
        let browser = WebPushAddress(
            endpoint: "https://push.example/1", publicKey: try base64URL(Known.receiverKey),
            authenticationSecret: try base64URL(Known.secret))
        let encryption = WebPushEncryption(senderKey: sender, salt: try base64URL(Known.salt))
        let body = try encryption.encrypt(Array(Known.message.utf8), for: browser)
        #expect(Base64.urlString(body) == Known.body)
        #expect(body.count == Known.message.utf8.count + WebPushEncryption.overhead)
    }

    @Test func everyMessageHasAKeyAndASaltOfItsOwn() throws {
        let browser = try TestBrowser()
        let address = try browser.address("https://push.example/1")
        let bodies = try (0..<2).map { _ in try WebPushEncryption().encrypt([1, 2, 3], for: address) }
        #expect(bodies[0][..<16] != bodies[1][..<16] && bodies[0][21..<86] != bodies[1][21..<86])
        for body in bodies { #expect(try browser.decrypt(body) == [1, 2, 3]) }
    }

    @Test(arguments: [
        ("https://push.example/a?b=c", "https://push.example"), ("https://Push.Example:443/", "https://push.example"),
        ("https://push.example:8443", "https://push.example:8443"),
        ("https://[2001:DB8::1]:1/x", "https://[2001:db8::1]:1"),
    ])
    func origins(endpoint: String, origin: String) { #expect(OutsideEndpoint(endpoint)?.origin == origin) }

    @Test(arguments: [
        "http://push.example/", "https://", "https:///x", "https://a@b/", "https://a:b@c/", "https://a\\b/",
        "https://a#b", "https://a b/", "https://a:/", "https://a:0/", "https://a:65536/", "https://a:x/",
        "https://[::1/", "https://[::1]x/", "https://%31/", "https://é/", "HTTPS://a/", "file:///etc/passwd",
        "https://\(String(repeating: "a", count: 256))/",
    ])
    func notEndpoints(text: String) { #expect(OutsideEndpoint(text) == nil) }
}
