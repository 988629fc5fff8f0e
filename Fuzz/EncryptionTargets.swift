import StratusCloudKit
import StratusCloudModel

/// Encrypted values as a server or somebody in its place may change them: only what was sealed here opens, as it was.
struct SealedValueTarget: FuzzTarget {
    let name = "sealed-value"
    private static let cipher = EncryptionFormats.FieldCipher(recordName: "r")
    private static let values: [FieldValue] = [
        .scalar(.string("secret words")), .scalar(.int64(-1)), .list(of: .double, elements: [.double(0.5)]),
    ]
    private static let sealed = values.map { cipher.seal($0) }

    var corpus: [[UInt8]] { Self.sealed }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let value = Self.cipher.open(input) else { return false }
        guard let index = Self.sealed.firstIndex(of: input), Self.values[index] == value else {
            throw BrokenPromise(what: "what was not sealed here opens")
        }
        return true
    }
}

/// What is inside of sealed values, as a device with the key may have written it: what is read is written as something
/// that reads as the same.
struct PlainValueTarget: FuzzTarget {
    let name = "plain-value"

    var corpus: [[UInt8]] {
        let place = Location(latitude: 52.5, longitude: 13.4, altitude: 30)
        let values: [FieldValue] = [
            .scalar(.string("words")), .scalar(.bytes([1, 2, 3])), .scalar(.double(0.1)), .scalar(.location(place)),
            .scalar(.timestamp(Timestamp(milliseconds: 1_700_000_000_000))), .list(of: .string, elements: []),
            .list(of: .string, elements: [.string("a"), .string("b")]), .list(of: .int64, elements: [.int64(7)]),
        ]
        return values.map { EncryptionFormats.plainBytes(of: $0) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let value = EncryptionFormats.plainValue(input) else { return false }
        let written = EncryptionFormats.plainBytes(of: value)
        // Compared as bytes: what is not a number equals nothing.
        guard let again = EncryptionFormats.plainValue(written), EncryptionFormats.plainBytes(of: again) == written
        else {
            throw BrokenPromise(what: "\(value) is written as another value")
        }
        return true
    }
}

/// The records in which a server keeps keys: what is whole is written as it was read.
struct KeyEnvelopeTarget: FuzzTarget {
    let name = "key-envelope"
    private static let examples = EncryptionFormats.examples()

    var corpus: [[UInt8]] {
        func frame(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        let approvals =
            frame(Array("stratus.approval-envelope.v1".utf8)) + frame([UInt8](repeating: 1, count: 16))
            + frame(Array("phone".utf8))
            + frame([UInt8](repeating: 2, count: 32)) + frame([UInt8](repeating: 3, count: 32)) + frame([]) + frame([])
        return [Self.examples.account, Self.examples.zone, approvals] + EncryptionFormats.shareExamples()
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        var isRead = false
        for envelope in EncryptionFormats.Envelope.allCases {
            guard let written = envelope.rewritten(input) else { continue }
            isRead = true
            guard envelope.rewritten(written) == written else {
                throw BrokenPromise(what: "an envelope of kind \(envelope) is written as another one")
            }
        }
        return isRead
    }
}

/// What stands behind the `#` of a share's link: what is taken is written the same.
struct LinkFragmentTarget: FuzzTarget {
    let name = "link-fragment"

    var corpus: [[UInt8]] { [EncryptionFormats.exampleFragment, "Trip", "k1."].map { Array($0.utf8) } }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        let text = String(decoding: input, as: UTF8.self)
        guard let fragment = EncryptionFormats.linkFragment(text) else { return false }
        guard fragment == text else { throw BrokenPromise(what: "'\(text)' is written as another link") }
        return true
    }
}

/// The files of keys: what is read is the secret of just this name.
struct KeyFileTarget: FuzzTarget {
    let name = "key-file"
    private static let keyName = "iCloud.x/_u/ä b\n"

    var corpus: [[UInt8]] {
        [
            EncryptionFormats.keyFile([UInt8](0..<32), named: Self.keyName),
            EncryptionFormats.keyFile([], named: Self.keyName),
        ]
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let secret = EncryptionFormats.keyFileSecret(input, named: Self.keyName) else { return false }
        guard EncryptionFormats.keyFileSecret(input, named: Self.keyName + "x") == nil else {
            throw BrokenPromise(what: "the key of one name is another's")
        }
        let written = EncryptionFormats.keyFile(secret, named: Self.keyName)
        guard EncryptionFormats.keyFileSecret(written, named: Self.keyName) == secret else {
            throw BrokenPromise(what: "a key file is written as another one")
        }
        return true
    }
}

/// Recovery phrases as people type them: what is taken is the phrase that is shown again.
struct RecoveryPhraseTarget: FuzzTarget {
    let name = "recovery-phrase"

    var corpus: [[UInt8]] {
        EncryptionFormats.examplePhrases.flatMap { [$0, $0.uppercased(), $0.replacing("-", with: "  ")] }
            .map { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws(BrokenPromise) -> Bool {
        guard let phrase = RecoveryPhrase(String(decoding: input, as: UTF8.self)) else { return false }
        guard RecoveryPhrase(phrase.words) == phrase else {
            throw BrokenPromise(what: "'\(phrase.words)' is another phrase")
        }
        return true
    }
}
