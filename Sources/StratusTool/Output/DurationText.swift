import StratusCommandLine

/// Lengths of time as people write them: `90` seconds, `15m`, `12h`, `7d`.
enum DurationText {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    /// The seconds; nil if the text is no length of time, or too long a one.
    static func seconds(_ text: String) -> Int64? {
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) else { return nil }
        let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooLong ? nil : seconds
    }

    /// The text with the largest unit that leaves nothing over.
    static func text(_ seconds: Int64) -> String {
        let unit = units.filter { seconds.isMultiple(of: $0.value) }.max { $0.value < $1.value }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "\(seconds)s"
    }
}

extension ValueKind where Value == Int64 {
    /// A number of seconds in `range`, with a unit.
    static func duration(_ range: ClosedRange<Int64>) -> ValueKind<Int64> {
        let bounds = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
        return ValueKind(placeholder: "time", note: "\(bounds), in seconds or with m, h or d") {
            text throws(UsageError) in
            guard let seconds = DurationText.seconds(text), range.contains(seconds) else {
                throw UsageError("must be a time from \(bounds), such as 12h")
            }
            return seconds
        }
    }
}
