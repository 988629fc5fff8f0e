/// A day of the Gregorian calendar in UTC.
public struct CalendarDay: Hashable, Sendable, CustomStringConvertible {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// The year.
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// The day that begins so many days after 1970-01-01.
    public init(daysSince1970 days: Int64) {
        // Years that begin in March have their leap day at the end, and 400 of them are always as long.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of a moment.
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    public init(milliseconds time: Int64) {
        let days = time / Self.millisecondsPerDay
        self.init(daysSince1970: time % Self.millisecondsPerDay < 0 ? days - 1 : days)
    }

    /// As people and programs read it alike: `2026-02-12`.
    public var description: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
