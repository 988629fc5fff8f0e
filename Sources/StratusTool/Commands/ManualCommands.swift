import StratusCommandLine

/// `stratus completion …`, `stratus man …`, and the command that completion scripts ask.
enum ManualCommands {
    private struct Written: Encodable {
        var directory: String
        var pages: Int
    }

    private static let shell = Positional.required(
        "shell", ValueKind<CompletionScript>.choice(placeholder: "shell"), help: "The shell")
    private static let words = Positional.repeated(
        "word", ValueKind<String>(placeholder: "word") { text throws(UsageError) in text },
        help: "The words of a command line")
    private static let page = Positional.repeated(
        "command", .string("command"), help: "The command, such as 'token create'; the tool itself by default")
    private static let directory = Option.optional(
        "output", .directory, help: "Writes the pages of all commands into this directory")

    /// - Parameter root: The tool, of which these commands are part.
    static func commands(_ output: Output, _ root: @escaping @Sendable () -> Command) -> [Command] {
        [completion(output, root), man(output, root), complete(output, root)]
    }

    private static func completion(_ output: Output, _ root: @escaping @Sendable () -> Command) -> Command {
        Command(
            "completion", summary: "Prints a shell script that completes commands, options and values",
            discussion: "bash: stratus completion bash > ~/.local/share/bash-completion/completions/stratus\n\n"
                + "zsh: stratus completion zsh > _stratus, in a directory of $fpath\n\n"
                + "fish: stratus completion fish > ~/.config/fish/completions/stratus.fish\n\n"
                + "The script asks the installed tool at each completion, so it needs no update.",
            positionals: [shell], output: output
        ) { context, values throws(ToolError) in
            context.output.line(values[shell].text(tool: root().name, query: "complete"))
            return .success
        }
    }

    private static func complete(_ output: Output, _ root: @escaping @Sendable () -> Command) -> Command {
        Command("complete", summary: "Prints the completions of a command line", positionals: [words], isHidden: true) {
            values in
            for line in Completion(root(), values[words]).lines { output.line(line) }
            return 0
        }
    }

    private static func man(_ output: Output, _ root: @escaping @Sendable () -> Command) -> Command {
        Command(
            "man", summary: "Prints the manual page of a command, or writes those of all commands",
            discussion:
                "'stratus man query | man -l -' shows a page. 'stratus man --output DIRECTORY' writes all pages; use "
                + "a directory man1 of the manual path.",
            options: [directory], positionals: [page], output: output
        ) { context, values throws(ToolError) in
            guard let path = values[directory] else {
                do throws(UsageError) {
                    context.output.bytes(Array(try ManPage(root(), values[page]).text.utf8))
                } catch {
                    throw .usage(error.message)
                }
                return .success
            }
            guard values[page].isEmpty else { throw .usage("give either a command or --output") }
            let pages = ManPage.all(of: root())
            let target = DataDirectory(path: path).path
            try DataDirectory(path: target).create()
            for page in pages { try AtomicFile.replace("\(target)/\(page.name).1", with: Array(page.text.utf8)) }
            try context.output.result(
                Written(directory: target, pages: pages.count), text: "wrote \(pages.count) pages to \(target)")
            return .success
        }
    }
}
