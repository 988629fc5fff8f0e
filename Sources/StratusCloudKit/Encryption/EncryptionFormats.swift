import CloudCrypto
import CloudModel

/// Everything of encrypted values that is read from outside, by itself: for the fuzzer and the benchmark, which have no
/// records, devices or server.
package enum EncryptionFormats {
    /// What keys, phrases and approvals are kept in. What is not whole is nil; what is, is given as it would be written.
    package enum Envelope: String, CaseIterable, Sendable {
        case account, zone, approvals

        package func rewritten(_ bytes: [UInt8]) -> [UInt8]? {
            switch self {
            case .account: try? AccountEnvelope(bytes).bytes
            case .zone: try? ZoneEnvelope(bytes).bytes
            case .approvals: try? ApprovalEnvelope(bytes).bytes
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
