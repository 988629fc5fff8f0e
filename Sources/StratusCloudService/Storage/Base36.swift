/// Numbers to base 36, in small letters. By hand, because one stands in every record of an answer, and in every token.
enum Base36 {
    /// Digits of the greatest number.
    static let mostDigits = 13

    /// A number's digits.
    static func text(_ value: UInt64) -> String {
        var (count, rest) = (1, value / 36)
        while rest > 0 { (count, rest) = (count + 1, rest / 36) }
        return String(unsafeUninitializedCapacity: mostDigits) { room in
            rest = value
            for place in (0..<count).reversed() {
                let digit = UInt8(truncatingIfNeeded: rest % 36)
                room[place] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
                rest /= 36
            }
            return count
        }
    }
}
