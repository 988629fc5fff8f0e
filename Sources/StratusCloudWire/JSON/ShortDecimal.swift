/// A double that is a number with at most four digits behind its point and few before it, as most that people enter are:
/// found with a multiplication and a division instead of a search for the shortest digits.
struct ShortDecimal {
    /// Bytes of its text at most: a sign, eleven digits, a point, four digits.
    static let longest = 17

    /// Its ten-thousandths.
    let units: Int64

    private static let scale: Int64 = 10_000
    /// Numbers below have at most fifteen digits. No two such numbers are the same double, so that any that reads back as
    /// a double is its shortest.
    private static let bound = 1e15

    /// Nil for others, and for zero, which has a sign that digits do not tell.
    @inline(__always)
    init?(_ value: Double) {
        let scaled = (value * Double(Self.scale)).rounded()
        // Both operands are exact, so the division gives the double that the digits read back as.
        guard abs(scaled) < Self.bound, scaled != 0, scaled / Double(Self.scale) == value else { return nil }
        units = Int64(scaled)
    }
}

extension JSONRoom {
    /// At least one digit behind the point.
    mutating func put(_ decimal: ShortDecimal) {
        let (whole, rest) = decimal.units.magnitude.quotientAndRemainder(dividingBy: 10_000)
        if decimal.units < 0 { put(UInt8(ascii: "-")) }
        put(Int64(whole))
        put(UInt8(ascii: "."))
        var (left, unit): (UInt64, UInt64) = (rest, 1_000)
        repeat {
            let (digit, next) = left.quotientAndRemainder(dividingBy: unit)
            put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
            left = next
            unit /= 10
        } while left > 0
    }
}
