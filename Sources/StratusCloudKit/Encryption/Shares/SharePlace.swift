import StratusCloudCrypto

/// Names a share among all of a container's. Bound to everything that is encrypted for it.
struct SharePlace: Hashable, Sendable {
    /// The container, and to whom the zone belongs.
    var owner: AccountPlace
    var zoneName: String
    /// Name of the share record.
    var shareName: String

    func frames(_ label: String) -> Frames {
        Frames(label).adding(owner.container, owner.user, zoneName, shareName)
    }
}

/// The secret with which a person takes part in shares: from the account's key, so that all devices of the person have it.
struct SharingIdentity: Sendable {
    private let key: X25519PrivateKey

    init(_ account: AccountKey, _ place: AccountPlace) {
        key = X25519PrivateKey(
            HKDFSHA256.derive(
                from: account.secret, salt: [],
                info: Frames("stratus.sharing-identity.v1").adding(place.container, place.user).bytes,
                length: X25519PrivateKey.length))
    }

    var publicKey: [UInt8] { key.publicKey }

    /// What this side and another one agree on; nil for a public key that is none.
    fileprivate func agree(with other: [UInt8]) -> [UInt8]? {
        // A key that is none agrees with nobody.
        try? key.agree(with: other)
    }
}

/// The public keys of a handover of a share's key.
struct HandoverKeys: Hashable, Sendable {
    /// Of the owner, as the participant knows them: says that it is the owner who hands over.
    var from: [UInt8]
    /// Of the owner from now on: keeps out who has the former.
    var owner: [UInt8]
    var participant: [UInt8]

    /// What the owner encrypts with.
    func cipher(_ share: SharePlace, from: SharingIdentity, owner: SharingIdentity) -> AES256GCM? {
        guard let former = from.agree(with: participant), let latest = owner.agree(with: participant) else {
            return nil
        }
        return cipher(share, former + latest)
    }

    /// What the participant opens with.
    func cipher(_ share: SharePlace, participant: SharingIdentity) -> AES256GCM? {
        guard let former = participant.agree(with: from), let latest = participant.agree(with: owner) else {
            return nil
        }
        return cipher(share, former + latest)
    }

    private func cipher(_ share: SharePlace, _ agreed: [UInt8]) -> AES256GCM {
        let info = share.frames("stratus.share-handover-key.v1").adding(from, owner, participant)
        return AES256GCM(
            key: HKDFSHA256.derive(from: agreed, salt: [], info: info.bytes, length: AES256GCM.keyLength))
    }
}
