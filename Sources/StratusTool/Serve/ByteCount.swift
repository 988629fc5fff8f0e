import StratusCommandLine

/// Numbers of bytes as people write them: `1048576`, `512K`, `20M`, `5G`, `1T`, where K is 1,024.
enum ByteCount {
    private static let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// The number; nil if the text is none or too large.
    static func parse(_ text: String) -> Int64? {
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number >= 0 else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooLarge ? nil : bytes
    }
}

extension ValueKind where Value == Int64 {
    /// A number of bytes in `range`.
    static func byteCount(_ range: ClosedRange<Int64>) -> ValueKind<Int64> {
        let bounds =
            range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
        return ValueKind(placeholder: "bytes", note: "\(bounds), with K, M, G or T as an optional unit") {
            text throws(UsageError) in
            guard let bytes = ByteCount.parse(text), range.contains(bytes) else {
                throw UsageError(
                    "must be a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 5G")
            }
            return bytes
        }
    }
}
