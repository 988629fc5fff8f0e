import Glibc

/// Asks before something that cannot be undone.
enum Confirmation {
    /// Goes on if the answer is the expected one.
    /// - Throws: a usage error where nobody can be asked, and a failure for any other answer.
    static func ask(_ question: String, expecting word: String, _ context: ToolContext) throws(ToolError) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage(
                "\(question) Nothing was done, because confirming needs a terminal; use --yes without one")
        }
        guard try PasswordInput.ask("\(question) Type '\(word)' to continue: ") == word else {
            throw ToolError("nothing was done", code: "NOT_CONFIRMED")
        }
    }
}

/// Who gives the commands, for histories.
enum OperatorName {
    static var current: String {
        for name in ["SUDO_USER", "USER", "LOGNAME"] {
            if let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty { return value }
        }
        return "uid \(getuid())"
    }
}

/// Moments for people.
enum TimeText {
    /// Such as `2026-11-22 08:30:00Z`.
    static func utc(milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(milliseconds) ms" }
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M:%SZ", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
