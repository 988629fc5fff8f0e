import Glibc
import StratusCloudServer
import StratusCommandLine
import StratusWorkers

/// The command-line tool.
public enum StratusTool {
    /// The version of Stratus.
    public static let version = ServerVersion.current
    /// Commands run on threads that may block.
    private static let threads = 2

    /// Runs the command line of the process, and ends the process with its exit code.
    public static func main() -> Never {
        let arguments = words(of: CommandLine.arguments)
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is an error like a full disk, and no end.
        signal(SIGXFSZ, SIG_IGN)
        // What it makes is for the user alone: data, keys, exports.
        umask(0o077)
        let command = Self.command(.standard)
        let words: [String] =
            if case .run(let invocation) = command.parse(arguments) { Array(invocation.words.dropFirst()) } else { [] }
        let name = words.first
        // Before there are other threads: all must have the signals blocked, or none.
        let takesSignals =
            name == ServeCommand.name || name == MigrateCommand.name || DriveCommands.takesSignals(words)
        if takesSignals { SignalWatcher.blockSignals() } else { SignalWatcher.unblockSignals() }
        let pool = WorkerPool(threads: threads)
        let work = Task.detached(executorPreference: pool) { await run(arguments, output: .standard) }
        Task.detached(executorPreference: pool) {
            exit(name == MigrateCommand.name ? await SignalWatcher.status(of: work) : await work.value)
        }
        while true { pause() }
    }

    /// The arguments of a command line. By the name `cktool`, the tool takes that tool's commands.
    static func words(of line: [String]) -> [String] {
        let isCKTool = line.first?.split(separator: "/").last.map(String.init) == CKToolCommands.name
        return (isCKTool ? [CKToolCommands.name] : []) + line.dropFirst()
    }

    /// Runs a command line and returns its exit code: 0, 1 for a failure, 2 for a wrong command line.
    static func run(_ arguments: [String], output: Output) async -> Int32 {
        switch command(output).parse(arguments) {
        case .show(let text):
            output.line(text)
            return ToolError.ExitCode.success.rawValue
        case .refused(let message):
            var output = output
            output.isJSON = arguments.contains("--json")
            output.refusal(message)
            return ToolError.ExitCode.usage.rawValue
        case .run(let invocation):
            do {
                return try await invocation.run()
            } catch {
                output.failure(ToolError("\(error)"))
                return ToolError.ExitCode.failure.rawValue
            }
        }
    }

    private static func command(_ output: Output) -> Command {
        Command(
            "stratus", summary: "An open iCloud that you run yourself",
            discussion: "Commands work on the data directory, whether its server is running or not.\n\n"
                + "Exit codes: 0 for success, 1 for a failure, 2 for a wrong command line. A command that is stopped "
                + "by a signal ends with that signal.",
            version: "stratus \(version)",
            options: [ToolContext.Common.data, ToolContext.Common.create, ToolContext.Common.json],
            subcommands: [
                ServeCommand.command(output), ContextCommands.command(output), ContainerCommands.command(output),
                AccountCommands.command(output),
                UserCommands.command(output),
                DeveloperCommands.command(output),
                CredentialCommands.token(output), RoleCommands.command(output), CKToolCommands.command(output),
                CredentialCommands.session(output), KeyCommands.command(output),
                LoginCommand.command(output), LogoutCommand.command(output),
                ShareCommand.command(output), DeviceCommands.command(output), DriveCommands.command(output),
                MirrorCommand.command(output),
                SchemaCommands.command(output), RecordCommands.command(output), QueryCommand.command(output),
                ImportCommand.command(output),
                ExportCommand.command(output), MigrateCommand.command(output), BackupCommand.command(output),
                RestoreCommand.command(output), VerifyCommand.command(output), DoctorCommand.command(output),
                UsageCommand.command(output), VersionCommand.command(output),
            ] + ManualCommands.commands(output) { command(output) })
    }
}
