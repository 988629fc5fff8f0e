/// A command of a tool, or the tool itself: its options, arguments and subcommands, and what it does.
///
/// Options may stand anywhere after the command that declares them, also after its subcommands' names.
public struct Command: Sendable {
    /// What a command does; the result is the process's exit status.
    public typealias Body = @Sendable (Values) async throws -> Int32

    /// The word that calls it.
    public let name: String
    /// One line for the list of commands.
    public let summary: String
    /// Further paragraphs for the command's own help.
    public let discussion: String
    /// What `--version` prints; only for the tool itself.
    public let version: String?
    /// Advice for words that people try as subcommands, by the word; the advice goes on behind a semicolon.
    let hints: [String: String]
    /// Whether help, suggestions and completions leave the command out.
    let isHidden: Bool

    let options: [Declaration]
    let positionals: [Declaration]
    let subcommands: [Command]
    let run: Body?

    /// A command. It has subcommands or positional arguments, not both; without `run` it needs a subcommand.
    public init(
        _ name: String, summary: String, discussion: String = "", version: String? = nil,
        options: [any ParameterDeclaring] = [], positionals: [any ParameterDeclaring] = [],
        subcommands: [Command] = [], hints: [String: String] = [:], isHidden: Bool = false, run: Body? = nil
    ) {
        precondition(subcommands.isEmpty || positionals.isEmpty, "\(name): subcommands exclude positional arguments")
        precondition(run != nil || !subcommands.isEmpty, "\(name) does nothing")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.version = version
        self.hints = hints
        self.isHidden = isHidden
        self.options = options.map(\.declaration)
        self.positionals = positionals.map(\.declaration)
        self.subcommands = subcommands
        self.run = run
    }

    /// The subcommands that people are shown.
    var shownSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// What `arguments` (without the tool's own name) ask for. Has no effect of its own.
    public func parse(_ arguments: [String]) -> Outcome {
        var parser = Parser(root: self)
        do throws(UsageError) {
            return try parser.parse(arguments)
        } catch {
            return .refused(Invocation.refusal(error, path: parser.path))
        }
    }

    /// Does what `arguments` ask for and returns the exit status: 0 after help, 2 for a command line that cannot be
    /// carried out, 1 if the command failed, otherwise what the command says.
    ///
    /// - Parameters:
    ///   - output: takes help and version texts, for standard output.
    ///   - errors: takes messages, for standard error.
    public func execute(
        _ arguments: [String], output: (String) -> Void, errors: (String) -> Void
    ) async -> Int32 {
        switch parse(arguments) {
        case .show(let text):
            output(text)
            return 0
        case .refused(let message):
            errors(message)
            return 2
        case .run(let invocation):
            do {
                return try await invocation.run()
            } catch let error as UsageError {
                errors(Invocation.refusal(error, path: invocation.path))
                return 2
            } catch {
                errors("\(name): \(error)")
                return 1
            }
        }
    }
}
