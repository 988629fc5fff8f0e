import StratusCloudCrypto

/// What is kept with a share for all who take part: which key encrypts, the same for who has the link, the earlier keys
/// encrypted with it, and what only the owner's devices read.
struct ShareEnvelope: Hashable, Sendable {
    private static let label = "stratus.share-envelope.v1"
    /// Keys that a share can have had; each takes some hundred bytes.
    static let keyLimit = 500

    var header: ShareHeader
    /// Of the owner: what ``ownerPart`` is encrypted with.
    var accountID: KeyID
    var ownerPart: [UInt8]
    var linkPart: [UInt8]
    /// The oldest first.
    var earlier: [WrappedShareKey]

    var bytes: [UInt8] {
        var frames = Frames(Self.label)
        header.write(to: &frames)
        frames.add(accountID.bytes)
        frames.add(ownerPart)
        frames.add(linkPart)
        for key in earlier {
            frames.add(key.keyID.bytes)
            frames.add(key.sealed)
        }
        return frames.bytes
    }

    init(
        header: ShareHeader, accountID: KeyID, ownerPart: [UInt8], linkPart: [UInt8], earlier: [WrappedShareKey]
    ) {
        self.header = header
        self.accountID = accountID
        self.ownerPart = ownerPart
        self.linkPart = linkPart
        self.earlier = earlier
    }

    init(_ bytes: [UInt8]) throws(FrameReader.Malformed) {
        var reader = try FrameReader(bytes, label: Self.label)
        header = try ShareHeader(from: &reader)
        accountID = try reader.keyID()
        ownerPart = try reader.frame()
        linkPart = try reader.frame()
        earlier = []
        while !reader.isAtEnd {
            earlier.append(WrappedShareKey(keyID: try reader.keyID(), sealed: try reader.frame()))
        }
    }

    // MARK: For who has the link

    static func linkPart(
        _ key: ZoneKey, _ header: ShareHeader, _ link: LinkSecret, _ place: SharePlace, random: RandomSource
    ) -> [UInt8] {
        link.sealing(place).seal(key.secret, header.context("stratus.share-link.v1", place), random: random)
    }

    /// The share's key; nil if it was not encrypted with the link's secret.
    static func open(
        linkPart: [UInt8], _ header: ShareHeader, _ link: LinkSecret, _ place: SharePlace
    ) -> ZoneKey? {
        let context = header.context("stratus.share-link.v1", place)
        return ZoneKey(Sealed.open(linkPart, with: link.sealing(place), context.bytes), named: header.keyID)
    }

    // MARK: Earlier keys

    /// Opens the keys before the latest.
    func earlierKeys(_ latest: ZoneKey, _ place: SharePlace) throws(FrameReader.Malformed) -> [ZoneKey] {
        var keys: [ZoneKey] = []
        for wrapped in earlier {
            let context = Self.earlierContext(place, header.lineage, latest.id, wrapped.keyID)
            guard
                let key = ZoneKey(
                    Sealed.open(wrapped.sealed, with: latest.wrappingEarlier, context.bytes), named: wrapped.keyID)
            else { throw FrameReader.Malformed() }
            keys.append(key)
        }
        return keys
    }

    static func wrap(
        _ earlier: ZoneKey, with latest: ZoneKey, _ lineage: [UInt8], _ place: SharePlace, random: RandomSource
    ) -> WrappedShareKey {
        let context = earlierContext(place, lineage, latest.id, earlier.id)
        return WrappedShareKey(
            keyID: earlier.id, sealed: latest.wrappingEarlier.seal(earlier.secret, context, random: random))
    }

    private static func earlierContext(
        _ place: SharePlace, _ lineage: [UInt8], _ latest: KeyID, _ earlier: KeyID
    ) -> Frames {
        place.frames("stratus.share-earlier.v1").adding(lineage, latest.bytes, earlier.bytes)
    }
}

/// An earlier key of a share, encrypted with the latest.
struct WrappedShareKey: Hashable, Sendable {
    var keyID: KeyID
    /// Nonce and AES-256-GCM's output.
    var sealed: [UInt8]
}

extension ZoneKey {
    /// A key that was opened; nil for another than its name says.
    init?(_ secret: [UInt8]?, named id: KeyID) {
        guard let secret, secret.count == Self.length else { return nil }
        self.init(secret)
        guard self.id == id else { return nil }
    }

    fileprivate var wrappingEarlier: AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: secret, salt: [], info: Frames("stratus.share-earlier-key.v1").bytes,
                length: AES256GCM.keyLength))
    }
}
