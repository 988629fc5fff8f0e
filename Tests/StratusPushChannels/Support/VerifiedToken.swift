import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

/// A JSON web token whose signature was verified, as a push service does it.
struct VerifiedToken {
    let header: [String: any Sendable]
    let claims: [String: any Sendable]

    init(_ token: some StringProtocol, _ key: P256PublicKey) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let signature = try base64URL(String(parts[2]))
        try #require(signature.count == 64)
        let numbers = [signature[..<32], signature[32...]].flatMap { number in
            // DER: no leading zeros, but one before a number whose first bit is set.
            var digits = Array(number.drop { $0 == 0 })
            if digits.first ?? 0x80 >= 0x80 { digits.insert(0, at: 0) }
            return [2, UInt8(digits.count)] + digits
        }
        let der = [0x30, UInt8(numbers.count)] + numbers
        try #require(key.verify(signature: der, of: Array("\(parts[0]).\(parts[1])".utf8)))
        header = try Self.object(parts[0])
        claims = try Self.object(parts[1])
    }

    private static func object(_ part: some StringProtocol) throws -> [String: any Sendable] {
        let object = try JSONSerialization.jsonObject(with: Data(try base64URL(String(part))))
        return try #require(object as? [String: any Sendable])
    }
}

/// The bytes of base64url.
func base64URL(_ text: String) throws -> [UInt8] {
    try #require(Base64.decode(text.replacing("-", with: "+").replacing("_", with: "/")))
}
