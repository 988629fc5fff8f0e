/// Room in a buffer, made beforehand for all that is put there: pieces follow one another without a look at its end.
struct JSONRoom {
    /// Digits of the longest 64-bit integer, and its sign.
    static let longestInteger = 20

    /// Where the next piece goes.
    private(set) var place: UnsafeMutablePointer<UInt8>

    init(_ start: UnsafeMutablePointer<UInt8>) { place = start }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        place.pointee = byte
        place += 1
    }

    /// ASCII.
    @inline(__always)
    mutating func put(_ text: StaticString) {
        place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        place += text.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        place.update(from: first, count: bytes.count)
        place += bytes.count
    }

    /// The digits of an integer, two with each division.
    mutating func put(_ value: Int64) {
        var rest = value.magnitude
        if value < 0 { put(UInt8(ascii: "-")) }
        let count = Self.digits(of: rest)
        var end = place + count
        place = end
        while rest >= 100 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            end -= 2
            end.update(from: Self.pairs.utf8Start + 2 * Int(pair), count: 2)
            rest = quotient
        }
        if rest >= 10 {
            (end - 2).update(from: Self.pairs.utf8Start + 2 * Int(rest), count: 2)
        } else {
            end[-1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)
        }
    }

    private static func digits(of value: UInt64) -> Int {
        // 1233 / 4096 is a little more than the logarithm of two, so the power is the right one or the one below.
        let power = ((64 - (value | 1).leadingZeroBitCount) &* 1_233) >> 12
        return value < powers[power] ? power : power &+ 1
    }

    /// Of ten, as far as 64 bits reach; the first is such that zero has a digit.
    private static let powers: [UInt64] = [
        0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
        555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
}
