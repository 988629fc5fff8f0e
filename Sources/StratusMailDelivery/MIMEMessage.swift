import StratusCloudModel

/// A mail as text and as HTML, as RFC 5322 and MIME write it. All header values that others may have a hand in are encoded
/// words of Base64: nothing in them can end a line.
struct MIMEMessage {
    /// What stands in `From`.
    var sender: MailSender
    /// An address that `SMTPMessage.isAddress` takes.
    var recipient: String
    var subject: String
    var text: String
    var html: String
    /// Unique and the same for each attempt; letters, digits and hyphens.
    var id: String
    /// When it was written, in milliseconds since 1970-01-01 UTC.
    var date: Int64

    /// Header and body, with CRLF at the end of each line.
    var bytes: [UInt8] {
        let boundary = "=_stratus-\(id)"
        var lines = [
            "Date: \(MailDate.text(date))", "From: \(sender.header)", "To: <\(recipient)>",
            "Subject: \(Self.encodedWords(subject))", "Message-ID: <\(id)@\(sender.domain)>", "MIME-Version: 1.0",
            // No program is to answer by itself.
            "Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All",
            "Content-Type: multipart/alternative; boundary=\"\(boundary)\"", "",
        ]
        for (type, content) in [("text/plain", text), ("text/html", html)] {
            lines += [
                "--\(boundary)", "Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
            ]
            lines += Self.folded(content)
        }
        lines += ["--\(boundary)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// Bytes of text in an encoded word, so that the word has at most 75 characters.
    private static let wordLength = 42

    /// Text in a header value: RFC 2047.
    static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var current: [UInt8] = []
        func finish() {
            if !current.isEmpty { words.append("=?UTF-8?B?\(Base64.string(current))?=") }
            current = []
        }
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if current.count + bytes.count > wordLength { finish() }
            current += bytes
        }
        finish()
        return words.joined(separator: "\r\n ")
    }

    /// Bytes in a line of Base64, which has 76 characters then.
    private static let lineLength = 57

    private static func folded(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: lineLength).map { start in
            Base64.string(Array(bytes[start..<min(start + lineLength, bytes.count)]))
        }
    }
}

/// Who mail comes from.
public struct MailSender: Hashable, Sendable {
    /// A name, if there is one.
    public let name: String?
    /// The address.
    public let address: String

    /// Reads `address` or `name <address>`; nil for anything else.
    public init?(_ text: String, isAddress: (String) -> Bool) {
        var name: Substring?
        var address = text[...]
        if text.hasSuffix(">"), let start = text.lastIndex(of: "<") {
            name = text[..<start]
            address = text[text.index(after: start)...].dropLast()
        }
        let trimmed = name.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        guard isAddress(String(address)) else { return nil }
        self.name = trimmed.flatMap { $0.isEmpty ? nil : $0 }
        self.address = String(address)
    }

    var domain: String { String(address.split(separator: "@").last ?? "localhost") }
    var header: String { name.map { "\(MIMEMessage.encodedWords($0))\r\n <\(address)>" } ?? "<\(address)>" }
}

/// Dates as mail writes them: `Mon, 02 Feb 2026 10:00:00 +0000`.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter time: milliseconds since 1970-01-01 UTC, not before.
    static func text(_ time: Int64) -> String {
        let seconds = max(0, time) / 1_000
        let day = CalendarDay(daysSince1970: seconds / 86_400)
        let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { padded($0) }.joined(separator: ":")
        return "\(days[Int(seconds / 86_400 % 7)]), \(padded(day.day)) \(months[Int(day.month) - 1]) "
            + "\(day.year) \(clock) +0000"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
}
