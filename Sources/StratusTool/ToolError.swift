import StratusCloudModel

/// Why a command failed: what is printed, and the exit code.
struct ToolError: Error, Sendable, CustomStringConvertible {
    /// The codes that scripts can rely on.
    enum ExitCode: Int32, Sendable {
        case success = 0
        /// The command could not do all that it was asked to.
        case failure = 1
        /// The command line or the configuration is wrong.
        case usage = 2
        /// A signal stopped the command at a point from which it goes on. The process then ends by that signal; this is
        /// what shells make of SIGINT.
        case interrupted = 130
    }

    /// The code of the web services where there is one, such as `NOT_FOUND`; otherwise a word of the tool.
    let code: String
    /// For the operator: what happened, and what to do.
    let message: String
    /// What the process ends with.
    let exitCode: ExitCode

    init(_ message: String, code: String = "FAILED", exitCode: ExitCode = .failure) {
        self.message = message
        self.code = code
        self.exitCode = exitCode
    }

    init(_ error: CloudError) { self.init(error.reason, code: error.code.rawValue) }

    /// A mistake in the command line or the configuration.
    static func usage(_ message: String) -> ToolError { ToolError(message, code: "USAGE", exitCode: .usage) }

    /// A command was stopped where it can go on.
    static func interrupted(_ message: String) -> ToolError {
        ToolError(message, code: interruptedCode, exitCode: .interrupted)
    }
    static let interruptedCode = "INTERRUPTED"

    /// Stops a command that is not wanted any more, between two steps.
    /// - Parameter message: where it stopped, and how it goes on.
    static func checkInterruption(_ message: @autoclosure () -> String) throws(ToolError) {
        if Task.isCancelled { throw .interrupted(message()) }
    }

    /// The message.
    var description: String { message }
}
