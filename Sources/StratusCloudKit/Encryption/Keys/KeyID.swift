import StratusCloudCrypto

/// Names a key. Derived from it, so that a name stands for one key only.
struct KeyID: Hashable, Sendable, CustomStringConvertible {
    static let length = 16

    let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    init(of secret: [UInt8], label: String) {
        bytes = HKDFSHA256.derive(from: secret, salt: [], info: Frames(label).bytes, length: Self.length)
    }

    var description: String { Hex.encode(bytes) }
}
