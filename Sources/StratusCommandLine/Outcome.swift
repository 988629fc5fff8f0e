/// What a command line asks for.
public enum Outcome: Sendable {
    /// To run a command.
    case run(Invocation)
    /// To print this text (help or version) to standard output and end with status 0.
    case show(String)
    /// Something that cannot be done: print this message to standard error and end with status 2.
    case refused(String)
}

/// A command that was called, with its values.
public struct Invocation: Sendable {
    /// The values of its parameters.
    public let values: Values

    let path: [Command]
    private let body: Command.Body

    init(path: [Command], values: Values, body: @escaping Command.Body) {
        self.path = path
        self.values = values
        self.body = body
    }

    /// The words that called it, the tool's name first.
    public var words: [String] { path.map(\.name) }

    /// Runs the command; the result is the exit status.
    public func run() async throws -> Int32 { try await body(values) }

    static func refusal(_ error: UsageError, path: [Command]) -> String {
        let words = path.map(\.name).joined(separator: " ")
        return "\(words): \(error.message)\nTry '\(words) --help'."
    }
}
