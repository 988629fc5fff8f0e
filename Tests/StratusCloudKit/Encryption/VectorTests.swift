import CloudCrypto
import CloudModel
import Foundation
import Testing

@testable import StratusCloudKit

/// The vectors of `Documentation/sdk/encryption-vectors.json`, which `Tests/Clients/encryption_vectors.py` comes to
/// independently.
@Suite struct VectorTests {
    private struct Vectors: Decodable {
        struct Key: Decodable {
            var secret: String
            var id: String
            var zoneName: String?
            var nonce: String?
            var sealed: String?
        }
        struct Recovery: Decodable { var secret, words, nonce, sealed: String }
        struct Approval: Decodable {
            var requestID, code, codeWords, deviceName, askerPrivateKey, askerPublicKey: String
            var approverPrivateKey, approverPublicKey, proof, nonce, sealed: String
        }
        struct Value: Decodable {
            var value, zoneName, recordType, recordName, field: String
            var nonce, recordKey, additionalData, plain, sealed: String
        }
        var container, user: String
        var accountKey, earlierAccountKey, zoneKey: Key
        var recovery: Recovery
        var approval: Approval
        var values: [Value]
    }

    private let vectors: Vectors
    private let place: AccountPlace

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let file = root.appendingPathComponent("Documentation/sdk/encryption-vectors.json").standardized
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
        place = AccountPlace(container: vectors.container, user: vectors.user)
    }

    private func bytes(_ hex: String?) throws -> [UInt8] { try #require(hex.flatMap { Hex.decode($0) }) }

    /// Gives bytes in order.
    private func random(_ bytes: [UInt8]) -> RandomSource {
        let rest = Rest(bytes)
        return RandomSource { buffer in buffer.copyBytes(from: rest.take(buffer.count)) }
    }

    @Test func keys() throws {
        let account = AccountKey(try bytes(vectors.accountKey.secret))
        let earlier = AccountKey(try bytes(vectors.earlierAccountKey.secret))
        let zone = ZoneKey(try bytes(vectors.zoneKey.secret))
        #expect(account.id.description == vectors.accountKey.id)
        #expect(earlier.id.description == vectors.earlierAccountKey.id)
        #expect(zone.id.description == vectors.zoneKey.id)
        let wrapped = account.wrap(zone, of: "Notes", place, random: random(try bytes(vectors.zoneKey.nonce)))
        #expect(wrapped.sealed == (try bytes(vectors.zoneKey.sealed)))
        #expect(account.unwrap(wrapped, of: "Notes", place) == zone)
        #expect(account.unwrap(wrapped, of: "Other", place) == nil, "a key of one zone is none of another")
        #expect(earlier.unwrap(wrapped, of: "Notes", place) == nil)
        let chained = account.wrap(earlier, place, random: random(try bytes(vectors.earlierAccountKey.nonce)))
        #expect(chained.sealed == (try bytes(vectors.earlierAccountKey.sealed)))
        #expect(account.unwrap(chained, place) == earlier)
    }

    @Test func recovery() throws {
        let account = AccountKey(try bytes(vectors.accountKey.secret))
        let phrase = RecoveryPhrase(try bytes(vectors.recovery.secret))
        #expect(phrase.words == vectors.recovery.words)
        let sealed = phrase.seal(account, place, random: random(try bytes(vectors.recovery.nonce)))
        #expect(sealed == (try bytes(vectors.recovery.sealed)))
        let read = try #require(RecoveryPhrase(vectors.recovery.words))
        #expect(read.open(AccountEnvelope(keyID: account.id, recovery: sealed), place) == account)
    }

    @Test func approval() throws {
        let vector = vectors.approval
        let account = AccountKey(try bytes(vectors.accountKey.secret))
        let exchange = ApprovalExchange(
            place: place, requestID: try bytes(vector.requestID), code: try bytes(vector.code))
        #expect(PronounceableWords.encode(exchange.code) == vector.codeWords)
        let asker = X25519PrivateKey(try bytes(vector.askerPrivateKey))
        #expect(asker.publicKey == (try bytes(vector.askerPublicKey)))
        #expect(
            exchange.proof(publicKey: asker.publicKey, deviceName: vector.deviceName) == (try bytes(vector.proof)))
        let answer = try exchange.answer(
            account, to: asker.publicKey,
            random: random(try bytes(vector.approverPrivateKey) + bytes(vector.nonce)))
        #expect(answer.publicKey == (try bytes(vector.approverPublicKey)))
        #expect(answer.sealed == (try bytes(vector.sealed)))
        #expect(exchange.open(answer, with: asker, keyID: account.id) == account)
    }

    @Test func values() throws {
        let key = ZoneKey(try bytes(vectors.zoneKey.secret))
        let keys = try #require(ZoneKeys([key]))
        #expect(vectors.values.count == 12)
        for vector in vectors.values {
            let place = ValuePlace(
                account: place, zoneName: vector.zoneName, recordType: vector.recordType,
                recordName: vector.recordName, field: vector.field)
            let plain = try PlainValue(try bytes(vector.plain))
            #expect(plain.bytes == (try bytes(vector.plain)), "\(vector.value)")
            #expect(key.recordKey(vector.recordName) == (try bytes(vector.recordKey)))
            let sealed = SealedValue(plain, for: place, with: key, nonce: try bytes(vector.nonce))
            #expect(sealed.bytes == (try bytes(vector.sealed)), "\(vector.value)")
            let opened = try SealedValue(bytes(vector.sealed)).open(at: place, with: keys)
            #expect(opened.bytes == plain.bytes, "\(vector.value)")
        }
        let first = try PlainValue(try bytes(vectors.values[0].plain))
        #expect(first == .scalar(.string("Grüße, 世界")))
        #expect(try PlainValue(try bytes(vectors.values[11].plain)) == .list(of: nil, []))
    }
}
