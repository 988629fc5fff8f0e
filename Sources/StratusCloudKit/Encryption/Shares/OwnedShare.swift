import StratusCloudCrypto
import StratusCloudModel

/// A share's keys as its owner's devices know them, and what becomes of them when people come and go. Pure: what is random
/// comes in from outside, and nobody is asked.
struct OwnedShare: Sendable {
    /// A participant's own link that nobody has used yet.
    struct Invitation: Hashable, Sendable {
        var participantID: String
        var shortGUID: String
        var secret: LinkSecret
    }

    let place: SharePlace
    let account: AccountKey
    private(set) var lineage: [UInt8]
    private(set) var generation: UInt64
    private(set) var key: ZoneKey
    /// The oldest first.
    private(set) var earlier: [ZoneKey] = []
    private(set) var link: LinkSecret
    /// Public keys of participants that were proven, by user record name.
    private(set) var members: [String: [UInt8]] = [:]
    private(set) var invitations: [Invitation] = []

    private var identity: SharingIdentity { SharingIdentity(account, place.owner) }

    var header: ShareHeader {
        ShareHeader(lineage: lineage, generation: generation, keyID: key.id, owner: identity.publicKey)
    }

    var zoneKeys: ZoneKeys { ZoneKeys(latest: key, earlier: earlier) }

    // MARK: Making and opening

    /// A share that has no keys yet.
    /// - Parameter key: one that was made before the share was.
    init(_ place: SharePlace, _ account: AccountKey, key: ZoneKey? = nil, random: RandomSource) {
        self.place = place
        self.account = account
        self.key = key ?? ZoneKey(random.bytes(ZoneKey.length))
        lineage = random.bytes(ShareHeader.lineageLength)
        generation = 1
        link = LinkSecret(random: random)
    }

    /// Opens what an account's key encrypted.
    /// - Throws: `Malformed` for what was changed or belongs to another share.
    init(_ envelope: ShareEnvelope, _ place: SharePlace, _ account: AccountKey) throws(FrameReader.Malformed) {
        let context = Self.context(envelope.header, account.id, place)
        guard envelope.accountID == account.id,
            envelope.header.owner == SharingIdentity(account, place.owner).publicKey,
            let secret = Sealed.open(envelope.ownerPart, with: account.sealingShares, context.bytes)
        else { throw FrameReader.Malformed() }
        var reader = try FrameReader(secret, label: Self.label)
        self.place = place
        self.account = account
        lineage = envelope.header.lineage
        generation = envelope.header.generation
        guard let key = ZoneKey(try reader.frame(), named: envelope.header.keyID),
            let link = LinkSecret(try reader.frame())
        else { throw FrameReader.Malformed() }
        self.key = key
        self.link = link
        for _ in 0..<(try reader.framedNumber()) {
            members[try reader.text()] = try reader.frame(count: X25519PrivateKey.length)
        }
        while !reader.isAtEnd {
            let (participantID, shortGUID) = (try reader.text(), try reader.text())
            guard let secret = LinkSecret(try reader.frame()) else { throw FrameReader.Malformed() }
            invitations.append(
                Invitation(participantID: participantID, shortGUID: shortGUID, secret: secret))
        }
        earlier = try envelope.earlierKeys(key, place)
    }

    private static let label = "stratus.share-secret.v1"

    private static func context(_ header: ShareHeader, _ accountID: KeyID, _ place: SharePlace) -> Frames {
        header.context("stratus.share-owner.v1", place).adding(accountID.bytes)
    }

    /// As it is kept with the share.
    func envelope(random: RandomSource) -> ShareEnvelope {
        var secret = Frames(Self.label).adding(key.secret, link.bytes)
        secret.add(number: UInt64(members.count))
        for (user, publicKey) in members.sorted(by: { $0.key < $1.key }) {
            secret.add(user)
            secret.add(publicKey)
        }
        for invitation in invitations {
            secret.add(invitation.participantID)
            secret.add(invitation.shortGUID)
            secret.add(invitation.secret.bytes)
        }
        let context = Self.context(header, account.id, place)
        return ShareEnvelope(
            header: header, accountID: account.id,
            ownerPart: account.sealingShares.seal(secret.bytes, context, random: random),
            linkPart: ShareEnvelope.linkPart(key, header, link, place, random: random),
            earlier: earlier.map { ShareEnvelope.wrap($0, with: key, lineage, place, random: random) })
    }

    // MARK: People

    /// The same under the account's present key: for when the former one may have fallen into other hands.
    func moved(to account: AccountKey, random: RandomSource) -> OwnedShare {
        var moved = OwnedShare(place, account, key: key, random: random)
        moved.lineage = lineage
        moved.generation = generation
        moved.earlier = earlier
        moved.link = link
        moved.members = members
        moved.invitations = invitations
        return moved
    }

