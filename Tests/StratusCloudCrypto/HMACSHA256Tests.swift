import StratusCloudCrypto
import Testing

@Suite struct HMACSHA256Tests {
    private struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let code: String
    }

    /// RFC 4231, cases 1, 2, 3 and 6.
    private static let vectors = [
        Vector(
            key: .init(repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            key: .init(repeating: 0xAA, count: 20), message: .init(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            key: .init(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ]

    @Test func knownAnswers() {
        for vector in Self.vectors {
            let key = HMACSHA256(key: vector.key)
            #expect(Hex.encode(key.authenticate(vector.message)) == vector.code)
            #expect(Hex.encode(key.authenticate(vector.message)) == vector.code, "a key can be used again")
        }
    }

    @Test func emptyKeyAndEmptyMessage() {
        let code = HMACSHA256(key: []).authenticate([UInt8]())
        #expect(Hex.encode(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func everyChangedBitIsNoticed() {
        let key = HMACSHA256(key: RandomSource.seeded(2).bytes(32))
        let message = Array("zone/7".utf8)
        let code = key.authenticate(message)
        #expect(key.isValid(code, for: message))
        for bit in 0..<256 {
            var tampered = code
            tampered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.isValid(tampered, for: message))
        }
        #expect(!key.isValid(Array(code.dropLast()), for: message))
        #expect(!key.isValid([], for: message))
        #expect(!key.isValid(code, for: message + [0]))
    }

    @Test func oneKeyServesManyTasks() async {
        let key = HMACSHA256(key: [1, 2, 3])
        let expected = key.authenticate(Array("m".utf8))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { key.authenticate(Array("m".utf8)) == expected } }
            for await isEqual in group { #expect(isEqual) }
        }
    }
}
