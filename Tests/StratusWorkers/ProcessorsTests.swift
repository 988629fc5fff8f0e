import Testing

@testable import StratusWorkers

@Suite struct ProcessorsTests {
    @Test(
        arguments: [
            ("max 100000\n", nil), ("100000 100000\n", 1), ("100001 100000", 2), ("150000 100000", 2), ("1 100000", 1),
            ("6400000 100000", 64), ("0 100000", nil), ("-1 100000", nil), ("100000 0", nil), ("100000", nil),
            ("", nil),
            ("9223372036854775807 1", 9_223_372_036_854_775_807), ("9223372036854775808 1", nil), ("1 2 3", nil),
        ] as [(String, Int?)])
    func quotas(line: String, processors: Int?) {
        #expect(Processors.quota(in: line) == processors)
    }

    @Test func thereIsOneAtLeast() { #expect(Processors.count >= 1) }
}
