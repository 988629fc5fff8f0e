import StratusCloudCrypto

/// What the keys of a person's zones are encrypted with: the one secret that devices must have.
struct AccountKey: Hashable, Sendable {
    static let length = 32

    let id: KeyID
    let secret: [UInt8]

    /// Takes ``length`` random bytes.
    init(_ secret: [UInt8]) {
        precondition(secret.count == Self.length, "an account's key has 32 bytes")
        self.secret = secret
        id = KeyID(of: secret, label: "stratus.account-key.id.v1")
    }

    private var wrapping: AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: secret, salt: [], info: Frames("stratus.account-key.wrapping.v1").bytes,
                length: AES256GCM.keyLength))
    }

    /// A zone's key, encrypted for the devices that have this key.
    func wrap(
        _ key: ZoneKey, of zoneName: String, for use: ZoneKeyUse = .zone, _ place: AccountPlace, random: RandomSource
    ) -> WrappedZoneKey {
        let nonce = random.bytes(AES256GCM.nonceLength)
        let sealed = wrapping.seal(
            key.secret, nonce: nonce, additionalData: Self.context(zoneName, use, place, id, key.id))
        return WrappedZoneKey(accountKeyID: id, zoneKeyID: key.id, sealed: nonce + sealed)
    }

    /// A zone's key; nil if another account's key encrypted it, if it belongs to another zone, or if it was changed.
    func unwrap(
        _ wrapped: WrappedZoneKey, of zoneName: String, for use: ZoneKeyUse = .zone, _ place: AccountPlace
    ) -> ZoneKey? {
        guard wrapped.accountKeyID == id,
            let secret = Sealed.open(
                wrapped.sealed, with: wrapping, Self.context(zoneName, use, place, id, wrapped.zoneKeyID)),
            secret.count == ZoneKey.length
        else { return nil }
        let key = ZoneKey(secret)
        return key.id == wrapped.zoneKeyID ? key : nil
    }

    /// An earlier key of the account, encrypted with this one.
    func wrap(_ earlier: AccountKey, _ place: AccountPlace, random: RandomSource) -> WrappedAccountKey {
        let nonce = random.bytes(AES256GCM.nonceLength)
        let sealed = wrapping.seal(earlier.secret, nonce: nonce, additionalData: Self.context(place, id, earlier.id))
        return WrappedAccountKey(keyID: earlier.id, sealed: nonce + sealed)
    }

    /// An earlier key of the account; nil if another key encrypted it, or if it was changed.
    func unwrap(_ wrapped: WrappedAccountKey, _ place: AccountPlace) -> AccountKey? {
        guard let secret = Sealed.open(wrapped.sealed, with: wrapping, Self.context(place, id, wrapped.keyID)),
            secret.count == AccountKey.length
        else { return nil }
        let key = AccountKey(secret)
        return key.id == wrapped.keyID ? key : nil
    }

    private static func context(_ place: AccountPlace, _ keyID: KeyID, _ earlier: KeyID) -> [UInt8] {
        Frames("stratus.account-key.v1").adding(place.container, place.user).adding(keyID.bytes, earlier.bytes).bytes
    }

    private static func context(
        _ zoneName: String, _ use: ZoneKeyUse, _ place: AccountPlace, _ accountKeyID: KeyID, _ zoneKeyID: KeyID
    ) -> [UInt8] {
        Frames(use.rawValue).adding(place.container, place.user, zoneName)
            .adding(accountKeyID.bytes, zoneKeyID.bytes).bytes
    }
}

/// What a key of a zone encrypts. Bound to it, so that a server cannot give a share's key, which others have, for the zone's own.
enum ZoneKeyUse: String, Sendable {
    case zone = "stratus.zone-key.v1"
    case share = "stratus.share-key.v1"
}

/// A zone's key as the server keeps it.
struct WrappedZoneKey: Hashable, Sendable {
    var accountKeyID: KeyID
    var zoneKeyID: KeyID
    /// Nonce and AES-256-GCM's output.
    var sealed: [UInt8]
}

/// An earlier key of an account as the server keeps it.
struct WrappedAccountKey: Hashable, Sendable {
    var keyID: KeyID
    /// Nonce and AES-256-GCM's output.
    var sealed: [UInt8]
}

/// Messages with their nonce before them.
enum Sealed {
    static func open(_ sealed: [UInt8], with cipher: AES256GCM, _ additionalData: [UInt8]) -> [UInt8]? {
        guard sealed.count >= AES256GCM.nonceLength + AES256GCM.tagLength else { return nil }
        // What does not open has one reason only, which the caller knows how to name.
        return try? cipher.open(
            Array(sealed.dropFirst(AES256GCM.nonceLength)), nonce: Array(sealed.prefix(AES256GCM.nonceLength)),
            additionalData: additionalData)
    }
}