    /// Brings the keys in line with who takes part.
    /// - Parameters:
    ///   - known: what is kept with the share. Who takes part is the server's word; whose key is whose is not.
    ///   - isOverdue: whether the key is to be replaced, whoever takes part.
    /// - Returns: whether something changed.
    mutating func settle(with known: ShareKeys, isOverdue: Bool, random: RandomSource) -> Bool {
        var isChanged = false
        var isOverdue = isOverdue || known.state != .current
        let present = Dictionary(
            known.members.compactMap { member in member.userRecordName.map { ($0, member) } }
        ) { first, _ in first }
        for user in members.keys where present[user]?.proof == nil {
            members[user] = nil
            isOverdue = true
        }
        let gone = invitations.filter { invitation in
            !known.members.contains { $0.participantID == invitation.participantID }
        }
        if !gone.isEmpty {
            invitations.removeAll(where: gone.contains)
            isOverdue = true
        }
        for (user, member) in present.sorted(by: { $0.key < $1.key }) {
            guard let proof = member.proof.flatMap({ try? ShareProof($0) }), members[user] != proof.publicKey,
                isProven(proof, by: user, member.participantID)
            else { continue }
            // Whoever has another key now may have lost the former one to somebody.
            if members[user] != nil { isOverdue = true }
            members[user] = proof.publicKey
            invitations.removeAll { $0.participantID == member.participantID }
            isChanged = true
        }
        for member in known.members {
            guard let shortGUID = member.oneTimeShortGUID,
                !invitations.contains(where: {
                    $0.participantID == member.participantID && $0.shortGUID == shortGUID
                })
            else { continue }
            invitations.removeAll { $0.participantID == member.participantID }
            invitations.append(
                Invitation(
                    participantID: member.participantID, shortGUID: shortGUID, secret: LinkSecret(random: random)))
            isChanged = true
        }
        if isOverdue { rotate(random: random) }
        return isChanged || isOverdue
    }

    private func isProven(_ proof: ShareProof, by user: String, _ participantID: String) -> Bool {
        if proof.isMade(by: user, with: link, place) { return true }
        return invitations.contains {
            $0.participantID == participantID && $0.shortGUID == proof.shortGUID
                && proof.isMade(by: user, with: $0.secret, place)
        }
    }

    /// A new key, and a new secret for the link: whoever had the former ones has nothing of what is written from now on.
    private mutating func rotate(random: RandomSource) {
        earlier.append(key)
        key = ZoneKey(random.bytes(ZoneKey.length))
        link = LinkSecret(random: random)
        generation += 1
    }

    /// What participants lack of the latest key.
    /// - Parameter former: the account's earlier keys, under which participants may know the owner.
    func handovers(
        _ known: ShareKeys, former: [AccountKey], random: RandomSource
    ) -> [ShareKeysUpdate.Handover] {
        let own = identity
        let identities = former.map { SharingIdentity($0, place.owner) }
        return known.members.compactMap { member -> ShareKeysUpdate.Handover? in
            let publicKey = member.userRecordName.flatMap { members[$0] }
            let invitation = invitations.first { $0.participantID == member.participantID }
            guard publicKey != nil || invitation != nil else { return nil }
            // What does not read as one is replaced.
            let present = member.handover.flatMap { try? ShareHandover($0) }
            if let present, present.header == header, present.parties?.participant == publicKey { return nil }
            let handover: ShareHandover?
            if let publicKey, let user = member.userRecordName {
                let proof = member.proof.flatMap { try? ShareProof($0) }
                let from = identities.first { $0.publicKey == proof?.owner } ?? own
                handover = ShareHandover(
                    key, link, header, from: from, owner: own, to: user, publicKey, place, random: random)
            } else {
                handover = invitation.map {
                    ShareHandover(
                        header: header,
                        linkPart: ShareEnvelope.linkPart(key, header, $0.secret, place, random: random))
                }
            }
            return handover.map {
                ShareKeysUpdate.Handover(participantID: member.participantID, bytes: $0.bytes)
            }
        }
    }
}

extension AccountKey {
    /// Encrypts what the owner's devices keep of a share.
    fileprivate var sealingShares: AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: secret, salt: [], info: Frames("stratus.share-owner-key.v1").bytes,
                length: AES256GCM.keyLength))
    }

    /// Encrypts what a participant's devices keep of somebody else's share.
    var sealingSharedKeys: AES256GCM {
        AES256GCM(
            key: HKDFSHA256.derive(
                from: secret, salt: [], info: Frames("stratus.shared-key.v1").bytes, length: AES256GCM.keyLength))
    }
}
