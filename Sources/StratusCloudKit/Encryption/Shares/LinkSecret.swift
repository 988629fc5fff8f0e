import StratusCloudCrypto
import StratusCloudModel

/// What stands behind the `#` of a share's link: known to whoever has the link, and to nobody to whom it is not given, the
/// server among them. Neither browsers nor this library send it.
struct LinkSecret: Hashable, Sendable {
    static let length = 16
    /// Says that a fragment is one, and of which version. What else stands behind a `#` is for people.
    private static let prefix = "k1."

    let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    init(random: RandomSource) { bytes = random.bytes(Self.length) }

    /// Reads what stands behind a link's `#`; nil if it is none.
    init?(fragment: String?) {
        guard let fragment, fragment.hasPrefix(Self.prefix) else { return nil }
        let letters = fragment.dropFirst(Self.prefix.count).utf8.map { letter -> UInt8 in
            switch letter {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: letter
            }
        }
        // One way to write a secret, so that equal links are equal texts.
        guard letters.count == 22, let bytes = Base64.decode(letters + [0x3D, 0x3D]),
            LinkSecret(bytes)?.fragment == fragment
        else { return nil }
        self.init(bytes)
    }

    /// Base64 with the alphabet of addresses (RFC 4648, section 5), without padding.
    var fragment: String {
        let letters = Base64.encode(bytes).prefix { $0 != 0x3D }.map { letter -> UInt8 in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        return Self.prefix + String(decoding: letters, as: UTF8.self)
    }

    /// Encrypts the share's key for whoever has the link.
    func sealing(_ place: SharePlace) -> AES256GCM {
        AES256GCM(key: derive(place.frames("stratus.share-link-key.v1")))
    }

    /// Authenticates the public key of whoever has the link.
    func proving(_ place: SharePlace) -> HMACSHA256 {
        HMACSHA256(key: derive(place.frames("stratus.share-proof-key.v1")))
    }

    private func derive(_ info: Frames) -> [UInt8] {
        HKDFSHA256.derive(from: bytes, salt: [], info: info.bytes, length: AES256GCM.keyLength)
    }
}

/// A link's secret, and which link it was: everybody's, or one participant's own.
struct ReceivedLink: Hashable, Sendable {
    var secret: LinkSecret
    /// What the link is made of.
    var shortGUID: String
}
