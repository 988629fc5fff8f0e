/// A structured log: every call becomes one line, a JSON object of time, level, message and fields.
///
/// A value: `with` gives a logger that adds fields to all its lines. Never log secrets; request targets go through
/// `Redaction.requestTarget` first.
public struct Logger: Sendable {
    /// Lines below this level are not written.
    public var level: LogLevel

    private let writer: LogWriter
    private let now: @Sendable () -> LogTime
    private var fields: LogFields = [:]

    /// A logger that writes lines of `level` and above to `writer`.
    public init(
        writer: LogWriter, level: LogLevel = .info, now: @escaping @Sendable () -> LogTime = LogTime.now
    ) {
        self.writer = writer
        self.level = level
        self.now = now
    }

    /// This logger with `fields` on every line.
    public func with(_ fields: LogFields) -> Logger {
        var logger = self
        logger.fields.append(fields)
        return logger
    }

    /// Logs a line. `message` and `fields` are evaluated only if the level is on.
    public func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]
    ) {
        guard level >= self.level else { return }
        writer.append(LogLine(time: now(), level: level, message: message(), fields: [self.fields, fields()]))
    }

    /// Logs for the developer.
    public func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.debug, message(), fields())
    }

    /// Logs what the operator wants to know.
    public func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.info, message(), fields())
    }

    /// Logs something wrong that was coped with.
    public func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.warning, message(), fields())
    }

    /// Logs a failure.
    public func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> LogFields = [:]) {
        log(.error, message(), fields())
    }
}
