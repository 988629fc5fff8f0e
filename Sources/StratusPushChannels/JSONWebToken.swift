import StratusCloudCrypto
import StratusCloudModel
import StratusCloudWire

/// Signed statements that push services know their senders by (RFC 7519), with ES256 (RFC 7518, section 3.4).
enum JSONWebToken {
    /// A token with these members in its header, beside `alg`, and these claims.
    static func make(
        header: KeyValuePairs<StaticString, String>, texts: KeyValuePairs<StaticString, String>,
        times: KeyValuePairs<StaticString, Int64>, key: P256PrivateKey
    ) throws(CryptoError) -> String {
        var head = JSONWriter(capacity: 64)
        head.beginObject()
        head.key("alg")
        head.string("ES256")
        for (name, text) in header {
            head.key(name)
            head.string(text)
        }
        head.endObject()
        var claims = JSONWriter(capacity: 256)
        claims.beginObject()
        for (name, text) in texts {
            claims.key(name)
            claims.string(text)
        }
        for (name, time) in times {
            claims.key(name)
            claims.integer(time)
        }
        claims.endObject()
        let signed = Base64.urlString(head.bytes) + "." + Base64.urlString(claims.bytes)
        let signature = try ECDSASignature(der: try key.sign(Array(signed.utf8)))
        return signed + "." + Base64.urlString(signature.r + signature.s)
    }
}
