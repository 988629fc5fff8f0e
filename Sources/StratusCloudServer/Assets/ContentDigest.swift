import StratusCloudModel
import StratusHTTPTransport

/// The SHA-256 that a message tells of its bytes (RFC 9530).
enum ContentDigest {
    /// What a request says of the whole asset: `Repr-Digest`, or `Content-Digest` where the body is the whole.
    /// - Returns: nil if it says nothing of SHA-256.
    /// - Throws: `badRequest` if it cannot be read.
    static func expected(_ head: HTTPRequestHead, isWhole: Bool) throws(CloudError) -> [UInt8]? {
        for name in isWhole ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"] {
            guard let value = head.headers[name], let digest = try sha256(in: value, name) else { continue }
            return digest
        }
        return nil
    }

    /// A header's value for a digest.
    static func value(_ sha256: [UInt8]) -> String { "sha-256=:\(Base64.string(sha256)):" }

    private static func sha256(in value: String, _ name: String) throws(CloudError) -> [UInt8]? {
        for item in value.split(separator: ",") {
            let item = item.drop { $0 == " " }
            let label = "sha-256="
            guard item.prefix(label.count).lowercased() == label else { continue }
            let text = item.dropFirst(label.count)
            guard text.utf8.first == UInt8(ascii: ":"), text.utf8.last == UInt8(ascii: ":"), text.utf8.count > 1,
                let digest = Base64.decode(text.utf8.dropFirst().dropLast()), digest.count == 32
            else { throw CloudError(.badRequest, "the header \(name) holds no SHA-256 between colons") }
            return digest
        }
        return nil
    }
}
