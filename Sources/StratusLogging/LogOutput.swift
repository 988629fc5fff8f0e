import Foundation

/// Where messages go: a line each to the standard error, as a service manager or a terminal reads them.
public enum LogOutput {
    /// What matters less is left out: `STRATUS_LOG_LEVEL` is `debug`, `info`, `notice` (unless said otherwise), `error`
    /// or `fault`.
    public static let threshold: OSLogType =
        [.debug, .info, .default, .error, .fault].first { $0.name == environment["STRATUS_LOG_LEVEL"] } ?? .default

    private static let environment = ProcessInfo.processInfo.environment

    /// Whether messages of a kind are written.
    static func takes(_ type: OSLogType) -> Bool { type.rank >= threshold.rank }

    /// Writes a message, in one piece, so that lines of several threads do not mix.
    static func write(_ text: @autoclosure () -> String, _ type: OSLogType, _ log: OSLog) {
        guard log.isEnabled(type: type) else { return }
        FileHandle.standardError.write(Data((line(text(), type, log, at: Date()) + "\n").utf8))
    }

    /// `2026-01-02T03:04:05.678Z error [org.example:sync] text`, with line breaks of the text escaped, so that a message
    /// cannot look like two.
    static func line(_ text: String, _ type: OSLogType, _ log: OSLog, at date: Date) -> String {
        let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let source = log.subsystem.isEmpty ? "" : " [\(log.subsystem):\(log.category)]"
        let oneLine = text.replacingOccurrences(of: "\n", with: "\\n").replacingOccurrences(of: "\r", with: "\\r")
        return "\(time) \(type.name)\(source) \(oneLine)"
    }
}
