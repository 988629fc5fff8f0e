import StratusCloudCrypto
import StratusCloudModel

/// Everything of encrypted values that is read from outside, by itself: for the fuzzer and the benchmark, which have no
/// records, devices or server.
package enum EncryptionFormats {
    /// What keys, phrases and approvals are kept in. What is not whole is nil; what is, is given as it would be written.
    package enum Envelope: String, CaseIterable, Sendable {
        case account, zone, approvals, share, handover, proof, joined

        package func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
            switch self {
            case .account: try? AccountEnvelope(bytes).bytes
            case .zone: try? ZoneEnvelope(bytes).bytes
            case .approvals: try? ApprovalEnvelope(bytes).bytes
            case .share: try? ShareEnvelope(bytes).bytes
            case .handover: try? ShareHandover(bytes).bytes
            case .proof: try? ShareProof(bytes).bytes
            case .joined: (try? JoinedShare.parts(bytes)).map { JoinedShare.bytes($0.accountID, $0.sealed) }
            }
        }
    }

    /// An account's envelope with a recovery phrase and an earlier key, and one of a zone's keys.
    package static func examples(random: RandomSource = .system) -> (account: [UInt8], zone: [UInt8]) {
        let place = AccountPlace(container: "iCloud.x", user: "_u")
        let (account, earlier) = (
            AccountKey(random.bytes(AccountKey.length)), AccountKey(random.bytes(AccountKey.length))
        )
        let phrase = RecoveryPhrase(random.bytes(RecoveryPhrase.secretLength))
        let zone = ZoneKey(random.bytes(ZoneKey.length))
        return (
            AccountEnvelope(
                keyID: account.id, recovery: phrase.seal(account, place, random: random),
                previous: [account.wrap(earlier, place, random: random)]
            ).bytes,
            ZoneEnvelope(keys: [account.wrap(zone, of: "Z", place, random: random)]).bytes
        )
    }

    /// What is kept with a share, for one participant, by one, and by one's own devices.
    package static func shareExamples(random: RandomSource = .system) -> [[UInt8]] {
        let place = SharePlace(
            owner: AccountPlace(container: "iCloud.x", user: "_u"), zoneName: "Z", shareName: "Share-1")
        let user = AccountPlace(container: "iCloud.x", user: "_p")
        let (account, other) = (
            AccountKey(random.bytes(AccountKey.length)), AccountKey(random.bytes(AccountKey.length))
        )
        let (owner, own) = (SharingIdentity(account, place.owner), SharingIdentity(other, user))
        var share = OwnedShare(place, account, random: random)
        let known = ShareKeys(shareName: "Share-1", keyTag: "0", state: .current)
        _ = share.settle(with: known, isOverdue: true, random: random)
        let link = ReceivedLink(secret: share.link, shortGUID: "abc")
        let envelope = share.envelope(random: random).bytes
        let handover = ShareHandover(
            share.key, share.link, share.header, from: owner, owner: owner, to: "_p", own.publicKey, place,
            random: random)
        let proof = ShareProof(own.publicKey, of: "_p", knowing: owner.publicKey, link, place)
        let joined = JoinedShare(
            link, place, ShareKeys(shareName: "Share-1", keyTag: "1", state: .current, envelope: envelope))
        return [envelope, proof.bytes]
            + [handover?.bytes, joined?.sealed(other, user, random: random)].compactMap(\.self)
    }

    /// What stands behind the `#` of links; nil for what is no secret's.
    package static func linkFragment(_ text: String) -> String? { LinkSecret(fragment: text)?.fragment }

    /// One that is.
    package static var exampleFragment: String { LinkSecret(random: .system).fragment }

    /// Phrases that read as such.
    package static var examplePhrases: [String] {
        [0, 0xA5].map { RecoveryPhrase([UInt8](repeating: $0, count: RecoveryPhrase.secretLength)).words }
    }

    /// A value before it is encrypted; nil for bytes that are none.
    package static func plainValue(_ bytes: [UInt8]) -> FieldValue? { (try? PlainValue(bytes))?.fieldValue }

    /// The bytes of a value that is neither a reference nor an asset.
    package static func plainBytes(of value: FieldValue) -> [UInt8] { PlainValue(value).bytes }

    /// The secret in the text of a key file; nil if it is none of the name.
    package static func keyFileSecret(_ text: [UInt8], named name: String) -> [UInt8]? {
        FileKeyStore.secret(in: text, named: name)
    }

    /// The text of a key file.
    package static func keyFile(_ secret: [UInt8], named name: String) -> [UInt8] {
        Array(FileKeyStore.text(of: secret, named: name).utf8)
    }

    /// Seals and opens the values of one field of one record.
    package struct FieldCipher: Sendable {
        private let keys: ZoneKeys
        private let place: ValuePlace
        private let random: RandomSource

        /// Makes a key.
        package init(recordName: String, random: RandomSource = .system) {
            let key = ZoneKey(random.bytes(ZoneKey.length))
            keys = ZoneKeys(latest: key)
            place = ValuePlace(
                account: AccountPlace(container: "iCloud.x", user: "_u"), zoneName: "Z", recordType: "Note",
                recordName: recordName, field: "secret")
            self.random = random
        }

        package func seal(_ value: FieldValue) -> [UInt8] {
            let nonce = random.bytes(AES256GCM.nonceLength)
            return SealedValue(PlainValue(value), for: place, with: keys.current, nonce: nonce).bytes
        }

        /// nil for what was not sealed here.
        package func open(_ bytes: [UInt8]) -> FieldValue? {
            (try? SealedValue(bytes).open(at: place, with: keys))?.fieldValue
        }
    }
}
