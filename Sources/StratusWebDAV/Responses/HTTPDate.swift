import StratusCloudModel

/// Dates of properties and header fields, from milliseconds since 1970-01-01 UTC.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let millisecondsPerDay: Int64 = 86_400_000
    /// What dates with years of four digits can say: 0001-01-01 to 9999-12-31.
    private static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// `Thu, 12 Feb 2026 08:05:09 GMT`, as `Last-Modified` and DAV: getlastmodified have it.
    public static func text(_ time: Int64) -> String {
        let time = bounded(time)
        let day = CalendarDay(milliseconds: time)
        let number = floored(time, millisecondsPerDay)
        let weekday = days[Int(((number % 7) + 7) % 7)]
        let year = padded(day.year, 4)
        return "\(weekday), \(padded(day.day, 2)) \(months[Int(day.month) - 1]) \(year) \(clock(time)) GMT"
    }

    /// `2026-02-12T08:05:09Z`, as DAV: creationdate has it.
    public static func timestamp(_ time: Int64) -> String {
        let time = bounded(time)
        return "\(CalendarDay(milliseconds: time))T\(clock(time))Z"
    }

    private static func bounded(_ time: Int64) -> Int64 { min(max(time, range.lowerBound), range.upperBound) }

    private static func clock(_ time: Int64) -> String {
        let seconds = (time - floored(time, millisecondsPerDay) * millisecondsPerDay) / 1_000
        return "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    }

    private static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
