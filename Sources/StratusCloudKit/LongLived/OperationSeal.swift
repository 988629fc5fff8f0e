import Foundation
import StratusCloudCrypto

/// Encrypts what long-lived operations leave on the disk, because the values of their records may be such as not even the
/// server is to see: AES-256-GCM under a key of the device, each piece bound to its operation and its place there.
struct OperationSeal: Sendable {
    /// Too short to be sealed.
    struct Malformed: Error {}

    private let cipher: AES256GCM

    /// - Parameter key: of `AES256GCM.keyLength` bytes.
    init(key: [UInt8]) { cipher = AES256GCM(key: key) }

    /// The nonce and the sealed bytes.
    func seal(_ data: Data, as place: String) -> Data {
        let nonce = RandomSource.system.bytes(AES256GCM.nonceLength)
        return Data(nonce + cipher.seal(Array(data), nonce: nonce, additionalData: Array(place.utf8)))
    }

    /// What was sealed.
    /// - Throws: if it was sealed with another key, for another place, or is damaged.
    func open(_ data: Data, as place: String) throws -> Data {
        guard data.count >= AES256GCM.nonceLength + AES256GCM.tagLength else { throw Malformed() }
        let bytes = Array(data)
        return Data(
            try cipher.open(
                Array(bytes.dropFirst(AES256GCM.nonceLength)), nonce: Array(bytes.prefix(AES256GCM.nonceLength)),
                additionalData: Array(place.utf8)))
    }
}
