extension HTTPClientResponse {
    /// The seconds after which the peer wants to be asked again; nil if it does not say so in a way that can be read.
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    package func retryAfter(now: Int64) -> Int? { headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: now) } }
}

/// What peers say of when they want to be asked again (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest that a peer is left alone because it says so, in seconds: a day.
    package static let longest = 86_400

    /// A number of seconds, at most ``longest``; nil if the text is neither that nor a date.
    package static func seconds(_ text: String, now: Int64) -> Int? {
        if let seconds = Int(text) { return seconds < 0 ? nil : min(seconds, longest) }
        return HTTPDate.seconds(text).map { min(Int(clamping: max(0, $0 - now / 1_000)), longest) }
    }
}

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`. The two older forms have not been sent for decades.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970-01-01 UTC; nil if the text is no such date.
    static func seconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]),
            (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        return days(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
    }

    /// Days since 1970-01-01, with years that begin in March, so that the leap day is a year's last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
