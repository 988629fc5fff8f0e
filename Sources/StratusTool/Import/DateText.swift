/// Dates as files write them.
enum DateText {
    /// Milliseconds since 1970-01-01 UTC of ISO 8601 text, or of a number that already is that; nil for anything else.
    ///
    /// `2026-01-31`, `2026-01-31T12:00:00`, with `Z` or an offset `+01:00`, with a fraction of seconds; a space may stand
    /// for the `T`. Without an offset UTC is meant. Digits beyond milliseconds are dropped.
    static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        var scanner = Scanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), (1...12).contains(month), day >= 1, day <= days(in: month, year)
        else { return nil }
        var result = Int64(daysSince1970(year, month, day)) * 86_400_000
        if scanner.isAtEnd { return result }
        guard scanner.take("T") || scanner.take("t") || scanner.take(" "), let hour = scanner.number(2),
            scanner.take(":"), let minute = scanner.number(2), hour < 24, minute < 60
        else { return nil }
        result += Int64(hour * 3_600_000 + minute * 60_000)
        if scanner.take(":") {
            guard let second = scanner.number(2), second < 60 else { return nil }
            result += Int64(second) * 1_000
            if scanner.take(".") {
                guard let fraction = scanner.fraction() else { return nil }
                result += Int64(fraction)
            }
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        return result - Int64(offset) * 60_000
    }

    /// Returns a moment as ISO 8601 text in UTC that ``milliseconds(_:)`` reads; outside of the years 1 to 9999, where
    /// that has no form, the number itself.
    static func text(milliseconds: Int64) -> String {
        let (days, rest) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = date(daysSince1970: days)
        guard (1...9_999).contains(year) else { return String(milliseconds) }
        func padded(_ number: Int64, _ digits: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let fraction = rest % 1_000 == 0 ? "" : "." + padded(rest % 1_000, 3)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { padded($0, 2) }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time.joined(separator: ":"))\(fraction)Z"
    }

    /// Returns the date of the proleptic Gregorian calendar, counted in years that begin in March.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }

    private static func days(in month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days of the proleptic Gregorian calendar, counted in years that begin in March.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Goes through a text from left to right.
    private struct Scanner {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func number(_ digits: Int) -> Int? {
            let text = rest.prefix(digits)
            guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(digits)
            return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Milliseconds of the digits behind a point.
        mutating func fraction() -> Int? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            return (digits.prefix(3) + Array(repeating: 0x30, count: max(0, 3 - digits.count)))
                .reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Minutes east of Greenwich.
        mutating func offset() -> Int? {
            if isAtEnd || take("Z") || take("z") { return 0 }
            let sign: Int
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hours = number(2), hours < 24 else { return nil }
            _ = take(":")
            guard !isAtEnd else { return sign * hours * 60 }
            guard let minutes = number(2), minutes < 60 else { return nil }
            return sign * (hours * 60 + minutes)
        }
    }
}

extension Int64 {
    /// Divides so that the remainder is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
