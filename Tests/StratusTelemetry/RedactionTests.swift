import StratusTelemetry
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        ("/a/b?ckWebAuthToken=secret&x=1", "/a/b?ckWebAuthToken=redacted&x=1"),
        ("/?x=1&ckSession=secret", "/?x=1&ckSession=redacted"),
        ("/?ckAPIToken=secret&ckWebAuthToken=secret", "/?ckAPIToken=redacted&ckWebAuthToken=redacted"),
        ("/?CKWEBAUTHTOKEN=secret", "/?CKWEBAUTHTOKEN=redacted"),
        ("/?ck%57ebAuthToken=secret", "/?ck%57ebAuthToken=redacted"),
        ("/?ckSession%3Dsecret", "/?ckSession=redacted"),
        ("/?a?ckSession=secret", "/?a?ckSession=redacted"),
        ("/?a=1;ckSession=secret", "/?a=1;ckSession=redacted"),
        ("/#ckSession=secret", "/#ckSession=redacted"),
        ("/?&&ckSession=secret&", "/?&&ckSession=redacted&"),
    ])
    func secretsGo(target: String, expected: String) {
        let redacted = Redaction.requestTarget(target)
        #expect(redacted == expected)
        #expect(!redacted.contains("secret"))
    }

    @Test(arguments: ["", "/", "/a?x=1&y=%20", "?", "&&", "/ckSession", "/a?name=ckSession", "/%", "/?ck%", "/?ck%5"])
    func otherTargetsStay(target: String) {
        #expect(Redaction.requestTarget(target) == target)
    }
}
