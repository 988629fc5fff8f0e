/// Writes messages of a part of a program; see ``LogOutput``.
public struct Logger: Sendable {
    private let log: OSLog

    /// Messages of no part in particular.
    public init() { log = .default }

    /// Messages of a part of a program.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Messages of what a log stands for.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message.
    public func log(_ message: OSLogMessage) { log(level: .default, message) }

    /// Writes a message of a kind.
    public func log(level: OSLogType, _ message: OSLogMessage) { LogOutput.write(message.text, level, log) }

    /// For whoever looks for a fault.
    public func trace(_ message: OSLogMessage) { log(level: .debug, message) }

    /// For whoever looks for a fault.
    public func debug(_ message: OSLogMessage) { log(level: .debug, message) }

    /// Helpful, but not needed.
    public func info(_ message: OSLogMessage) { log(level: .info, message) }

    /// What is usual.
    public func notice(_ message: OSLogMessage) { log(level: .default, message) }

    /// An error that the program goes on after.
    public func warning(_ message: OSLogMessage) { log(level: .error, message) }

    /// An error of the program.
    public func error(_ message: OSLogMessage) { log(level: .error, message) }

    /// An error that should not be possible.
    public func critical(_ message: OSLogMessage) { log(level: .fault, message) }

    /// An error that should not be possible.
    public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}
