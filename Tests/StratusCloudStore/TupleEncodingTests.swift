import StratusCloudStore
import Testing

@Suite struct TupleEncodingTests {
    private func key(_ body: (inout TupleEncoder) -> Void) -> Key {
        var encoder = TupleEncoder()
        body(&encoder)
        return encoder.key
    }

    @Test func doublesSortAsNumbers() {
        let ascending = [
            -Double.infinity, -1e300, -1, -Double.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1, 1e300, .infinity,
        ]
        let keys = ascending.map { value in key { $0.append(double: value) } }
        #expect(keys == keys.sorted())
        #expect(key { $0.append(double: -0.0) } == key { $0.append(double: 0) })
        for (value, key) in zip(ascending, keys) {
            var decoder = TupleDecoder(key)
            #expect(decoder.double() == value)
        }
    }

    @Test func integersSortAsNumbersAndComeBack() {
        var random = SystemRandomNumberGenerator()
        let values = (0..<1_000).map { _ in Int64.random(in: .min ... .max, using: &random) } + [.min, -1, 0, 1, .max]
        let ascending = values.sorted()
        let keys = ascending.map { value in key { $0.append(signed: value) } }
        #expect(keys == keys.sorted())
        let unsigned = values.map { UInt64(bitPattern: $0) >> UInt64(truncatingIfNeeded: $0 & 63) }.sorted()
        let unsignedKeys = unsigned.map { value in key { $0.append(unsigned: value) } }
        #expect(unsignedKeys == unsignedKeys.sorted())
        for (value, key) in zip(unsigned, unsignedKeys) {
            var decoder = TupleDecoder(key)
            #expect(decoder.unsigned() == value)
            #expect(decoder.isAtEnd)
        }
    }

    @Test func stringsOfAnyBytesSortAsBytesAndComeBack() {
        var random = SystemRandomNumberGenerator()
        let alphabet: [UInt8] = [0, 0, 1, 0x61, 0xFE, 0xFF, 0xFF]
        let values = (0..<2_000).map { _ in
            (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
        }
        for _ in 0..<2_000 {
            let (a, b) = (values.randomElement()!, values.randomElement()!)
            let (x, y) = (
                key {
                    $0.append(escaped: a); $0.append(byte: 7)
                },
                key {
                    $0.append(escaped: b); $0.append(byte: 7)
                }
            )
            #expect((x < y) == a.lexicographicallyPrecedes(b))
            var decoder = TupleDecoder(x)
            #expect(decoder.escaped() == a)
            #expect(decoder.byte() == 7)
        }
    }

    @Test func aPrefixRangeHoldsExactlyTheKeysWithThatPrefix() {
        let range = KeyRange(prefix: Key([1, 0xFF]))
        #expect(range.contains(Key([1, 0xFF])))
        #expect(range.contains(Key([1, 0xFF, 0xFF, 0xFF])))
        #expect(!range.contains(Key([2])))
        #expect(!range.contains(Key([1, 0xFE, 0xFF])))
    }
}
