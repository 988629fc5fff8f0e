import StratusCloudCrypto
import StratusSeeds
import Testing

@testable import StratusCloudKit

@Suite struct EnvelopeTests {
    private let random = RandomSource.seeded(3)

    private func keyID(_ byte: UInt8) throws -> KeyID { try #require(KeyID([UInt8](repeating: byte, count: 16))) }

    @Test func whatIsWrittenIsRead() throws {
        for recovery in [nil, [7, 8]] as [[UInt8]?] {
            for count in 0..<3 {
                let previous = try (0..<count).map { WrappedAccountKey(keyID: try keyID(UInt8($0)), sealed: [1]) }
                let envelope = AccountEnvelope(keyID: try keyID(9), recovery: recovery, previous: previous)
                #expect(try AccountEnvelope(envelope.bytes) == envelope)
            }
        }
        let keys = try (0..<3).map {
            WrappedZoneKey(accountKeyID: try keyID(1), zoneKeyID: try keyID($0), sealed: random.bytes(60))
        }
        #expect(try ZoneEnvelope(ZoneEnvelope(keys: keys).bytes).keys == keys)
        var approvals = ApprovalEnvelope()
        for number in 0..<ApprovalEnvelope.limit + 2 {
            let answer = ApprovalRecord.Answer(publicKey: random.bytes(32), sealed: random.bytes(60))
            approvals.add(
                ApprovalRecord(
                    id: random.bytes(16), deviceName: "\(number) ü", publicKey: random.bytes(32),
                    proof: random.bytes(32),
                    answer: number % 2 == 0 ? answer : nil))
        }
        #expect(approvals.requests.count == ApprovalEnvelope.limit && approvals.requests[0].deviceName == "2 ü")
        #expect(try ApprovalEnvelope(approvals.bytes) == approvals)
    }

    @Test("any bytes are read or refused", arguments: [Seed.draw()]) func anyBytes(_ seed: UInt64)
        throws
    {
        let random = RandomSource.seeded(seed)
        func below(_ bound: Int) -> Int { Int(random.integer() % UInt64(bound)) }
        let key = WrappedZoneKey(accountKeyID: try keyID(1), zoneKeyID: try keyID(2), sealed: random.bytes(60))
        let request = ApprovalRecord(
            id: random.bytes(16), deviceName: "x", publicKey: random.bytes(32), proof: random.bytes(32))
        let originals = [
            ZoneEnvelope(keys: [key, key]).bytes, ApprovalEnvelope(requests: [request]).bytes,
            AccountEnvelope(keyID: try keyID(1), previous: [WrappedAccountKey(keyID: try keyID(2), sealed: [1])]).bytes,
        ]
        var refused = 0
        for _ in 0..<3_000 {
            var bytes = originals[below(originals.count)]
            for _ in 0...below(4) {
                switch below(3) {
                case 0: bytes[below(bytes.count)] = UInt8(below(256))
                case 1: bytes = Array(bytes.prefix(max(1, below(bytes.count))))
                default: bytes.insert(UInt8(below(256)), at: below(bytes.count))
                }
            }
            // Envelopes have one form: what is read is what was written.
            if let envelope = try? ZoneEnvelope(bytes) {
                #expect(envelope.bytes == bytes, "seed \(seed)")
            } else {
                refused += 1
            }
            if let envelope = try? AccountEnvelope(bytes) { #expect(envelope.bytes == bytes, "seed \(seed)") }
            if let envelope = try? ApprovalEnvelope(bytes) { #expect(envelope.bytes == bytes, "seed \(seed)") }
            _ = try? PlainValue(bytes)
            _ = try? SealedValue(bytes)
        }
        #expect(refused > 1_000)
    }
}
