import StratusCloudCrypto

/// What the encrypted values of a zone are encrypted with: one secret, from which each record gets a key of its own.
///
/// A key of its own, because nonces are random: a key may then seal 2³² messages, which no record reaches. And a record's key
/// can be handed to somebody without the zone's.
struct ZoneKey: Hashable, Sendable {
    static let length = 32

    let id: KeyID
    let secret: [UInt8]

    /// Takes ``length`` random bytes.
    init(_ secret: [UInt8]) {
        precondition(secret.count == Self.length, "a zone's key has 32 bytes")
        self.secret = secret
        id = KeyID(of: secret, label: "stratus.zone-key.id.v1")
    }

    func recordKey(_ recordName: String) -> [UInt8] {
        HKDFSHA256.derive(
            from: secret, salt: [], info: Frames("stratus.record-key.v1").adding(recordName).bytes,
            length: AES256GCM.keyLength)
    }
}

/// The keys that a zone has had, of which one encrypts what is written now.
struct ZoneKeys: Hashable, Sendable {
    let current: ZoneKey
    private let all: [KeyID: ZoneKey]

    /// - Parameter keys: the oldest first; nil without any.
    init?(_ keys: [ZoneKey]) {
        guard let latest = keys.last else { return nil }
        self.init(latest: latest, earlier: keys.dropLast())
    }

    init(latest: ZoneKey, earlier: some Sequence<ZoneKey> = []) {
        current = latest
        let keys = earlier + [latest]
        all = Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }
    }

    subscript(id: KeyID) -> ZoneKey? { all[id] }

    /// The same with further ones that only open.
    func opening(_ others: some Sequence<ZoneKey>) -> ZoneKeys {
        ZoneKeys(latest: current, earlier: Array(all.values) + others)
    }

    /// All of them, in no order.
    var every: [ZoneKey] { Array(all.values) }
}
