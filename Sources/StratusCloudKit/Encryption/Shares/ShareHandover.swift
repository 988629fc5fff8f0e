import StratusCloudCrypto

/// A share's key for one participant: for their public key, with the present link's secret; or, until they proved one, for
/// their own link's secret.
struct ShareHandover: Hashable, Sendable {
    private static let label = "stratus.share-handover.v1"

    var header: ShareHeader
    /// Public keys of the owner, as the participant knows them, and of the participant; nil where it is for who has the
    /// participant's link.
    var parties: Parties?
    /// Nonce and AES-256-GCM's output.
    var sealed: [UInt8]

    struct Parties: Hashable, Sendable {
        var from: [UInt8]
        var participant: [UInt8]
    }

    var bytes: [UInt8] {
        var frames = Frames(Self.label)
        header.write(to: &frames)
        frames.add(parties?.from ?? [])
        frames.add(parties?.participant ?? [])
        frames.add(sealed)
        return frames.bytes
    }

    /// For who has the participant's own link.
    init(header: ShareHeader, linkPart: [UInt8]) {
        self.header = header
        sealed = linkPart
    }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        header = try ShareHeader(from: &reader)
        let (from, participant) = (try reader.frame(), try reader.frame())
        if !from.isEmpty || !participant.isEmpty {
            guard from.count == X25519PrivateKey.length, participant.count == X25519PrivateKey.length else {
                throw FrameReader.Malformed()
            }
            parties = Parties(from: from, participant: participant)
        }
        sealed = try reader.frame()
        guard reader.isAtEnd else { throw FrameReader.Malformed() }
    }

    /// For a participant's public key; nil if that is none.
    /// - Parameters:
    ///   - from: the owner as the participant knows them.
    ///   - owner: the owner from now on.
    init?(
        _ key: ZoneKey, _ link: LinkSecret, _ header: ShareHeader, from: SharingIdentity, owner: SharingIdentity,
        to user: String, _ publicKey: [UInt8], _ place: SharePlace, random: RandomSource
    ) {
        let keys = HandoverKeys(from: from.publicKey, owner: owner.publicKey, participant: publicKey)
        guard let cipher = keys.cipher(place, from: from, owner: owner) else { return nil }
        self.header = header
        parties = Parties(from: from.publicKey, participant: publicKey)
        sealed = cipher.seal(key.secret + link.bytes, Self.context(header, user, place), random: random)
    }

    /// The share's key, and the link's secret; nil if the owner did not encrypt them for this participant.
    func open(with own: SharingIdentity, of user: String, _ place: SharePlace) -> (key: ZoneKey, link: LinkSecret)? {
        guard let parties, parties.participant == own.publicKey,
            let cipher = HandoverKeys(from: parties.from, owner: header.owner, participant: own.publicKey)
                .cipher(place, participant: own),
            let message = Sealed.open(sealed, with: cipher, Self.context(header, user, place).bytes),
            let key = ZoneKey(Array(message.prefix(ZoneKey.length)), named: header.keyID),
            let link = LinkSecret(Array(message.dropFirst(ZoneKey.length)))
        else { return nil }
        return (key, link)
    }

    private static func context(_ header: ShareHeader, _ user: String, _ place: SharePlace) -> Frames {
        header.context("stratus.share-handover.v1", place).adding(user)
    }
}

/// A participant's public key, and that whoever has the link vouches for it.
struct ShareProof: Hashable, Sendable {
    private static let label = "stratus.share-proof.v1"
    private static let guidLimit = 64

    var publicKey: [UInt8]
    /// The owner's public key, as the participant knows it. Not authenticated: the owner chooses by it from which of their own
    /// keys to hand over, and always adds the latest.
    var owner: [UInt8]
    /// What the link is made of.
    var shortGUID: String
    var code: [UInt8]

    init(_ publicKey: [UInt8], of user: String, knowing owner: [UInt8], _ link: ReceivedLink, _ place: SharePlace) {
        self.publicKey = publicKey
        self.owner = owner
        shortGUID = link.shortGUID
        code = Self.code(publicKey, user, link, place)
    }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        publicKey = try reader.frame(count: X25519PrivateKey.length)
        owner = try reader.frame(count: X25519PrivateKey.length)
        shortGUID = try reader.text()
        code = try reader.frame(count: SHA256.digestLength)
        guard reader.isAtEnd, shortGUID.utf8.count <= Self.guidLimit else { throw FrameReader.Malformed() }
    }

    var bytes: [UInt8] { Frames(Self.label).adding(publicKey, owner).adding(shortGUID).adding(code).bytes }

    /// Whether somebody who has the link's secret made it for this user and public key.
    func isMade(by user: String, with secret: LinkSecret, _ place: SharePlace) -> Bool {
        let link = ReceivedLink(secret: secret, shortGUID: shortGUID)
        return constantTimeEqual(code, Self.code(publicKey, user, link, place))
    }

    private static func code(
        _ publicKey: [UInt8], _ user: String, _ link: ReceivedLink, _ place: SharePlace
    ) -> [UInt8] {
        link.secret.proving(place).authenticate(
            place.frames("stratus.share-proof.v1").adding(user, link.shortGUID).adding(publicKey).bytes)
    }
}
