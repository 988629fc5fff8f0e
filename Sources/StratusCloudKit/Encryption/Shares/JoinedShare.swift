import StratusCloudCrypto
import StratusCloudModel

/// A share's key as a participant's devices keep it, in the participant's own records: who its owner is, so that nobody else's
/// keys are taken for theirs, and the latest key that came.
struct JoinedShare: Hashable, Sendable {
    private static let label = "stratus.shared-envelope.v1"

    let place: SharePlace
    var header: ShareHeader
    var key: ZoneKey
    /// The link that the participant came by.
    var link: ReceivedLink

    // MARK: Coming in

    /// Opens a share's key with the link's secret.
    /// - Returns: nil if it is not encrypted with that: the link is an old one.
    init?(_ link: ReceivedLink, _ place: SharePlace, _ known: ShareKeys) {
        self.place = place
        self.link = link
        let own = known.members.first?.handover.flatMap { try? ShareHandover($0) }
        if let envelope = known.envelope.flatMap({ try? ShareEnvelope($0) }),
            let key = ShareEnvelope.open(linkPart: envelope.linkPart, envelope.header, link.secret, place)
        {
            (header, self.key) = (envelope.header, key)
        } else if let own, own.parties == nil,
            let key = ShareEnvelope.open(linkPart: own.sealed, own.header, link.secret, place)
        {
            (header, self.key) = (own.header, key)
        } else {
            return nil
        }
    }

    /// Takes the key that the owner handed over since.
    /// - Parameter identities: the participant's, the latest last.
    /// - Returns: nil if there is none that follows on this one.
    func following(_ known: ShareKeys, _ user: String, _ identities: [SharingIdentity]) -> JoinedShare? {
        guard let handover = known.members.first?.handover.flatMap({ try? ShareHandover($0) }),
            // From the owner who is known, whoever it says is the owner from now on.
            handover.parties?.from == header.owner, isFollowed(by: handover.header)
        else { return nil }
        for identity in identities {
            guard let (key, secret) = handover.open(with: identity, of: user, place) else { continue }
            var next = self
            (next.header, next.key) = (handover.header, key)
            next.link.secret = secret
            return next
        }
        return nil
    }

    /// Whether a state of the same share is this one, or a later one.
    func isFollowed(by header: ShareHeader) -> Bool {
        header.lineage == self.header.lineage
            && (header.generation > self.header.generation || header == self.header)
    }

    /// The same where no handover stands behind it: no other owner's.
    func isContinued(by header: ShareHeader) -> Bool {
        header.owner == self.header.owner && isFollowed(by: header)
    }

    // MARK: In the participant's records

    func sealed(_ account: AccountKey, _ user: AccountPlace, random: RandomSource) -> [UInt8] {
        var secret = Frames("stratus.shared-secret.v1")
        header.write(to: &secret)
        secret.add(key.secret)
        secret.add(link.secret.bytes)
        secret.add(link.shortGUID)
        let sealed = account.sealingSharedKeys.seal(
            secret.bytes, Self.context(account.id, user, place), random: random)
        return Self.bytes(account.id, sealed)
    }

    static func bytes(_ accountID: KeyID, _ sealed: [UInt8]) -> [UInt8] {
        Frames(label).adding(accountID.bytes, sealed).bytes
    }

    /// - Throws: `Malformed` for what was changed, or another person's. nil if the account's keys were given up.
    init?(
        _ bytes: [UInt8], _ place: SharePlace, _ user: AccountPlace, _ account: (KeyID) -> AccountKey?
    ) throws(FrameReader.Malformed) {
        let (accountID, sealed) = try Self.parts(bytes)
        guard let key = account(accountID) else { return nil }
        let context = Self.context(accountID, user, place)
        guard let message = Sealed.open(sealed, with: key.sealingSharedKeys, context.bytes) else {
            throw FrameReader.Malformed()
        }
        var reader = try FrameReader(message, label: "stratus.shared-secret.v1")
        let header = try ShareHeader(from: &reader)
        guard let shareKey = ZoneKey(try reader.frame(), named: header.keyID),
            let secret = LinkSecret(try reader.frame())
        else { throw FrameReader.Malformed() }
        self.header = header
        self.place = place
        self.key = shareKey
        link = ReceivedLink(secret: secret, shortGUID: try reader.text())
    }

    static func parts(_ bytes: [UInt8]) throws(FrameReader.Malformed) -> (accountID: KeyID, sealed: [UInt8]) {
        var reader = try FrameReader(bytes, label: label)
        let parts = (try reader.keyID(), try reader.frame())
        guard reader.isAtEnd else { throw FrameReader.Malformed() }
        return parts
    }

    private static func context(_ id: KeyID, _ user: AccountPlace, _ place: SharePlace) -> Frames {
        place.frames("stratus.shared-key.v1").adding(user.user).adding(id.bytes)
    }
}
