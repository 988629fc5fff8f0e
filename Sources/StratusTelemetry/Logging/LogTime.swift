import Glibc

/// A moment, in milliseconds since 1970 UTC.
public struct LogTime: Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// That many milliseconds after the start of 1970 UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The moment by the system's clock.
    public static func now() -> LogTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return LogTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Appends the moment as RFC 3339 with milliseconds, UTC: `2026-01-31T23:59:59.007Z`.
    func append(to bytes: inout [UInt8]) {
        let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        var clock = time_t(fraction < 0 ? seconds - 1 : seconds)
        var date = tm()
        gmtime_r(&clock, &date)
        func append(_ number: Int, digits: Int, then end: UInt8) {
            var power = 1
            for _ in 1..<digits { power *= 10 }
            if (0..<10 * power).contains(number) {
                while power > 0 {
                    bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
                    power /= 10
                }
            } else {
                bytes += String(number).utf8
            }
            bytes.append(end)
        }
        append(Int(date.tm_year) + 1_900, digits: 4, then: UInt8(ascii: "-"))
        append(Int(date.tm_mon) + 1, digits: 2, then: UInt8(ascii: "-"))
        append(Int(date.tm_mday), digits: 2, then: UInt8(ascii: "T"))
        append(Int(date.tm_hour), digits: 2, then: UInt8(ascii: ":"))
        append(Int(date.tm_min), digits: 2, then: UInt8(ascii: ":"))
        append(Int(date.tm_sec), digits: 2, then: UInt8(ascii: "."))
        append(Int(fraction < 0 ? fraction + 1_000 : fraction), digits: 3, then: UInt8(ascii: "Z"))
    }
}
