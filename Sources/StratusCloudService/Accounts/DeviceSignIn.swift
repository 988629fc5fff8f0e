import StratusCloudCrypto
import StratusCloudModel

/// What a program on a person's own machine brings to the sign-in page, so that it is signed in without ever seeing the
/// password, and nobody else with what the browser carries back: a code, good only with the program's own secret.
public struct DeviceSignIn: Hashable, Sendable {
    /// Where the browser goes with the code: the program, listening on this machine's loopback address.
    public let callback: String
    /// The SHA-256 of the program's secret, as 64 hexadecimal digits.
    public let challenge: String

    /// - Throws: `badRequest` for a callback anywhere but on the loopback address, or a challenge that is none.
    public init(callback: String, challenge: String) throws(CloudError) {
        guard Self.isLoopback(callback) else {
            throw CloudError(
                .badRequest, "'callback' must begin with http://127.0.0.1:PORT/ or http://[::1]:PORT/")
        }
        guard Hex.decode(challenge)?.count == 32 else {
            throw CloudError(.badRequest, "'challenge' must be a SHA-256 as 64 hexadecimal digits")
        }
        self.callback = callback
        self.challenge = challenge.lowercased()
    }

    private static func isLoopback(_ callback: String) -> Bool {
        guard callback.utf8.count <= ServiceLimits.deviceCallbackLength,
            callback.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let start = ["http://127.0.0.1:", "http://[::1]:"].first(where: callback.hasPrefix)
        else { return false }
        let rest = callback.dropFirst(start.count)
        let port = rest.prefix { $0 != "/" }
        return rest.count > port.count && port.allSatisfy { $0.isASCII && $0.isNumber }
            && UInt16(port).map { $0 > 0 } ?? false
    }
}

/// What stands in a code for a device; sealed, and good with the secret behind the challenge only.
struct DeviceCode {
    var context: CloudContext
    var accountID: String
    var accountEpoch: UInt64
    var challenge: String
    /// Milliseconds since 1970-01-01 UTC.
    var expires: Int64

    func text(_ seals: Seals) -> String {
        var writer = ByteWriter()
        context.write(to: &writer)
        writer.write(accountID)
        writer.write(unsigned: accountEpoch)
        writer.write(challenge)
        writer.write(signed: expires)
        return Hex.encode(seals.seal(writer.bytes, for: .deviceCode, boundTo: []))
    }

    /// Nil for what ``text(_:)`` did not make.
    static func read(_ text: String, _ seals: Seals) -> DeviceCode? {
        guard text.utf8.count <= 2_048, let sealed = Hex.decode(text),
            let payload = seals.open(sealed, for: .deviceCode, boundTo: [])
        else { return nil }
        return try? ByteReader.read(payload) { reader in
            DeviceCode(
                context: try CloudContext(from: &reader), accountID: try reader.string(),
                accountEpoch: try reader.unsigned(), challenge: try reader.string(), expires: try reader.signed())
        }
    }
}
