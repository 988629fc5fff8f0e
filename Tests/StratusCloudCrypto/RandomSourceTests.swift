import StratusCloudCrypto
import Testing

@Suite struct RandomSourceTests {
    @Test func theSameSeedGivesTheSameBytes() {
        #expect(RandomSource.seeded(7).bytes(100) == RandomSource.seeded(7).bytes(100))
        #expect(RandomSource.seeded(7).bytes(100) != RandomSource.seeded(8).bytes(100))
    }

    @Test func theSystemNeverRepeatsItself() {
        let values = Set((0..<1_000).map { _ in RandomSource.system.bytes(16) })
        #expect(values.count == 1_000)
        #expect(RandomSource.system.bytes(0) == [])
    }

    @Test func equalityOfSecrets() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 0]))
    }
}
