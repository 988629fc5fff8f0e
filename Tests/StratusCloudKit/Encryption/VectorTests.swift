import Foundation
import StratusCloudCrypto
import StratusCloudModel
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
        struct Share: Decodable {
            var shareName, participant, participantAccountKey, linkSecret, fragment, lineage, key, keyID: String
            var ownerPublicKey, participantPublicKey, envelope, proof, handover, joined: String
            var generation: UInt64
            var nonces: [String]
        }
        struct Value: Decodable {
            var value, zoneName, recordType, recordName, field: String
            var nonce, recordKey, additionalData, plain, sealed: String
        }
        var container, user: String
        var accountKey, earlierAccountKey, zoneKey: Key
        var recovery: Recovery
        var approval: Approval
        var share: Share
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

    @Test func shares() throws {
        let vector = vectors.share
        let account = AccountKey(try bytes(vectors.accountKey.secret))
        let place = SharePlace(owner: place, zoneName: "Notes", shareName: vector.shareName)
        let user = AccountPlace(container: vectors.container, user: vector.participant)
        let participant = AccountKey(try bytes(vector.participantAccountKey))
        let (owner, own) = (SharingIdentity(account, place.owner), SharingIdentity(participant, user))
        #expect(owner.publicKey == (try bytes(vector.ownerPublicKey)))
        #expect(own.publicKey == (try bytes(vector.participantPublicKey)))
        let secret = try #require(LinkSecret(fragment: vector.fragment))
        #expect(secret.bytes == (try bytes(vector.linkSecret)))
        let key = ZoneKey(try bytes(vector.key))
        #expect(key.id.description == vector.keyID)
        // What the owner's device keeps and hands over.
        let envelope = try ShareEnvelope(try bytes(vector.envelope))
        let share = try OwnedShare(envelope, place, account)
        #expect(share.key == key && share.link == secret && share.generation == vector.generation)
        #expect(share.earlier == [ZoneKey(try bytes(vectors.zoneKey.secret))])
        #expect(share.members == [vector.participant: own.publicKey])
        #expect(share.invitations.map(\.participantID) == ["participant-2"])
        let nonces = try vector.nonces.map { try bytes($0) }
        #expect(share.envelope(random: random(nonces[3] + nonces[0] + nonces[1])).bytes == envelope.bytes)
        let handover = ShareHandover(
            key, secret, share.header, from: owner, owner: owner, to: vector.participant, own.publicKey, place,
            random: random(nonces[2]))
        #expect(handover?.bytes == (try bytes(vector.handover)))
        // What the participant's does.
        let link = ReceivedLink(secret: secret, shortGUID: "abc")
        let proof = ShareProof(own.publicKey, of: vector.participant, knowing: owner.publicKey, link, place)
        #expect(proof.bytes == (try bytes(vector.proof)))
        #expect(try ShareProof(proof.bytes).isMade(by: vector.participant, with: secret, place))
        #expect(try !ShareProof(proof.bytes).isMade(by: vectors.user, with: secret, place))
        let known = ShareKeys(shareName: vector.shareName, keyTag: "1", state: .current, envelope: envelope.bytes)
        let joined = try #require(JoinedShare(link, place, known))
        #expect(joined.key == key && joined.header == share.header)
        #expect(joined.sealed(participant, user, random: random(nonces[4])) == (try bytes(vector.joined)))
        #expect(try JoinedShare(try bytes(vector.joined), place, user) { _ in participant } == joined)
        #expect(
            try ShareHandover(try bytes(vector.handover)).open(with: own, of: vector.participant, place)?.key == key)
        #expect(try ShareHandover(try bytes(vector.handover)).open(with: owner, of: vector.participant, place) == nil)
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
